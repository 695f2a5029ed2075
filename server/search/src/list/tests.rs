use expect_test::{Expect, expect};

use super::*;
use crate::RuleFiles;
use crate::testing::Project;

fn check(project: &Project, folder: &str, leave_out: &[&str], expected: Expect) {
    let leave_out: Vec<String> = leave_out
        .iter()
        .map(|pattern| (*pattern).to_owned())
        .collect();
    let listing = project.with_tree(&RuleFiles::default(), |tree| {
        list(tree, &tree.rules.root().join(folder), &leave_out)
    });
    let shown = match listing {
        Ok(listing) => listing.to_string(),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&shown.replace(project.root().to_str().unwrap(), "ROOT"));
}

#[test]
fn behaviour_5_folders_come_first_and_ignored_entries_are_counted() {
    let project = Project::repository(&[
        (".gitignore", "*.log\nout/\n"),
        (".geminiignore", "secret*\n"),
        ("Zoo/", ""),
        ("apple.rs", "1234"),
        ("Banana.rs", "12"),
        ("cherry/a.rs", ""),
        ("a.log", ""),
        ("secret.txt", ""),
        ("out/a", ""),
        (".env", "KEY=1"),
        ("node_modules/x/a.js", ""),
    ]);
    check(
        &project,
        "",
        &[],
        expect![[r#"
            Directory listing for ROOT/:
            [DIR] cherry
            [DIR] Zoo
            .geminiignore (8 bytes)
            .gitignore (11 bytes)
            apple.rs (4 bytes)
            Banana.rs (2 bytes)

            (3 ignored)"#]],
    );
    check(
        &project,
        "",
        &["*.rs", ".????gnore", "*e*y"],
        expect![[r#"
            Directory listing for ROOT/:
            [DIR] Zoo
            .geminiignore (8 bytes)

            (3 ignored)"#]],
    );
}

#[test]
fn an_empty_folder_a_missing_one_and_a_file_say_so() {
    let project = Project::new(&[("empty/", ""), ("a.rs", "")]);
    check(
        &project,
        "empty",
        &[],
        expect!["Directory ROOT/empty is empty."],
    );
    check(
        &project,
        "missing",
        &[],
        expect!["there is nothing at `ROOT/missing`"],
    );
    check(
        &project,
        "a.rs",
        &[],
        expect!["`ROOT/a.rs` is not a folder"],
    );
}

#[test]
fn links_are_shown_as_what_they_lead_to_if_that_is_inside() {
    let outside = Project::new(&[]);
    let project = Project::new(&[("folder/a.rs", "abc")]);
    project.link("to_folder", "folder");
    project.link("to_file", "folder/a.rs");
    project.link("nowhere", "missing");
    project.link("out", outside.root());
    check(
        &project,
        "",
        &[],
        expect![[r#"
            Directory listing for ROOT/:
            [DIR] folder
            [DIR] to_folder
            to_file (3 bytes)

            (1 ignored)"#]],
    );
}

#[test]
fn unsaved_files_are_listed_with_the_size_they_have_in_the_editor() {
    let mut project = Project::new(&[("src/saved.rs", "old")]);
    project.type_into("src/saved.rs", "longer");
    project.type_into("src/new.rs", "new!");
    project.type_into("src/deep/other.rs", "");
    project.type_into("src/.env", "");
    check(
        &project,
        "src",
        &[],
        expect![[r#"
            Directory listing for ROOT/src:
            new.rs (4 bytes)
            saved.rs (6 bytes)"#]],
    );
}

#[test]
fn patterns_with_many_stars_are_quick() {
    let name = "a".repeat(2000);
    let pattern = "*a".repeat(50) + "b";
    assert!(!fits(&pattern, &name));
    assert!(fits("*a*", &name));
}
