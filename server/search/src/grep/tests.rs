mod against_lines;
mod told;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use expect_test::{Expect, expect};

use super::*;
use crate::testing::Project;
use crate::{Cancel, RuleFiles};

fn query<'a>(pattern: &'a str, at: &'a Path, excludes: &'a Excludes) -> GrepQuery<'a> {
    GrepQuery {
        pattern,
        syntax: Syntax::Regex,
        case: Case::Insensitive,
        at,
        include: None,
        exclude_lines: None,
        report: Report::Lines,
        context: Context::Lines {
            before: 0,
            after: 0,
        },
        most_per_file: None,
        limit: 100,
        excludes,
    }
}

fn ask(project: &Project, pattern: &str, change: impl FnOnce(&mut GrepQuery<'_>)) -> GrepResult {
    project.with_tree(&RuleFiles::default(), |tree| {
        let root = project.root();
        let excludes = Excludes::for_grep();
        let mut query = query(pattern, &root, &excludes);
        change(&mut query);
        grep(tree, &query).unwrap()
    })
}

/// `path:12:match` and `path-13-context`.
fn shown(project: &Project, result: &GrepResult) -> String {
    let root = project.root();
    let mut text = String::new();
    for file in &result.files {
        let path = file.path.strip_prefix(&root).unwrap().display();
        for line in &file.lines {
            let mark = if line.is_context { '-' } else { ':' };
            text += &format!("{path}{mark}{}{mark}{}\n", line.number, line.text);
        }
    }
    text
}

fn check(
    project: &Project,
    pattern: &str,
    change: impl FnOnce(&mut GrepQuery<'_>),
    expected: Expect,
) {
    let result = ask(project, pattern, change);
    expected.assert_eq(&shown(project, &result));
}

fn numbered(count: usize) -> String {
    (1..=count)
        .map(|number| format!("line {number}\n"))
        .collect()
}

#[test]
fn behaviour_6_one_match_comes_with_fifty_lines_around_it() {
    let project = Project::new(&[("a.txt", &numbered(200).replace("line 100\n", "needle\n"))]);
    let result = ask(&project, "needle", |query| {
        query.context = Context::Automatic
    });
    let numbers: Vec<u64> = result.files[0]
        .lines
        .iter()
        .map(|line| line.number)
        .collect();
    assert_eq!(numbers, (50..=150).collect::<Vec<_>>());
    let matching: Vec<&Line> = result.files[0]
        .lines
        .iter()
        .filter(|line| !line.is_context)
        .collect();
    assert_eq!(
        (matching.len(), matching[0].number, result.matches),
        (1, 100, 1)
    );
}

#[test]
fn behaviour_6_two_or_three_matches_come_with_fifteen_lines() {
    let text = numbered(200).replace("line 100\n", "needle\n");
    let three = Project::new(&[("a.txt", &text), ("b/c.txt", &text), ("d.txt", "needle")]);
    let result = ask(&three, "needle", |query| query.context = Context::Automatic);
    let lengths: Vec<usize> = result.files.iter().map(|file| file.lines.len()).collect();
    assert_eq!((lengths, result.matches), (vec![31, 31, 1], 3));

    three.write("e.txt", "needle");
    let result = ask(&three, "needle", |query| query.context = Context::Automatic);
    let lengths: Vec<usize> = result.files.iter().map(|file| file.lines.len()).collect();
    assert_eq!((lengths, result.matches), (vec![1, 1, 1, 1], 4));
}

#[test]
fn behaviour_6_no_lines_come_with_names_or_when_some_are_asked_for() {
    let project = Project::new(&[("a.txt", &numbered(9))]);
    let names = ask(&project, "line 5", |query| {
        query.context = Context::Automatic;
        query.report = Report::Names;
    });
    assert_eq!(names.files[0].lines.len(), 1);
    check(
        &project,
        "line 5",
        |query| {
            query.context = Context::Lines {
                before: 2,
                after: 1,
            }
        },
        expect![[r#"
            a.txt-3-line 3
            a.txt-4-line 4
            a.txt:5:line 5
            a.txt-6-line 6
        "#]],
    );
}

#[test]
fn behaviour_6_of_150_matches_the_first_100_are_shown() {
    let project = Project::new(&[]);
    for number in 0..150 {
        project.write(&format!("d{}/f{number:03}", number % 10), "needle\n");
    }
    let result = ask(&project, "needle", |_| {});
    assert_eq!((result.matches, result.ending), (100, Ending::Limited));
    let paths: Vec<PathBuf> = result.files.into_iter().map(|file| file.path).collect();
    let mut expected: Vec<String> = (0..150)
        .map(|number| format!("d{}/f{number:03}", number % 10))
        .collect();
    expected.sort();
    expected.truncate(100);
    assert_eq!(project.shown(&paths), expected.join("\n") + "\n");
}

#[test]
fn exactly_as_many_matches_as_wanted_are_all_of_them() {
    let project = Project::new(&[("a", "needle\nneedle\n"), ("b", "needle\n")]);
    let endings =
        [2, 3, 4].map(|limit| ask(&project, "needle", |query| query.limit = limit).ending);
    assert_eq!(
        endings,
        [Ending::Limited, Ending::Complete, Ending::Complete]
    );
}

#[test]
fn a_frequent_text_is_found_without_searching_everything() {
    let project = Project::new(&[]);
    for number in 0..3000 {
        project.write(
            &format!("d{:02}/f{:02}", number / 100, number % 100),
            "needle\n",
        );
    }
    let result = ask(&project, "needle", |query| query.limit = 50);
    assert_eq!(result.matches, 50);
    assert!(result.searched < 600, "{}", result.searched);
}

#[test]
fn the_limit_cuts_a_file_and_the_context_of_what_is_cut() {
    let project = Project::new(&[("a", "n 1\n2\n3\nn 4\n5\n6\n7\n8\nn 9\n")]);
    check(
        &project,
        "n",
        |query| {
            query.limit = 1;
            query.context = Context::Lines {
                before: 2,
                after: 3,
            };
        },
        expect![[r#"
            a:1:n 1
            a-2-2
            a-3-3
            a-4-n 4
        "#]],
    );
}

#[test]
fn lines_can_be_excluded_and_are_context_then() {
    let project = Project::new(&[(
        "a.rs",
        "fn a() {}\n// fn b\nx\nx\nx\nFN c\n// fn d\n// fn e\n",
    )]);
    check(
        &project,
        "fn",
        |query| query.exclude_lines = Some("^//"),
        expect![[r#"
        a.rs:1:fn a() {}
        a.rs:6:FN c
    "#]],
    );
    check(
        &project,
        "fn",
        |query| {
            query.exclude_lines = Some("^// FN");
            query.context = Context::Lines {
                before: 1,
                after: 1,
            };
        },
        expect![[r#"
            a.rs:1:fn a() {}
            a.rs-2-// fn b
            a.rs-5-x
            a.rs:6:FN c
            a.rs-7-// fn d
        "#]],
    );
}

#[test]
fn matches_per_file_can_be_limited() {
    let project = Project::new(&[("a", "n\nx\nn\nn\n"), ("b", "n\nn\n")]);
    check(
        &project,
        "n",
        |query| {
            query.most_per_file = Some(1);
            query.context = Context::Lines {
                before: 0,
                after: 2,
            };
        },
        expect![[r#"
            a:1:n
            a-2-x
            a-3-n
            b:1:n
            b-2-n
        "#]],
    );
}

#[test]
fn patterns_are_literal_or_mind_the_case_when_told_so() {
    let project = Project::new(&[("a", "f(x)\nF(X)\nfx\n")]);
    check(
        &project,
        "f(x)",
        |_| {},
        expect![[r#"
        a:3:fx
    "#]],
    );
    check(
        &project,
        "f(x)",
        |query| query.syntax = Syntax::Literal,
        expect![[r#"
        a:1:f(x)
        a:2:F(X)
    "#]],
    );
    check(
        &project,
        "F.x",
        |query| query.case = Case::Sensitive,
        expect![""],
    );
}

#[test]
fn the_end_of_a_line_is_before_a_carriage_return_too() {
    let project = Project::new(&[("a", "one;\r\ntwo;\nthree; \r\n")]);
    check(
        &project,
        ";$",
        |_| {},
        expect![[r#"
        a:1:one;
        a:2:two;
    "#]],
    );
    check(&project, r"o\s*;\r", |_| {}, expect![""]);
    check(
        &project,
        r"e\s*;\r",
        |_| {},
        expect![[r#"
        a:1:one;
    "#]],
    );
}

#[test]
fn a_place_can_be_a_folder_or_a_file() {
    let project = Project::repository(&[
        (".gitignore", "out\n"),
        ("a", "n"),
        ("src/b", "n"),
        ("out/c", "n"),
        (".env", "n"),
    ]);
    let at = |place: &str| {
        let place = project.root().join(place);
        project.with_tree(&RuleFiles::default(), |tree| {
            let excludes = Excludes::for_grep();
            match grep(tree, &query("n", &place, &excludes)) {
                Ok(result) => shown(&project, &result),
                Err(error) => error.to_string().replace(place.to_str().unwrap(), "PLACE"),
            }
        })
    };
    assert_eq!(at("src"), "src/b:1:n\n");
    assert_eq!(at("src/b"), "src/b:1:n\n");
    assert_eq!(at("out"), "");
    assert_eq!(at("out/c"), "");
    assert_eq!(at(".env"), "");
    assert_eq!(at("missing"), "there is nothing at `PLACE`");
}

#[test]
fn included_files_are_named_by_a_glob() {
    let project = Project::new(&[
        ("a.ts", "n"),
        ("src/b.ts", "n"),
        ("src/lib/c.tsx", "n"),
        ("d.rs", "n"),
    ]);
    let with = |glob: &'static str, at: &str| {
        let place = project.root().join(at);
        let result = project.with_tree(&RuleFiles::default(), |tree| {
            let excludes = Excludes::nothing();
            let mut query = query("n", &place, &excludes);
            query.include = Some(glob);
            grep(tree, &query).unwrap()
        });
        result
            .files
            .iter()
            .map(|file| {
                file.path
                    .strip_prefix(project.root())
                    .unwrap()
                    .display()
                    .to_string()
            })
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(with("*.ts", ""), "a.ts src/b.ts");
    assert_eq!(with("*.{ts,tsx}", ""), "a.ts src/b.ts src/lib/c.tsx");
    assert_eq!(with("src/**", ""), "src/b.ts src/lib/c.tsx");
    assert_eq!(with("src/**", "src"), "src/b.ts src/lib/c.tsx");
    assert_eq!(with("lib/*", "src"), "src/lib/c.tsx");
    assert_eq!(with("/*.ts", ""), "a.ts");
    assert_eq!(with("!*.ts", ""), "d.rs src/lib/c.tsx");
}

#[test]
fn built_ignored_and_binary_files_are_not_searched() {
    let project = Project::repository(&[
        (".gitignore", "ignored\n"),
        (".github/ci.yml", "n"),
        ("a.rs", "n"),
        ("ignored/b", "n"),
        ("dist/c", "n"),
        ("node_modules/d", "n"),
        ("e.log", "n"),
        ("binary", "n\n\0"),
        ("late", &format!("n\n{}\0\nn\n", numbered(40_000))),
        (".env", "n"),
    ]);
    project.link("link", "a.rs");
    check(
        &project,
        "^n$",
        |_| {},
        expect![[r#"
        .github/ci.yml:1:n
        a.rs:1:n
    "#]],
    );
    let all = project.with_tree(&RuleFiles::none(), |tree| {
        grep(tree, &query("^n$", tree.rules.root(), &Excludes::nothing())).unwrap()
    });
    expect![[r#"
        .github/ci.yml:1:n
        a.rs:1:n
        dist/c:1:n
        e.log:1:n
        ignored/b:1:n
    "#]]
    .assert_eq(&shown(&project, &all));
}

#[test]
fn utf_16_is_read_and_other_bytes_are_replaced() {
    let project = Project::new(&[]);
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    project.write(
        "le",
        [&[0xff, 0xfe], wide("eins\nschön\n").as_slice()].concat(),
    );
    let big: Vec<u8> = "schön\n"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    project.write("be", [&[0xfe, 0xff], big.as_slice()].concat());
    project.write("latin", b"sch\xf6n\n");
    project.write("utf8", "\u{feff}schön");
    check(
        &project,
        "^sch",
        |_| {},
        expect![[r#"
        be:1:schön
        latin:1:sch�n
        le:2:schön
        utf8:1:schön
    "#]],
    );
}

#[test]
fn long_lines_are_cut_between_characters() {
    let project = Project::new(&[
        ("a", &format!("needle{}\n", "é".repeat(5_000_000))),
        ("b", &"x".repeat(2000)),
    ]);
    let result = ask(&project, "needle|x", |_| {});
    let texts: Vec<&str> = result
        .files
        .iter()
        .map(|file| file.lines[0].text.as_str())
        .collect();
    assert_eq!(
        texts[0],
        format!("needle{}... [truncated]", "é".repeat(1994))
    );
    assert_eq!(texts[1].len(), 2000);
}

#[test]
fn unsaved_texts_are_searched_instead_of_files() {
    let mut project = Project::repository(&[
        (".gitignore", "out\n"),
        ("a.rs", "on disk"),
        ("b.rs", "on disk"),
    ]);
    project.type_into("a.rs", "in editor");
    project.type_into("new/c.rs", "in editor");
    project.type_into("out/d.rs", "in editor");
    project.type_into("dist/e.rs", "in editor");
    project.type_into("large", &(numbered(100_000) + "in editor"));
    check(
        &project,
        "on disk|in editor",
        |_| {},
        expect![[r#"
        a.rs:1:in editor
        b.rs:1:on disk
        large:100001:in editor
        new/c.rs:1:in editor
    "#]],
    );
    let only = project.root().join("new/c.rs");
    let result = project.with_tree(&RuleFiles::default(), |tree| {
        grep(tree, &query("editor", &only, &Excludes::nothing())).unwrap()
    });
    assert_eq!(shown(&project, &result), "new/c.rs:1:in editor\n");
    // The second pass, for the lines around, sees the same text.
    project.type_into("a.rs", "before\nunique\nafter");
    check(
        &project,
        "unique",
        |query| query.context = Context::Automatic,
        expect![[r#"
        a.rs-1-before
        a.rs:2:unique
        a.rs-3-after
    "#]],
    );
}

#[test]
fn a_bad_pattern_is_an_error_that_says_what_is_wrong() {
    let project = Project::new(&[("a", "n")]);
    project.with_tree(&RuleFiles::default(), |tree| {
        let excludes = Excludes::nothing();
        for pattern in ["a(", "a\nb", r"a\nb"] {
            let error = grep(tree, &query(pattern, tree.rules.root(), &excludes)).unwrap_err();
            assert!(
                matches!(error, SearchError::Pattern { .. }),
                "{pattern}: {error}"
            );
        }
        let mut bad = query("a", tree.rules.root(), &excludes);
        bad.exclude_lines = Some("(");
        assert!(grep(tree, &bad).is_err());
        bad.exclude_lines = None;
        bad.include = Some("[");
        assert!(matches!(grep(tree, &bad), Err(SearchError::Glob { .. })));
    });
}

#[test]
fn a_cancelled_search_stops_soon_and_hands_back_what_it_has() {
    let project = Project::new(&[]);
    for number in 0..2000 {
        project.write(&format!("d{}/f{number}", number % 20), "needle\n");
    }
    let asked = AtomicUsize::new(0);
    let is_cancelled = || asked.fetch_add(1, Ordering::SeqCst) >= 100;
    let result = project.with_cancel(&RuleFiles::default(), Cancel::when(&is_cancelled), |tree| {
        let mut query = query("needle", tree.rules.root(), tree_excludes());
        query.limit = 10_000;
        grep(tree, &query).unwrap()
    });
    assert_eq!(result.ending, Ending::Stopped(Stopped::Cancelled));
    // It is asked before every file.
    assert!((1..=100).contains(&result.searched), "{}", result.searched);
    assert!(result.matches > 0);
    assert!(asked.load(Ordering::SeqCst) < 110);
}

#[test]
fn a_long_file_is_left_in_the_middle() {
    let mut project = Project::new(&[("a", &numbered(1_000_000))]);
    project.type_into("b", &numbered(1_000_000));
    for place in ["a", "b"] {
        let place = project.root().join(place);
        let asked = AtomicUsize::new(0);
        let is_cancelled = || asked.fetch_add(1, Ordering::SeqCst) >= 5;
        let result =
            project.with_cancel(&RuleFiles::default(), Cancel::when(&is_cancelled), |tree| {
                grep(tree, &query("missing", &place, tree_excludes())).unwrap()
            });
        assert_eq!(result.ending, Ending::Stopped(Stopped::Cancelled));
        assert!(asked.load(Ordering::SeqCst) < 10);
    }
}

#[test]
fn a_search_whose_time_is_over_says_so() {
    let project = Project::new(&[("a", "needle")]);
    let over = Cancel::never().until(Instant::now());
    let result = project.with_cancel(&RuleFiles::default(), over, |tree| {
        grep(tree, &query("needle", tree.rules.root(), tree_excludes())).unwrap()
    });
    assert_eq!(
        (result.searched, result.ending),
        (0, Ending::Stopped(Stopped::TimedOut))
    );
}

#[test]
fn a_line_that_is_too_long_for_memory_is_counted_as_unread() {
    let project = Project::new(&[("a", "needle")]);
    let mut text = vec![b'x'; 70 * 1024 * 1024];
    text.extend(b"needle");
    project.write("b", text);
    let result = ask(&project, "needle", |_| {});
    assert_eq!(
        (result.matches, result.searched, result.unreadable),
        (1, 2, 1)
    );
}

fn tree_excludes() -> &'static Excludes {
    static NOTHING: std::sync::OnceLock<Excludes> = std::sync::OnceLock::new();
    NOTHING.get_or_init(Excludes::nothing)
}
