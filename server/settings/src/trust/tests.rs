//! The tables speak of absolute paths as Unix writes them.
#![cfg(unix)]

use expect_test::{Expect, expect};
use serde_json::json;

use super::*;
use crate::json::parse;
use crate::source::tests::source;

fn rules(text: &str) -> Rules {
    let document = source(text.as_bytes()).and_then(parse).unwrap();
    rules::validate(&document).unwrap().0
}

fn settings(enabled: bool) -> Settings {
    let mut values = serde_json::Map::new();
    crate::schema::insert(&mut values, "security.folderTrust.enabled", json!(enabled));
    Settings::new(values)
}

#[test]
fn settings_9_the_longest_rule_decides() {
    let check = |text: &str, folders: &[&str], expected: Expect| {
        let rules = rules(text);
        let rows: Vec<String> = folders
            .iter()
            .map(|folder| match rules.matching(Path::new(folder)) {
                Some(rule) => format!("{folder}: {:?} by {}", rule.verdict(), rule.path.display()),
                None => format!("{folder}: nobody"),
            })
            .collect();
        expected.assert_eq(&rows.join("\n"));
    };
    check(
        r#"{"/w": "TRUST_FOLDER", "/w/x": "DO_NOT_TRUST"}"#,
        &["/w", "/w/y", "/w/x", "/w/x/z", "/w/xy", "/wy", "/"],
        expect![[r#"
            /w: Trusted by /w
            /w/y: Trusted by /w
            /w/x: Untrusted by /w/x
            /w/x/z: Untrusted by /w/x
            /w/xy: Trusted by /w
            /wy: nobody
            /: nobody"#]],
    );
    check(
        r#"{"/w/p": "TRUST_PARENT", "/w/q/r": "DO_NOT_TRUST"}"#,
        &["/w/q", "/w", "/w/p", "/w/q/r/s", "/v"],
        expect![[r#"
            /w/q: Trusted by /w/p
            /w: Trusted by /w/p
            /w/p: Trusted by /w/p
            /w/q/r/s: Untrusted by /w/q/r
            /v: nobody"#]],
    );
    check(
        r#"{"/": "TRUST_FOLDER", "/w/": "TRUST_FOLDER", "/w/.": "DO_NOT_TRUST"}"#,
        &["/anything", "/w/a/.."],
        expect![[r#"
            /anything: Trusted by /
            /w/a/..: Untrusted by /w/."#]],
    );
}

#[test]
fn a_link_into_an_untrusted_folder_is_untrusted() {
    let dir = tempfile::tempdir().unwrap();
    let trusted = dir.path().join("trusted");
    let other = dir.path().join("other");
    std::fs::create_dir_all(&trusted).unwrap();
    std::fs::create_dir_all(&other).unwrap();
    std::os::unix::fs::symlink(&other, trusted.join("link")).unwrap();
    let rules = rules(&json!({trusted.to_str().unwrap(): "TRUST_FOLDER"}).to_string());
    assert!(rules.matching(&trusted.join("inside")).is_some());
    assert!(rules.matching(&trusted.join("link")).is_none());
}

#[test]
fn the_order_of_those_who_decide() {
    let rules = rules(r#"{"/w": "TRUST_FOLDER", "/w/x": "DO_NOT_TRUST"}"#);
    let restricted = ("GEMINI_RESTRICTED_MODE", "true");
    let trust = ("GEMINI_CLI_TRUST_WORKSPACE", "true");
    let distrust = ("GEMINI_CLI_TRUST_WORKSPACE", "false");
    let neither = ("GEMINI_CLI_TRUST_WORKSPACE", "yes");
    let enabled = settings(true);
    let disabled = settings(false);
    let none = EditorTrust::Unsaid;
    let yes = EditorTrust::Trusted;
    let no = EditorTrust::Untrusted;
    let row = |variables: &[(&str, &str)], settings, editor, rules, folder: &str| {
        let environment = Environment::from_iter(variables.iter().copied());
        let decision = decide(&environment, settings, editor, rules, Path::new(folder));
        format!("{:?} {:?}", decision.verdict, decision.source)
    };
    let rows = [
        row(&[restricted, trust], &disabled, yes, Some(&rules), "/w"),
        row(&[distrust], &disabled, yes, Some(&rules), "/w"),
        row(&[trust], &enabled, no, Some(&rules), "/w/x"),
        row(&[], &disabled, no, Some(&rules), "/w/x"),
        row(&[], &enabled, no, Some(&rules), "/w"),
        row(&[], &enabled, yes, Some(&rules), "/w/x"),
        row(&[], &enabled, none, Some(&rules), "/w"),
        row(&[], &enabled, none, Some(&rules), "/w/x"),
        row(&[], &enabled, none, Some(&rules), "/v"),
        row(&[], &enabled, none, None, "/w"),
        row(&[neither], &enabled, none, Some(&rules), "/v"),
    ];
    expect![[r#"
        Untrusted Environment("GEMINI_RESTRICTED_MODE")
        Untrusted Environment("GEMINI_CLI_TRUST_WORKSPACE")
        Trusted Environment("GEMINI_CLI_TRUST_WORKSPACE")
        Trusted Setting
        Untrusted Editor
        Trusted Editor
        Trusted Rule("/w")
        Untrusted Rule("/w/x")
        Undecided Nobody
        Untrusted BrokenRules
        Undecided Nobody"#]]
    .assert_eq(&rows.join("\n"));
}

#[test]
fn what_is_wrong_with_rules_is_said_with_its_place() {
    let table = [
        "{\n  \"/a\": \"TRUST_FOLDER\",\n  \"/b\": \"DO_NOT_TRUSTT\"\n}",
        r#"{"/a": true}"#,
        r#"{"./a": "TRUST_FOLDER", "/b": "TRUST_FOLDER"}"#,
    ];
    let rows: Vec<String> = table
        .iter()
        .map(|text| {
            let document = source(text.as_bytes()).and_then(parse).unwrap();
            match rules::validate(&document) {
                Ok((_, problems)) => problems.first().unwrap().to_string(),
                Err(problem) => problem.to_string(),
            }
        })
        .collect();
    expect![[r#"
        /f:3:9: the rule for "/b" is not understood, so no rule of this file is used (use TRUST_FOLDER, TRUST_PARENT or DO_NOT_TRUST)
        /f:1:8: the rule for "/a" is not understood, so no rule of this file is used (use TRUST_FOLDER, TRUST_PARENT or DO_NOT_TRUST)
        /f:1:9: "./a" is not an absolute path, so its rule has no effect (write the whole path)"#]].assert_eq(&rows.join("\n"));
}
