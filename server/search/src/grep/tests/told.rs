use expect_test::expect;

use super::*;

fn told(project: &Project, pattern: &str, change: impl Fn(&mut GrepQuery<'_>)) -> String {
    project.with_tree(&RuleFiles::default(), |tree| {
        let root = project.root();
        let excludes = Excludes::for_grep();
        let mut query = query(pattern, &root, &excludes);
        change(&mut query);
        let result = grep(tree, &query).unwrap();
        result.report(&query, ".", &root)
    })
}

#[test]
fn behaviour_6_matches_are_told_in_the_words_of_the_twin() {
    let project = Project::new(&[("a.rs", "one\ntwo\nthree\n"), ("src/b.rs", "two\n")]);
    expect![[r#"
        Found 2 matches for pattern "two" in path "." (filter: "*.rs"):
        ---
        File: a.rs
        L1- one
        L2: two
        L3- three
        ---
        File: src/b.rs
        L1: two
        ---"#]]
    .assert_eq(&told(&project, "two", |query| {
        query.include = Some("*.rs");
        query.context = Context::Automatic;
    }));
    expect![[r#"
        Found 1 match for pattern "two" in path "." (results limited to 1 matches for performance):
        ---
        File: a.rs
        L2: two
        ---"#]]
    .assert_eq(&told(&project, "two", |query| query.limit = 1));
    expect![[r#"No matches found for pattern "four" in path "."."#]].assert_eq(&told(
        &project,
        "four",
        |_| {},
    ));
}

#[test]
fn names_are_told_alone() {
    let project = Project::new(&[("a.rs", "two\ntwo\n"), ("src/b.rs", "two\n")]);
    expect![[r#"
        Found 2 files with matches for pattern "two" in path ".":
        a.rs
        src/b.rs"#]]
    .assert_eq(&told(&project, "two", |query| query.report = Report::Names));
}

#[test]
fn a_search_that_was_stopped_says_that_there_may_be_more() {
    let project = Project::new(&[("a.rs", "two\n")]);
    let is_cancelled = || true;
    let text = project.with_cancel(&RuleFiles::default(), Cancel::when(&is_cancelled), |tree| {
        let query = query("two", tree.rules.root(), tree_excludes());
        grep(tree, &query)
            .unwrap()
            .report(&query, "src", tree.rules.root())
    });
    expect![[r#"No matches found for pattern "two" in path "src" (the search was cancelled; there may be more)."#]]
        .assert_eq(&text);
}
