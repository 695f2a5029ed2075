//! The documented behaviours of an edit, with real bytes on the disk.

use serde_json::{Value, json};

use super::NAME;
use crate::api::{Answer, Event};
use crate::testing::{FixedGate, ShippedGate, Workspace};
use std::sync::Arc;

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "file_path": path, "instruction": "try", "old_string": old, "new_string": new })
}

/// Edits a file with this text and returns what the model is told and what is in the file then.
async fn edited(text: &str, old: &str, new: &str) -> (String, String) {
    let workspace = Workspace::editing(&[("a.txt", text)]);
    let told = workspace.told(NAME, edit("a.txt", old, new)).await;
    (told, workspace.text("a.txt"))
}

#[tokio::test]
async fn edit_1_two_occurrences_need_permission() {
    let workspace = Workspace::editing(&[("a.txt", "a\nb\na\n")]);
    let played = workspace.call(NAME, edit("a.txt", "a", "c")).await;
    assert_eq!(played.error_type(), "edit_expected_occurrence_mismatch");
    assert_eq!(workspace.text("a.txt"), "a\nb\na\n");
    let mut args = edit("a.txt", "a", "c");
    args["allow_multiple"] = true.into();
    let told = workspace.told(NAME, args).await;
    assert!(
        told.starts_with("Successfully modified file: <root>/a.txt (2 replacements)."),
        "{told}"
    );
    assert_eq!(workspace.text("a.txt"), "c\nb\nc\n");
}

#[tokio::test]
async fn edit_2_indentation_is_taken_from_the_file() {
    let (_, text) = edited("    foo()\n    bar()\n", "foo()\nbar()", "foo()\n  baz()").await;
    assert_eq!(text, "    foo()\n      baz()\n");
}

#[tokio::test]
async fn edit_3_blanks_between_words_do_not_matter() {
    let (_, text) = edited("if(x){return 1}", "if ( x ) {\n return 1 }", "return 2").await;
    assert_eq!(text, "return 2");
}

#[tokio::test]
async fn edit_4_two_typos_in_a_long_line_are_forgiven_and_said_and_one_in_a_short_line_is_not() {
    let line = "let the_answer = compute_everything(42);\n";
    let typos = "let teh_answer = compute_evrything(42);";
    let (told, text) = edited(line, typos, "let answer = 42;").await;
    assert!(
        told.contains("Applied fuzzy match at line(s) 1-1."),
        "{told}"
    );
    assert_eq!(text, "let answer = 42;\n");

    let workspace = Workspace::editing(&[("a.txt", "abcdefghi\n")]);
    let played = workspace.call(NAME, edit("a.txt", "abcdXfghi", "x")).await;
    assert_eq!(played.error_type(), "edit_no_occurrence_found");
}

#[tokio::test]
async fn edit_5_line_endings_stay_what_they_are() {
    let (_, text) = edited("a\r\nb\r\nc\r\n", "a\nb\n", "1\n2\n3\n").await;
    assert_eq!(text, "1\r\n2\r\n3\r\nc\r\n");
}

#[tokio::test]
async fn edit_5_so_do_the_charset_and_the_mark_before_the_text() {
    let bytes_of = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(units).collect()
    };
    let workspace = Workspace::editing(&[]);
    workspace.put("a.txt", &bytes_of("größe\r\nx\r\n"));
    workspace
        .call(NAME, edit("a.txt", "größe\n", "Länge\nMaß\n"))
        .await
        .end
        .unwrap();
    assert_eq!(workspace.bytes("a.txt"), bytes_of("Länge\r\nMaß\r\nx\r\n"));
}

#[tokio::test]
async fn edit_6_the_end_of_the_file_stays_what_it_is() {
    let (_, text) = edited("a\nb", "b", "c\n").await;
    assert_eq!(text, "a\nc");
    let (_, text) = edited("a\nb\n", "b\n", "c").await;
    assert_eq!(text, "a\nc\n");
}

#[tokio::test]
async fn edit_7_dollar_signs_mean_nothing() {
    let (_, text) = edited("a b", "b", "$1 $& $$").await;
    assert_eq!(text, "a $1 $& $$");
}

#[tokio::test]
async fn edit_8_text_that_stands_for_other_text_is_refused_unless_the_file_has_it() {
    let text = "one\n// rest of methods ...\n";
    let workspace = Workspace::editing(&[("a.txt", text)]);
    let args = edit("a.txt", "one", "two\n// rest of methods ...");
    let played = workspace.call(NAME, args).await;
    assert_eq!(played.error_type(), "invalid_tool_params");
    assert_eq!(workspace.text("a.txt"), text);
    let args = edit("a.txt", text, "two\n// rest of methods ...\n");
    workspace.call(NAME, args).await.end.unwrap();
    assert_eq!(workspace.text("a.txt"), "two\n// rest of methods ...\n");
}

#[tokio::test]
async fn edit_9_an_empty_text_to_replace_makes_a_file_and_never_overwrites_one() {
    let workspace = Workspace::editing(&[("a.txt", "one\n")]);
    let played = workspace.call(NAME, edit("a.txt", "", "new\n")).await;
    assert_eq!(played.error_type(), "attempt_to_create_existing_file");
    assert_eq!(workspace.text("a.txt"), "one\n");
    let told = workspace.told(NAME, edit("deep/b.txt", "", "new\n")).await;
    assert!(
        told.starts_with("Created new file: <root>/deep/b.txt with provided content."),
        "{told}"
    );
    assert_eq!(workspace.text("deep/b.txt"), "new\n");
}

#[tokio::test]
async fn edit_9_a_new_file_may_have_the_name_of_one_that_lies_deeper() {
    let workspace = Workspace::editing(&[("src/utils/x.ts", "old\n")]);
    workspace
        .call(NAME, edit("utils/x.ts", "", "new\n"))
        .await
        .end
        .unwrap();
    assert_eq!(workspace.text("utils/x.ts"), "new\n");
    assert_eq!(workspace.text("src/utils/x.ts"), "old\n");
}

#[tokio::test]
async fn edit_9_a_placeholder_does_not_get_into_a_new_file_either() {
    let workspace = Workspace::editing(&[]);
    let args = edit("a.txt", "", "one\n// rest of code ...\n");
    let played = workspace.call(NAME, args).await;
    assert_eq!(played.error_type(), "invalid_tool_params");
}

/// Nobody corrects what a model wrote: there is no other model here that could be asked.
#[tokio::test]
async fn edit_10_a_text_that_is_not_there_is_an_error_and_that_is_it() {
    for path in ["a.txt", "a.json"] {
        let workspace = Workspace::new(&[(path, "{\"a\": 1}\n")]);
        let played = workspace.call(NAME, edit(path, "\\\"b\\\": 2", "x")).await;
        assert_eq!(played.error_type(), "edit_no_occurrence_found");
        assert!(!played.asked());
    }
}

#[tokio::test]
async fn edit_11_the_only_file_that_can_be_meant_is_edited() {
    let workspace = Workspace::editing(&[("src/utils/x.ts", "one\n"), ("src/y.ts", "one\n")]);
    let told = workspace.told(NAME, edit("utils/x.ts", "one", "two")).await;
    assert!(
        told.starts_with("Successfully modified file: <root>/src/utils/x.ts (1 replacements)."),
        "{told}"
    );
    assert_eq!(workspace.text("src/utils/x.ts"), "two\n");
    let played = workspace.call(NAME, edit("z.ts", "one", "two")).await;
    assert_eq!(played.error_type(), "file_not_found");
    workspace.put("lib/utils/x.ts", b"one\n");
    let played = workspace.call(NAME, edit("utils/x.ts", "one", "two")).await;
    assert_eq!(played.error_type(), "file_not_found");
}

fn with_shipped_rules(files: &[(&str, &str)]) -> Workspace {
    let mut workspace = Workspace::editing(files);
    let gate = ShippedGate::new(workspace.root().to_owned());
    workspace.config.gate = Arc::new(gate);
    workspace
}

#[tokio::test]
async fn edit_11_a_file_that_is_only_meant_is_judged_for_what_it_is() {
    let workspace = with_shipped_rules(&[("app/.vscode/settings.json", "{}\n")]);
    let played = workspace
        .call(NAME, edit("settings.json", "{}", "{ }"))
        .await;
    assert!(played.asked(), "{}", played.text());
    assert_eq!(workspace.text("app/.vscode/settings.json"), "{ }\n");
}

#[tokio::test]
async fn edit_12_build_files_are_asked_about_and_others_are_not() {
    let workspace = with_shipped_rules(&[("package.json", "{}\n"), ("src/a.ts", "one\n")]);
    let played = workspace
        .call(NAME, edit("package.json", "{}", "{ }"))
        .await;
    assert!(played.asked());
    assert_eq!(workspace.text("package.json"), "{ }\n");
    let played = workspace.call(NAME, edit("src/a.ts", "one", "two")).await;
    assert!(!played.asked());
    assert_eq!(workspace.text("src/a.ts"), "two\n");
}

#[tokio::test]
async fn edit_13_the_person_may_write_something_else() {
    let workspace = Workspace::new(&[("a.txt", "one\ntwo\n")]);
    let answer = Answer::AllowWith {
        content: "one\n2 (mine)\n".to_owned(),
    };
    let played = workspace
        .call_answered(NAME, edit("a.txt", "two", "2"), &answer)
        .await;
    assert_eq!(workspace.text("a.txt"), "one\n2 (mine)\n");
    let told = played.text();
    assert!(told.contains("The person changed the text"), "{told}");
    assert!(told.contains("2 (mine)"), "{told}");
    let made: Vec<&str> = played
        .events
        .iter()
        .filter_map(|event| match event {
            Event::EditMade(proposal) => Some(&*proposal.proposed),
            _ => None,
        })
        .collect();
    assert_eq!(made, ["one\n2 (mine)\n"]);
    assert_eq!(
        played.end.unwrap().summary,
        "1 added, 1 removed, changed by you"
    );
}

#[tokio::test]
async fn edit_13_a_person_who_puts_everything_back_has_nothing_written() {
    let workspace = Workspace::new(&[("a.txt", "one\n")]);
    let answer = Answer::AllowWith {
        content: "one\n".to_owned(),
    };
    let played = workspace
        .call_answered(NAME, edit("a.txt", "one", "two"), &answer)
        .await;
    assert_eq!(workspace.text("a.txt"), "one\n");
    assert!(
        !played
            .events
            .iter()
            .any(|event| matches!(event, Event::EditMade(_)))
    );
}

#[tokio::test]
async fn policy_10_always_means_all_edits_of_the_session() {
    let workspace = Workspace::new(&[("a.txt", "one\n")]);
    let always = Answer::Always {
        offer: 0,
        scope: crate::api::Scope::Session,
    };
    let played = workspace
        .call_answered(NAME, edit("a.txt", "one", "two"), &always)
        .await;
    assert_eq!(played.mode, crate::api::ApprovalMode::AutoEdit);
    let changed = Event::ModeChanged(crate::api::ApprovalMode::AutoEdit);
    assert!(played.events.contains(&changed));
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[tokio::test]
async fn policy_10_but_not_where_the_folder_is_not_trusted() {
    let mut workspace = Workspace::new(&[("a.txt", "one\n")]);
    workspace.config.gate = Arc::new(FixedGate {
        trust: pollux_policy::Trust::Untrusted,
        ..FixedGate::default()
    });
    let always = Answer::Always {
        offer: 0,
        scope: crate::api::Scope::Session,
    };
    let played = workspace
        .call_answered(NAME, edit("a.txt", "one", "two"), &always)
        .await;
    assert_eq!(played.mode, crate::api::ApprovalMode::Default);
    let told = played
        .events
        .iter()
        .any(|event| matches!(event, Event::NotRemembered { .. }));
    assert!(told);
    assert_eq!(workspace.text("a.txt"), "two\n");
}
