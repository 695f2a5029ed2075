use super::*;
use crate::RuleFiles;
use crate::testing::Project;

fn find(project: &Project, relative: &str) -> Option<String> {
    let found = project.with_tree(&RuleFiles::default(), |tree| {
        find_by_suffix(tree, Path::new(relative))
    })?;
    let below = found.strip_prefix(project.root()).unwrap();
    Some(below.to_str().unwrap().to_owned())
}

#[test]
fn the_only_file_that_ends_like_this_is_found() {
    let project = Project::repository(&[
        (".gitignore", "out/\n"),
        ("app/src/main.rs", ""),
        ("lib/src/lib.rs", ""),
        ("out/src/lib.rs", ""),
        ("node_modules/x/src/lib.rs", ""),
        ("app/src/deep/xlib.rs", ""),
        ("both/a.rs", ""),
        ("too/a.rs", ""),
    ]);
    assert_eq!(
        find(&project, "src/lib.rs").as_deref(),
        Some("lib/src/lib.rs")
    );
    assert_eq!(
        find(&project, "./src//lib.rs").as_deref(),
        Some("lib/src/lib.rs")
    );
    assert_eq!(
        find(&project, "main.rs").as_deref(),
        Some("app/src/main.rs")
    );
    assert_eq!(find(&project, "both/a.rs").as_deref(), Some("both/a.rs"));
    for nothing in [
        "a.rs",
        "missing.rs",
        "src",
        "rc/lib.rs",
        "../src/lib.rs",
        "/lib/src/lib.rs",
        "",
    ] {
        assert_eq!(find(&project, nothing), None, "{nothing}");
    }
}

#[test]
fn no_more_than_fifty_folders_are_looked_into() {
    let project = Project::new(&[]);
    for number in 0..60 {
        project.write(&format!("d{number:02}/f{number}"), "");
    }
    // The root is the first of the fifty.
    assert_eq!(find(&project, "f48").as_deref(), Some("d48/f48"));
    assert_eq!(find(&project, "f49"), None);
}

#[test]
fn a_file_that_is_only_in_an_editor_counts() {
    let mut project = Project::repository(&[(".gitignore", "out/\n"), ("src/lib.rs", "")]);
    project.type_into("src/new.rs", "");
    project.type_into("fresh/other.rs", "");
    project.type_into("out/ignored.rs", "");
    project.type_into("more/lib.rs", "");
    assert_eq!(find(&project, "new.rs").as_deref(), Some("src/new.rs"));
    assert_eq!(
        find(&project, "other.rs").as_deref(),
        Some("fresh/other.rs")
    );
    assert_eq!(find(&project, "ignored.rs"), None);
    assert_eq!(find(&project, "lib.rs"), None);
}
