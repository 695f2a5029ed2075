use super::*;

#[test]
fn what_a_release_needs_is_read() {
    let manifest = Manifest::parse(
        "id = \"p\"\nname = \"P\"\ndescription = \"An agent.\"\n# Why.\nrepository = \"https://github.com/pollux.example/p\"\n",
    )
    .unwrap();
    assert_eq!(manifest.name, "P");
    assert_eq!(manifest.description, "An agent.");
    assert!(manifest.has_placeholder());
    let error = Manifest::parse("name = \"P\"\ndescription = \"\"")
        .err()
        .unwrap();
    assert_eq!(error.to_string(), "extension.toml has no `repository`");
}
