use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::testing::{Project, hours, now};
use crate::{Cancel, RuleFiles};

const ANY_NUMBER: usize = usize::MAX;

fn found(
    project: &Project,
    files: &RuleFiles,
    pattern: &str,
    case: Case,
    limit: usize,
) -> GlobResult {
    project.with_tree(files, |tree| {
        let query = GlobQuery {
            pattern,
            folder: tree.rules.root(),
            case,
            excludes: &Excludes::for_glob(),
            now: now(),
            limit,
        };
        glob(tree, &query).unwrap()
    })
}

fn check(project: &Project, pattern: &str, expected: Expect) {
    let result = found(
        project,
        &RuleFiles::default(),
        pattern,
        Case::Insensitive,
        ANY_NUMBER,
    );
    assert_eq!(result.total, result.paths.len());
    expected.assert_eq(&project.shown(&result.paths));
}

/// All files are old.
fn project(files: &[&str]) -> Project {
    let project = Project::repository(&[]);
    for file in files {
        project.write(file, "");
        project.touch(file, now() - hours(48));
    }
    project
}

#[test]
fn behaviour_7_a_file_touched_an_hour_ago_precedes_an_old_one() {
    let project = project(&["a.txt", "B.txt", "c.txt", "d.txt", "e.txt", "f.txt"]);
    project.touch("f.txt", now() - hours(1));
    project.touch("e.txt", now() - hours(23));
    project.touch("d.txt", now() - hours(24));
    project.touch("c.txt", now() + hours(1));
    let recent_first = expect![[r#"
        c.txt
        f.txt
        e.txt
        a.txt
        B.txt
        d.txt
    "#]];
    check(&project, "*.txt", recent_first);
}

#[test]
fn patterns_mean_what_they_mean_in_a_shell() {
    let project = project(&[
        "a.ts",
        "src/b.ts",
        "src/c.tsx",
        "src/deep/d.TS",
        "src/deep/.e.ts",
        ".config/f.ts",
        "SRC/g.ts",
    ]);
    for (pattern, expected) in [
        (
            "*.ts",
            expect![[r#"
            a.ts
        "#]],
        ),
        (
            "**/*.ts",
            expect![[r#"
            .config/f.ts
            a.ts
            src/b.ts
            src/deep/.e.ts
            src/deep/d.TS
            SRC/g.ts
        "#]],
        ),
        (
            "src/*.{ts,tsx}",
            expect![[r#"
            src/b.ts
            src/c.tsx
            SRC/g.ts
        "#]],
        ),
        (
            "./src/deep/**",
            expect![[r#"
            src/deep/.e.ts
            src/deep/d.TS
        "#]],
        ),
        (
            "src/?.ts",
            expect![[r#"
            src/b.ts
            SRC/g.ts
        "#]],
        ),
        (
            "src/{b,deep/d}.ts",
            expect![[r#"
            src/b.ts
            src/deep/d.TS
        "#]],
        ),
        ("src", expect![""]),
        ("src/", expect![""]),
        ("nothing/**", expect![""]),
    ] {
        check(&project, pattern, expected);
    }
    let absolute = format!("{}/src/b.ts", project.root().display());
    check(
        &project,
        &absolute,
        expect![[r#"
        src/b.ts
    "#]],
    );
}

#[test]
fn case_can_matter() {
    let project = project(&["src/a.ts", "SRC/a.ts", "src/B.ts"]);
    let result = found(
        &project,
        &RuleFiles::default(),
        "src/?.ts",
        Case::Sensitive,
        ANY_NUMBER,
    );
    assert_eq!(project.shown(&result.paths), "src/a.ts\nsrc/B.ts\n");
}

#[test]
fn a_pattern_that_is_the_path_of_a_file_is_taken_literally() {
    let project = project(&["app/[id]/page.tsx", "app/i/page.tsx", "{a,b}.rs", "a.rs"]);
    check(
        &project,
        "app/[id]/page.tsx",
        expect![[r#"
        app/[id]/page.tsx
    "#]],
    );
    check(
        &project,
        "{a,b}.rs",
        expect![[r#"
        {a,b}.rs
    "#]],
    );
    check(
        &project,
        "app/[ij]/page.tsx",
        expect![[r#"
        app/i/page.tsx
    "#]],
    );
}

#[test]
fn ignored_closed_and_excluded_files_are_not_found() {
    let project = project(&[
        "a.rs",
        "out/b.rs",
        "secret/c.rs",
        "node_modules/x/d.rs",
        "bower_components/e.rs",
        ".hg/f.rs",
        "dist/g.rs",
        ".env",
    ]);
    project.write(".gitignore", "out\n");
    project.write(".geminiignore", "secret\n");
    check(
        &project,
        "**/*.rs",
        expect![[r#"
        a.rs
        dist/g.rs
    "#]],
    );
    check(&project, "out/b.rs", expect![""]);
    check(&project, ".env", expect![""]);
    let all = found(
        &project,
        &RuleFiles::none(),
        "**/*.rs",
        Case::Insensitive,
        ANY_NUMBER,
    );
    assert_eq!(
        project.shown(&all.paths),
        "a.rs\ndist/g.rs\nout/b.rs\nsecret/c.rs\n"
    );
}

#[test]
fn links_to_files_are_found_and_not_followed() {
    let outside = Project::new(&[("a.rs", "")]);
    let project = project(&["src/a.rs", "out/b.rs"]);
    project.write(".gitignore", "out\n");
    project.link("file.rs", "src/a.rs");
    project.link("folder.rs", "src");
    project.link("hidden.rs", "out/b.rs");
    project.link("outside.rs", outside.root().join("a.rs"));
    project.link("nowhere.rs", "missing.rs");
    let result = found(
        &project,
        &RuleFiles::default(),
        "**/*.rs",
        Case::Insensitive,
        ANY_NUMBER,
    );
    let shown: BTreeSet<String> = project
        .shown(&result.paths)
        .lines()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        shown,
        BTreeSet::from(["file.rs".to_owned(), "src/a.rs".to_owned()])
    );
}

#[test]
fn unsaved_files_are_found_and_are_the_most_recent() {
    let mut project = project(&["a.rs", "b.rs"]);
    project.write(".gitignore", "out\n");
    project.touch("b.rs", now() - hours(1));
    project.type_into("a.rs", "changed");
    project.type_into("new/c.rs", "");
    project.type_into("out/d.rs", "");
    project.type_into("node_modules/e.rs", "");
    check(
        &project,
        "**/*.rs",
        expect![[r#"
        new/c.rs
        b.rs
        a.rs
    "#]],
    );
}

#[test]
fn the_limit_keeps_the_first_and_counts_the_rest() {
    let names: Vec<String> = (0..300)
        .map(|number| format!("d{}/f{number:03}", number % 7))
        .collect();
    let project = project(&names.iter().map(String::as_str).collect::<Vec<_>>());
    project.touch("d6/f090", now() - hours(2));
    project.touch("d0/f007", now() - hours(3));
    let all = found(
        &project,
        &RuleFiles::default(),
        "**/f*",
        Case::Insensitive,
        ANY_NUMBER,
    );
    assert_eq!(all.total, 300);
    for limit in [0, 1, 3, 10, 299, 300, 301] {
        let some = found(
            &project,
            &RuleFiles::default(),
            "**/f*",
            Case::Insensitive,
            limit,
        );
        assert_eq!(some.total, 300);
        assert_eq!(some.paths, all.paths[..limit.min(300)], "{limit}");
    }
}

#[test]
fn a_bad_pattern_and_a_cancelled_search_say_so() {
    let project = project(&["a.rs"]);
    let is_cancelled = || true;
    project.with_cancel(&RuleFiles::default(), Cancel::when(&is_cancelled), |tree| {
        let mut query = GlobQuery {
            pattern: "[",
            folder: tree.rules.root(),
            case: Case::Sensitive,
            excludes: &Excludes::nothing(),
            now: now(),
            limit: ANY_NUMBER,
        };
        let error = glob(tree, &query).unwrap_err().to_string();
        assert_eq!(
            error,
            "`[` is not a glob pattern: unclosed character class; missing ']'"
        );
        query.pattern = "*";
        let result = glob(tree, &query).unwrap();
        assert_eq!(
            (result.total, result.stopped),
            (0, Some(Stopped::Cancelled))
        );
    });
}

#[test]
fn a_result_is_told_in_the_words_of_the_twin() {
    let project = project(&["a.rs", "b.rs"]);
    project.with_tree(&RuleFiles::default(), |tree| {
        let mut query = GlobQuery {
            pattern: "*.rs",
            folder: tree.rules.root(),
            case: Case::Sensitive,
            excludes: &Excludes::nothing(),
            now: now(),
            limit: ANY_NUMBER,
        };
        let root = project.root().display().to_string();
        let told = |query: &GlobQuery<'_>| glob(tree, query).unwrap().report(query).replace(&root, "ROOT");
        expect![[r#"
            Found 2 file(s) matching "*.rs" within ROOT, sorted by modification time (newest first):
            ROOT/a.rs
            ROOT/b.rs"#]]
        .assert_eq(&told(&query));
        query.limit = 1;
        expect![[r#"
            Found 2 file(s) matching "*.rs" within ROOT, sorted by modification time (newest first) (showing the first 1):
            ROOT/a.rs"#]]
        .assert_eq(&told(&query));
        query.pattern = "*.py";
        expect![[r#"No files found matching pattern "*.py" within ROOT"#]].assert_eq(&told(&query));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The walk leaves out folders in which nothing can fit. It must come to what fitting every path comes to.
    #[test]
    fn leaving_out_folders_changes_nothing(segments in vec(select(vec!["**", "*", "a", "B", "b?", "{a,b/c}", "[ab]", "c*"]), 1..4)) {
        let files = ["a", "b/a", "a.d/c", "b/b/a", "b/c", "b/b/bb/c", "bb/a/c/x", "cc/B", "x/a", "x/b/cx"];
        let project = project(&files);
        let pattern = segments.join("/");
        let result = found(&project, &RuleFiles::default(), &pattern, Case::Insensitive, ANY_NUMBER);
        let got: BTreeSet<String> = project.shown(&result.paths).lines().map(str::to_owned).collect();
        let root = project.root();
        let literal = root.join(&pattern).symlink_metadata().is_ok();
        let glob = if literal { globset::escape(&pattern) } else { pattern.clone() };
        let matcher = globset::GlobBuilder::new(&glob).literal_separator(true).case_insensitive(true).build().unwrap().compile_matcher();
        let expected: BTreeSet<String> = files.iter().filter(|file| matcher.is_match(file)).map(|file| (*file).to_owned()).collect();
        prop_assert_eq!(got, expected, "{}", pattern);
    }
}
