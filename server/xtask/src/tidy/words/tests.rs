use expect_test::{Expect, expect};

use super::check;
use crate::tidy::finding::listing;
use crate::tidy::tree::Tree;

/// The words themselves are masked, or this file would break the rule it tests.
fn check_line(path: &str, line: &str, expected: Expect) {
    let listing = listing(&check(&Tree::of(&[(path, line)])));
    let masked: Vec<&str> = listing
        .split('`')
        .enumerate()
        .map(|(place, part)| if place % 2 == 0 { part } else { "…" })
        .collect();
    expected.assert_eq(masked.join("`").trim_end());
}

#[test]
fn a_reminder_needs_an_issue() {
    check_line("a.md", concat!("TO", "DO #12: later"), expect![""]);
    check_line("a.sh", concat!("mktemp /tmp/a.XX", "XXXX"), expect![""]);
    check_line(
        "a.lua",
        concat!("-- FIX", "ME later"),
        expect!["a.lua:1: `…` without an issue: write `…`"],
    );
}

#[test]
fn rust_tests_run_and_rust_code_is_finished() {
    check_line("a.rs", "values.iter().skip(1)", expect![""]);
    check_line("a.md", concat!("no #[", "ignore] here"), expect![""]);
    check_line(
        "a.rs",
        concat!("#[", "ignore = \"slow\"]"),
        expect!["a.rs:1: `…`: a test that never runs: make it run or drop it"],
    );
    check_line(
        "a.rs",
        concat!("#[should", "_panic]"),
        expect!["a.rs:1: `…`: compare the returned error instead of catching a panic"],
    );
    check_line(
        "a.rs",
        concat!("todo", "!()"),
        expect!["a.rs:1: `…`: unfinished code: finish it or leave it out"],
    );
}

#[test]
fn script_tests_all_run() {
    check_line("ext/src/a.ts", "stream.skip(1)", expect![""]);
    check_line(
        "ext/test/a.ts",
        concat!("it.on", "ly('works')"),
        expect!["ext/test/a.ts:1: `…`: this keeps every other test from running: drop it"],
    );
    check_line(
        "ext/src/a.test.ts",
        concat!("it.sk", "ip('works')"),
        expect!["ext/src/a.test.ts:1: `…`: a test that never runs: make it run or drop it"],
    );
}

#[test]
fn tests_wait_for_events_and_not_for_the_clock() {
    check_line(
        "a/src/b.rs",
        concat!("tokio::time::sl", "eep(d).await"),
        expect![""],
    );
    check_line("tests/b.rs", "Command::new(\"sleep\")", expect![""]);
    let found = "a sleep in a test: wait for the event itself";
    for line in [
        concat!("std::thread::sl", "eep(d)"),
        concat!("tokio::time::sl", "eep(d).await"),
        concat!("    sl", "eep(d).await;"),
    ] {
        let listing = listing(&check(&Tree::of(&[("a/b/tests.rs", line)])));
        assert_eq!(listing, format!("a/b/tests.rs:1: {found}\n"));
    }
}

#[test]
fn paths_of_one_machine_are_found() {
    check_line("a.md", "/home/u/project and /home/<name>/x", expect![""]);
    check_line(
        "a.md",
        concat!("server/wo", "rk/a and ~/ro", "ot/b"),
        expect![""],
    );
    check_line(
        "a.md",
        concat!("cd /home/", "gwen/src"),
        expect!["a.md:1: `…` is somebody's home; in an example write `…`"],
    );
    check_line(
        "a.rs",
        concat!("\"file:///wo", "rk/a.rs\""),
        expect!["a.rs:1: `…` is a folder of one machine"],
    );
    check_line(
        "a.json",
        concat!("\"/ro", "ot/.cache\""),
        expect!["a.json:1: `…` is a folder of one machine"],
    );
}

#[test]
fn registries_are_not_named() {
    check_line(
        "Cargo.lock",
        concat!("https://static.", "crates.io"),
        expect![""],
    );
    check_line("a.md", "published on crates.io", expect![""]);
    check_line(
        "package-lock.json",
        concat!("\"resolved\": \"https://registry.", "npmjs.org/a\""),
        expect!["package-lock.json:1: `…`: use the package by its name only"],
    );
}
