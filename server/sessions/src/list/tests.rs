use expect_test::expect;
use serde_json::json;

use super::*;
use crate::testing::*;

fn titles(sandbox: &Sandbox) -> Vec<String> {
    let listing = list_sessions(&sandbox.project, None).unwrap();
    listing
        .sessions
        .into_iter()
        .map(|info| info.title)
        .collect()
}

#[test]
fn a_project_without_sessions_says_so() {
    let sandbox = Sandbox::new();
    let listing = list_sessions(&sandbox.project, None).unwrap();
    assert_eq!(
        session_list_text(&listing.sessions, at(0)),
        "No previous sessions found for this project.\n"
    );
}

#[test]
fn sessions_are_numbered_by_their_start() {
    let sandbox = Sandbox::new();
    sandbox.session(id('b'), at(7_200), "second");
    sandbox.session(id('a'), at(0), &format!("first {}", "x".repeat(200)));
    sandbox.session(id('c'), at(90_000), "<hook_context>is skipped");
    let mut third = sandbox.recorder(id('d'), at(100_000));
    say(&mut third, at(100_000), "/help");
    say(&mut third, at(100_000), "third");
    let listing = list_sessions(&sandbox.project, Some(&id('d'))).unwrap();
    expect![[r#"

        Available sessions for this project (4):
          1. first xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... (1 day ago) [aaaaaaaa-0000-4000-8000-000000000000]
          2. second (1 day ago) [bbbbbbbb-0000-4000-8000-000000000000]
          3. <hook_context>is skipped (2 hours ago) [cccccccc-0000-4000-8000-000000000000]
          4. third (Just now, current) [dddddddd-0000-4000-8000-000000000000]
    "#]]
    .assert_eq(&session_list_text(&listing.sessions, at(100_010)));
}

#[test]
fn what_cannot_be_resumed_is_left_out_with_the_reason() {
    let sandbox = Sandbox::new();
    sandbox.session(id('a'), at(0), "hello");
    let meta =
        |kind: &str| json!({"sessionId": kind, "projectHash": "h", "kind": kind}).to_string();
    let help = r#"{"id":"m","type":"user","content":"/help"}"#;
    let hello = r#"{"id":"m","type":"user","content":"hello"}"#;
    sandbox.write(
        "chats/session-1-x.jsonl",
        &format!("{}\n{help}", meta("main")),
    );
    sandbox.write(
        "chats/session-2-x.jsonl",
        &format!("{}\n{hello}", meta("subagent")),
    );
    sandbox.write("chats/session-3-x.jsonl", "rubbish");
    sandbox.write("chats/notes.jsonl", hello);
    let listing = list_sessions(&sandbox.project, None).unwrap();
    assert_eq!(listing.sessions.len(), 1);
    let reasons: Vec<_> = listing.left_out.iter().map(|left| &left.reason).collect();
    assert!(
        matches!(
            reasons[..],
            [
                LeftOutReason::NothingToResume,
                LeftOutReason::Subagent,
                LeftOutReason::Corrupt
            ]
        ),
        "{reasons:?}"
    );
}

#[test]
fn a_summary_is_the_title_and_cannot_steer_a_terminal() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('a'), at(0));
    say(&mut recorder, at(0), "hello");
    let fields = serde_json::Map::from_iter([("summary".to_owned(), json!("Says\u{1b}[2J hello"))]);
    assert_eq!(recorder.set(fields).unwrap(), crate::Recorded::Kept);
    assert_eq!(titles(&sandbox), ["Says[2J hello"]);
}

#[test]
fn of_two_files_of_one_session_the_newest_is_listed() {
    let sandbox = Sandbox::new();
    let document = |text: &str, day: u8| {
        json!({"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T00:00:00.000Z",
            "lastUpdated": format!("2026-01-{day:02}T00:00:00.000Z"),
            "messages": [{"id": "m", "type": "user", "content": text}]})
        .to_string()
    };
    sandbox.write("chats/session-1-s.jsonl", &document("old", 2));
    sandbox.write("chats/session-1-s.json", &document("new", 3));
    assert_eq!(titles(&sandbox), ["new"]);
    sandbox.write("chats/session-1-s.jsonl", &document("as new", 3));
    assert_eq!(titles(&sandbox), ["as new"]);
}

#[test]
fn what_the_program_put_in_front_is_no_title() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('a'), at(0));
    say(&mut recorder, at(0), "<session_context>\nToday is Friday.");
    say(&mut recorder, at(0), "what is\n  new?");
    assert_eq!(titles(&sandbox), ["what is new?"]);
}
