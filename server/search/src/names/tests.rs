use proptest::prelude::*;

use super::*;
use crate::RuleFiles;
use crate::testing::Project;

fn read(project: &Project) -> Names {
    let root = project.root();
    project.with_tree(&RuleFiles::default(), |tree| {
        Names::read(tree, &root).unwrap()
    })
}

fn find(names: &Names, letters: &str, first: &[&str], limit: usize) -> Vec<String> {
    let first: Vec<String> = first.iter().map(|path| (*path).to_owned()).collect();
    let query = NameQuery {
        letters,
        first: &first,
        limit,
    };
    let found = names.find(&query, Cancel::never()).unwrap();
    let shown = |name: Name| match name.kind {
        Kind::File => name.path,
        Kind::Folder => format!("{}/", name.path),
    };
    found.into_iter().map(shown).collect()
}

#[test]
fn names_are_found_by_letters_and_ignored_ones_are_not() {
    let project = Project::repository(&[
        (".gitignore", "out/\n"),
        ("src/upload.rs", ""),
        ("src/retry.rs", ""),
        ("out/upload.rs", ""),
        ("node_modules/upload/index.js", ""),
        ("README.md", ""),
    ]);
    let names = read(&project);
    assert_eq!(find(&names, "uplo", &[], 9), ["src/upload.rs"]);
    assert_eq!(find(&names, "srrt", &[], 9), ["src/retry.rs"]);
    assert_eq!(find(&names, "src", &[], 1), ["src/"]);
    assert_eq!(find(&names, "nothing", &[], 9), Vec::<String>::new());
    // Open files come first among those that match as well.
    assert_eq!(find(&names, "rs", &["src/upload.rs"], 1), ["src/upload.rs"]);
    assert_eq!(
        find(&names, "", &["src/retry.rs"], 3),
        ["src/retry.rs", "src/", "README.md"]
    );
}

#[test]
fn the_beginning_of_a_name_is_above_a_loose_match_of_an_open_file() {
    let project = Project::new(&[
        ("src/retry.rs", ""),
        ("src/retry_policy.rs", ""),
        ("docs/Retry", ""),
        ("tests/re/try.rs", ""),
        ("src/react/entry.rs", ""),
    ]);
    let names = read(&project);
    let open = ["src/react/entry.rs"];
    assert_eq!(
        find(&names, "retry", &open, 9),
        [
            "docs/Retry",
            "src/retry.rs",
            "src/retry_policy.rs",
            "src/react/entry.rs",
            "tests/re/try.rs",
        ]
    );
    // Of two that begin with it, the open one.
    assert_eq!(
        find(&names, "ret", &["src/retry_policy.rs"], 1),
        ["src/retry_policy.rs"]
    );
    assert_eq!(find(&names, "src/re", &["tests/re/try.rs"], 2).len(), 2);
    assert!(find(&names, "src/ret", &open, 1)[0].starts_with("src/ret"));
}

#[test]
fn nobody_waits_for_a_search_that_was_cancelled() {
    let project = Project::new(&[("a", "")]);
    let names = read(&project);
    let query = NameQuery {
        letters: "a",
        first: &[],
        limit: 9,
    };
    assert_eq!(names.find(&query, Cancel::when(&|| true)), None);
}

proptest! {
    #[test]
    fn whatever_is_typed_is_answered_within_the_limit(letters in ".{0,20}", limit in 0usize..5) {
        let names = Names {
            names: ["a/b", "a", "ä/ö.rs", "x y/z"]
                .map(|path| Name { path: path.to_owned(), kind: Kind::File })
                .into(),
        };
        let query = NameQuery { letters: &letters, first: &[], limit };
        let found = names.find(&query, Cancel::never()).unwrap();
        prop_assert!(found.len() <= limit);
    }
}
