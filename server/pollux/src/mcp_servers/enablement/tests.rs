use pollux_settings::Environment;

use super::*;

fn locations(home: &Path) -> Locations {
    let environment = Environment::from_iter([("HOME", home.to_str().unwrap())]);
    Locations::new(&environment, Path::new("/"))
}

#[test]
fn mcp_client_19_disabling_foo_writes_foo_in_lower_case_and_enabling_removes_it() {
    let home = tempfile::tempdir().unwrap();
    let locations = locations(home.path());
    switch(&locations, " Foo ", Switch::Off).unwrap();
    let text = std::fs::read_to_string(file(&locations)).unwrap();
    assert_eq!(text, "{\n  \"foo\": {\n    \"enabled\": false\n  }\n}\n");
    assert!(disabled(&locations).contains("foo"));
    switch(&locations, "FOO", Switch::On).unwrap();
    let text = std::fs::read_to_string(file(&locations)).unwrap();
    assert_eq!(text, "{}\n");
    assert!(disabled(&locations).is_empty());
}

#[test]
fn what_is_no_object_is_left_as_it_is() {
    let home = tempfile::tempdir().unwrap();
    let locations = locations(home.path());
    create_private_folder(&locations.gemini_dir).unwrap();
    std::fs::write(file(&locations), "// mine").unwrap();
    assert!(switch(&locations, "foo", Switch::Off).is_err());
    assert_eq!(
        std::fs::read_to_string(file(&locations)).unwrap(),
        "// mine"
    );
    assert!(disabled(&locations).is_empty());
}
