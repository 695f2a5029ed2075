use super::*;

#[test]
fn names_of_folders_become_slugs() {
    for (folder, slug) in [
        ("/a/My App", "my-app"),
        ("/a/my-app", "my-app"),
        ("/a/__Foo..Bar__", "foo-bar"),
        ("/a/日本", "project"),
        ("/", "project"),
        ("/a/x2", "x2"),
    ] {
        assert_eq!(numbered(Path::new(folder), 0), slug);
    }
    assert_eq!(numbered(Path::new("/a/x"), 3), "x-3");
}
