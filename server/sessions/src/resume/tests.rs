use serde_json::json;

use super::*;
use crate::history::history_of;
use crate::id::RandomIds;
use crate::read::read_session;
use crate::testing::*;

fn random() -> Box<dyn IdSource> {
    Box::new(RandomIds)
}

fn resume(sandbox: &Sandbox, text: &str) -> Result<Resumed, SessionError> {
    resume_session(&sandbox.project, &SessionRef::parse(text), at(9), random())
}

fn three() -> Sandbox {
    let sandbox = Sandbox::new();
    for (letter, started) in [('c', 120), ('a', 0), ('b', 60)] {
        sandbox.session(id(letter), at(started), "hello");
    }
    sandbox
}

#[test]
fn sessions_are_found_by_number_by_id_and_as_the_latest() {
    let sandbox = three();
    for (text, found) in [
        ("2", id('b')),
        ("latest", id('c')),
        ("", id('c')),
        (id('a').as_str(), id('a')),
    ] {
        assert_eq!(
            resume(&sandbox, text).unwrap().recorder.session_id(),
            &found
        );
    }
    for text in ["02", "0", "4", "-1", "nonsense"] {
        let error = resume(&sandbox, text).map(|_| ()).unwrap_err();
        assert!(matches!(&error, SessionError::NotFound { reference, .. } if reference == text));
        assert!(error.to_string().contains("--list-sessions"));
    }
}

#[test]
fn without_sessions_the_latest_differs_from_one_that_is_not_there() {
    let sandbox = Sandbox::new();
    let latest = resume(&sandbox, "latest").map(|_| ());
    assert!(matches!(latest, Err(SessionError::NoSessions)));
    let first = resume(&sandbox, "1").map(|_| ());
    assert!(matches!(first, Err(SessionError::NotFound { .. })));
}

#[test]
fn a_session_goes_on_in_its_file_and_looking_changes_nothing() {
    let sandbox = three();
    let path = find_session(&sandbox.project, &SessionRef::Latest)
        .unwrap()
        .path;
    let before = std::fs::read_to_string(&path).unwrap();
    let mut resumed = resume(&sandbox, "latest").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    say(&mut resumed.recorder, at(200), "more");
    let after = std::fs::read_to_string(&path).unwrap();
    let added: Vec<&str> = after.strip_prefix(&before).unwrap().lines().collect();
    assert_eq!(added.len(), 3);
    assert_eq!(
        added[0],
        json!({"$set": {"sessionId": id('c')}}).to_string()
    );
    assert_eq!(read_session(&path).unwrap().messages.len(), 3);
    assert_eq!(sandbox.chat_names().len(), 3);
}

#[test]
fn a_document_of_an_older_twin_goes_on_beside_itself_and_is_listed_once() {
    let sandbox = Sandbox::new();
    let document = json!({"sessionId": id('a'), "projectHash": "h",
        "startTime": "2026-01-01T00:00:00.000Z", "lastUpdated": "2026-01-01T00:00:00.000Z",
        "memoryScratchpad": {"version": 1}, "later": true, "id": "looks like a message",
        "messages": [{"id": "m1", "type": "user", "content": "hello", "later": 1}]});
    let text = serde_json::to_string_pretty(&document).unwrap();
    let old = sandbox.write("chats/session-2026-01-01T00-00-aaaaaaaa.json", &text);
    let mut resumed = resume(&sandbox, "1").unwrap();
    say(&mut resumed.recorder, at(0), "more");
    assert_eq!(std::fs::read_to_string(old).unwrap(), text);
    let new = sandbox
        .project
        .chats()
        .join("session-2026-01-01T00-00-aaaaaaaa.jsonl");
    assert_eq!(resumed.recorder.path(), new);
    let read = read_session(&new).unwrap();
    assert_eq!(read.messages.len(), 2);
    assert_eq!(read.messages[0], resumed.conversation.messages[0]);
    assert_eq!(read.metadata.as_map()["later"], json!(true));
    assert_eq!(read.metadata.as_map()["id"], json!("looks like a message"));
    assert_eq!(
        read.metadata.memory_scratchpad(),
        Some(&json!({"version": 1}))
    );
    drop(resumed);
    let listing = list_sessions(&sandbox.project, None).unwrap();
    assert_eq!(listing.sessions.len(), 1);
    assert_eq!(listing.sessions[0].path, new);
}

#[test]
fn an_older_document_that_knows_more_does_not_replace_a_newer_file() {
    let sandbox = Sandbox::new();
    let document = |text: &str, day: u8| {
        json!({"sessionId": id('a'), "projectHash": "h", "startTime": "2026-01-01T00:00:00.000Z",
            "lastUpdated": format!("2026-01-{day:02}T00:00:00.000Z"),
            "messages": [{"id": "m", "type": "user", "content": text}]})
        .to_string()
    };
    let newer = sandbox.write("chats/session-1-aaaaaaaa.jsonl", &document("old", 1));
    sandbox.write("chats/session-1-aaaaaaaa.json", &document("new", 2));
    let resumed = resume(&sandbox, "1").unwrap();
    assert_ne!(resumed.recorder.path(), newer);
    assert_eq!(std::fs::read_to_string(newer).unwrap(), document("old", 1));
    assert_eq!(
        list_sessions(&sandbox.project, None)
            .unwrap()
            .sessions
            .len(),
        1
    );
}

/// As the twin writes it, made from the facts about its format.
const TWIN: &str = include_str!("fixtures/twin.jsonl");

#[test]
fn a_session_of_the_twin_resumes_with_one_answer_per_call() {
    let sandbox = Sandbox::new();
    sandbox.write("chats/session-2026-01-02T03-04-1234abcd.jsonl", TWIN);
    let mut resumed = resume(&sandbox, "latest").unwrap();
    let history = history_of(&resumed.conversation.messages);
    let turns: Vec<usize> = history.iter().map(|content| content.parts.len()).collect();
    assert_eq!(turns, [1, 3, 1, 1], "{history:#?}");
    assert_eq!(resumed.conversation.unreadable_lines, 1);
    let info = find_session(&sandbox.project, &SessionRef::Latest).unwrap();
    assert_eq!(info.title, "Explains the main function");
    say(&mut resumed.recorder, at(0), "go on");
    let written = std::fs::read_to_string(resumed.recorder.path()).unwrap();
    assert!(written.starts_with(TWIN));
}
