mod killed;
mod laws;

use std::io::Write;

use expect_test::expect;
use pollux_model::{CallId, FunctionResponse, Thought, Usage};
use serde_json::json;

use super::*;
use crate::append::Sink;
use crate::read::read_session;
use crate::record::CallStatus;
use crate::testing::*;

fn call(id: &str, status: CallStatus) -> ToolCall {
    ToolCall {
        id: Some(id.to_owned()),
        name: "read_file".to_owned(),
        status: Some(status),
        ..ToolCall::default()
    }
}

#[test]
fn a_session_is_written_as_the_twin_writes_it() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('1'), at(0));
    let parts = [Part::Text("look at a.rs\n--- a.rs ---".to_owned())];
    let prompt = Prompt {
        parts: &parts,
        typed: Some("look at @a.rs"),
        ..Prompt::default()
    };
    assert_eq!(
        recorder.prompt(at(0), &prompt).unwrap().recorded,
        Recorded::Kept
    );
    let thoughts = [Thought {
        subject: "Plan".to_owned(),
        description: "read it".to_owned(),
    }];
    let spoken = Answer {
        text: "I read it.",
        thoughts: &thoughts,
        usage: Some(Usage {
            prompt_tokens: 10,
            answer_tokens: 2,
            total_tokens: 12,
            ..Usage::default()
        }),
        model: Some("demo"),
        ..Answer::default()
    };
    assert_eq!(recorder.answer(at(1), &spoken).unwrap().id.as_str(), "m2");
    let running = recorder.tool_calls(at(2), vec![call("c1", CallStatus::Executing)]);
    assert_eq!(running.unwrap().id.as_str(), "m2");
    let mut finished = call("c1", CallStatus::Success);
    finished.result = Some(json!("text"));
    assert_eq!(
        recorder
            .tool_calls(at(3), vec![finished])
            .unwrap()
            .id
            .as_str(),
        "m2"
    );
    let response = Part::FunctionResponse(FunctionResponse {
        id: CallId::new("c1"),
        name: "read_file".to_owned(),
        response: Map::from_iter([("output".to_owned(), json!("text"))]),
    });
    assert_eq!(
        recorder
            .tool_responses(at(4), &[response])
            .unwrap()
            .id
            .as_str(),
        "m3"
    );
    let note = RecordedContent::text("cancelled");
    assert_eq!(
        recorder
            .note(at(5), NoteKind::Info, note)
            .unwrap()
            .id
            .as_str(),
        "m4"
    );
    let summary = Map::from_iter([("summary".to_owned(), json!("Reads a file"))]);
    assert_eq!(recorder.set(summary).unwrap(), Recorded::Kept);
    assert_eq!(
        recorder.rewind_to(at(6), &MessageId::new("m4")).unwrap(),
        Recorded::Kept
    );

    assert_eq!(
        sandbox.chat_names(),
        ["session-2026-01-02T03-04-11111111.jsonl"]
    );
    expect![[r#"
        {"sessionId":"11111111-0000-4000-8000-000000000000","projectHash":"HASH","startTime":"2026-01-02T03:04:05.000Z","lastUpdated":"2026-01-02T03:04:05.000Z","kind":"main"}
        {"id":"m1","timestamp":"2026-01-02T03:04:05.000Z","type":"user","content":[{"text":"look at a.rs\n--- a.rs ---"}],"displayContent":"look at @a.rs"}
        {"$set":{"lastUpdated":"2026-01-02T03:04:05.000Z"}}
        {"id":"m2","timestamp":"2026-01-02T03:04:06.000Z","type":"gemini","content":"I read it.","thoughts":[{"subject":"Plan","description":"read it","timestamp":"2026-01-02T03:04:06.000Z"}],"tokens":{"input":10,"output":2,"cached":0,"thoughts":0,"tool":0,"total":12},"model":"demo"}
        {"$set":{"lastUpdated":"2026-01-02T03:04:06.000Z"}}
        {"id":"m2","timestamp":"2026-01-02T03:04:06.000Z","type":"gemini","content":"I read it.","toolCalls":[{"id":"c1","name":"read_file","args":{},"status":"executing"}],"thoughts":[{"subject":"Plan","description":"read it","timestamp":"2026-01-02T03:04:06.000Z"}],"tokens":{"input":10,"output":2,"cached":0,"thoughts":0,"tool":0,"total":12},"model":"demo"}
        {"$set":{"lastUpdated":"2026-01-02T03:04:07.000Z"}}
        {"id":"m2","timestamp":"2026-01-02T03:04:06.000Z","type":"gemini","content":"I read it.","toolCalls":[{"id":"c1","name":"read_file","args":{},"result":"text","status":"success"}],"thoughts":[{"subject":"Plan","description":"read it","timestamp":"2026-01-02T03:04:06.000Z"}],"tokens":{"input":10,"output":2,"cached":0,"thoughts":0,"tool":0,"total":12},"model":"demo"}
        {"$set":{"lastUpdated":"2026-01-02T03:04:08.000Z"}}
        {"id":"m3","timestamp":"2026-01-02T03:04:09.000Z","type":"user","content":[{"functionResponse":{"id":"c1","name":"read_file","response":{"output":"text"}}}]}
        {"$set":{"lastUpdated":"2026-01-02T03:04:09.000Z"}}
        {"id":"m4","timestamp":"2026-01-02T03:04:10.000Z","type":"info","content":"cancelled"}
        {"$set":{"lastUpdated":"2026-01-02T03:04:10.000Z"}}
        {"$set":{"summary":"Reads a file"}}
        {"$rewindTo":"m4"}
        {"$set":{"lastUpdated":"2026-01-02T03:04:11.000Z"}}
    "#]]
    .assert_eq(
        &std::fs::read_to_string(recorder.path())
            .unwrap()
            .replace(&sandbox.project.hash(), "HASH"),
    );
    assert_eq!(
        sandbox.project.hash(),
        "7e089bbe92cf12756f4e8a570996822b02d48ddb77ffad4a054ce6fd73825652"
    );
}

#[test]
fn tool_calls_without_an_answer_start_an_empty_message() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('1'), at(0));
    say(&mut recorder, at(0), "go");
    assert_eq!(
        recorder
            .tool_calls(at(1), vec![call("c1", CallStatus::Scheduled)])
            .unwrap()
            .id
            .as_str(),
        "m2"
    );
    let read = read_session(recorder.path()).unwrap();
    assert_eq!(read.messages[1].kind, MessageKind::Gemini);
    assert_eq!(read.messages[1].content, RecordedContent::text(""));
}

#[test]
fn no_file_is_made_before_there_is_something_to_come_back_to() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('1'), at(0));
    say(&mut recorder, at(0), "/help");
    let note = RecordedContent::text("welcome");
    assert_eq!(
        recorder
            .note(at(0), NoteKind::Warning, note)
            .unwrap()
            .recorded,
        Recorded::Kept
    );
    assert!(!sandbox.has("chats"));
    say(&mut recorder, at(1), "hello");
    assert_eq!(read_session(recorder.path()).unwrap().messages.len(), 3);
}

#[test]
fn what_is_held_has_a_limit() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('1'), at(0));
    say(
        &mut recorder,
        at(0),
        &format!("/bug {}", "x".repeat(HELD_LIMIT)),
    );
    assert!(sandbox.has("chats"));
    assert!(recorder.held.is_empty());
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_what_was_said() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::new();
    let path = sandbox.session(id('1'), at(0), "hello");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&sandbox.project.chats()), 0o700);
}

#[test]
fn an_id_that_is_recorded_already_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.session(id('1'), at(0), "hello");
    for started in [at(0), at(3_600)] {
        let again = Recorder::start(&sandbox.project, &new_session(id('1'), started), counted());
        assert!(matches!(again, Err(SessionError::AlreadyExists { .. })));
    }
    let nameless = new_session(SessionId::new(".."), at(0));
    let refused = Recorder::start(&sandbox.project, &nameless, counted());
    assert!(matches!(refused, Err(SessionError::UnsuitableId { .. })));
}

#[test]
fn a_subagent_is_recorded_below_its_parent() {
    let sandbox = Sandbox::new();
    let session = NewSession {
        place: Place::SubagentOf(id('1')),
        directories: vec!["/no-such/lib".into()],
        ..new_session(SessionId::new("agent/7"), at(0))
    };
    let mut recorder = Recorder::start(&sandbox.project, &session, counted()).unwrap();
    say(&mut recorder, at(0), "hello");
    assert!(sandbox.has(&format!("chats/{}/agent_7.jsonl", id('1'))));
    let metadata = read_session(recorder.path()).unwrap().metadata;
    assert_eq!(metadata.kind(), crate::record::SessionKind::Subagent);
    assert_eq!(metadata.directories().collect::<Vec<_>>(), ["/no-such/lib"]);
}

#[test]
fn a_second_writer_of_one_file_is_refused() {
    let sandbox = Sandbox::new();
    let mut first = sandbox.recorder(id('1'), at(0));
    say(&mut first, at(0), "hello");
    let path = first.path().to_path_buf();
    let refused = Recorder::resume(&path, at(1), counted()).map(|_| ());
    assert!(matches!(refused, Err(SessionError::InUse { .. })));
    drop(first);
    assert!(Recorder::resume(&path, at(1), counted()).is_ok());
}

#[cfg(unix)]
#[test]
fn a_file_that_was_deleted_under_the_recorder_is_announced_and_can_be_restored() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('1'), at(0));
    say(&mut recorder, at(0), "hello");
    let path = recorder.path().to_path_buf();
    let known = read_session(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let lost = recorder.answer(at(1), &Answer::default());
    assert!(matches!(lost, Err(SessionError::Vanished { .. })));
    drop(recorder);

    let mut restored = Recorder::restore(&path, &known, at(2), counted()).unwrap();
    answer(&mut restored, at(2), "hi");
    assert_eq!(
        read_session(&path).unwrap().messages.len(),
        1,
        "ids are counted anew"
    );
}

#[test]
fn an_unreadable_file_is_kept_aside_and_written_again() {
    let sandbox = Sandbox::new();
    let path = sandbox.session(id('1'), at(0), "hello");
    let known = read_session(&path).unwrap();
    std::fs::write(&path, "rubbish").unwrap();
    drop(Recorder::restore(&path, &known, at(0), counted()).unwrap());
    assert_eq!(read_session(&path).unwrap(), known);
    let aside = format!(
        "chats/session-2026-01-02T03-04-11111111.jsonl.unreadable-{}",
        1_767_323_045_000_u64
    );
    assert!(sandbox.has(&aside), "{:?}", sandbox.chat_names());
}

#[test]
fn after_a_torn_record_the_next_one_starts_on_a_fresh_line() {
    let sandbox = Sandbox::new();
    let path = sandbox.session(id('1'), at(0), "hello");
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    file.write_all(b"{\"id\":\"torn\",\"content\":\"caf\xc3")
        .unwrap();
    drop(file);
    let ids = Box::new(crate::id::RandomIds);
    let (mut recorder, before) = Recorder::resume(&path, at(1), ids).unwrap();
    assert_eq!(before.unreadable_lines, 1);
    say(&mut recorder, at(1), "again");
    let after = read_session(&path).unwrap();
    assert_eq!(after.unreadable_lines, 1);
    assert_eq!(after.messages.len(), 3);
}

/// Takes so many bytes, then fails like a disk.
struct Disk {
    room: usize,
    failure: ErrorKind,
    written: std::sync::Arc<std::sync::Mutex<Vec<u8>>>,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            self.room = usize::MAX;
            return Err(self.failure.into());
        }
        let count = bytes.len().min(self.room);
        self.room -= count;
        self.written
            .lock()
            .unwrap()
            .extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Disk {
    fn is_deleted(&self) -> bool {
        false
    }
}

fn recorder_on(
    sandbox: &Sandbox,
    failure: ErrorKind,
) -> (Recorder, std::sync::Arc<std::sync::Mutex<Vec<u8>>>) {
    let mut recorder = sandbox.recorder(id('1'), at(0));
    let written = std::sync::Arc::default();
    let disk = Disk {
        room: 30,
        failure,
        written: std::sync::Arc::clone(&written),
    };
    recorder.output = Output::File(Appender::to_sink(Box::new(disk), &recorder.path));
    (recorder, written)
}

#[test]
fn a_full_disk_switches_recording_off_and_says_so_once() {
    let sandbox = Sandbox::new();
    let (mut recorder, _) = recorder_on(&sandbox, ErrorKind::StorageFull);
    let spoken = Answer::default();
    assert_eq!(
        recorder.answer(at(0), &spoken).unwrap().recorded,
        Recorded::SwitchedOff
    );
    assert_eq!(
        recorder.answer(at(1), &spoken).unwrap().recorded,
        Recorded::Off
    );
}

#[test]
fn another_error_is_returned_and_the_record_is_written_with_the_next() {
    let sandbox = Sandbox::new();
    let (mut recorder, written) = recorder_on(&sandbox, ErrorKind::PermissionDenied);
    let failed = recorder.answer(at(0), &Answer::default());
    assert!(matches!(failed, Err(SessionError::Io { .. })));
    answer(&mut recorder, at(1), "again");
    let read = crate::read::read_stream(written.lock().unwrap().as_slice()).unwrap();
    assert_eq!((read.messages.len(), read.unreadable_lines), (2, 1));
    assert!(read.metadata.is_complete());
}

#[test]
fn a_recorder_can_be_given_to_a_thread() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('1'), at(0));
    let path = recorder.path().to_path_buf();
    std::thread::spawn(move || drop(say(&mut recorder, at(0), "hello")))
        .join()
        .unwrap();
    assert_eq!(read_session(&path).unwrap().messages.len(), 1);
}

#[test]
fn an_answer_and_a_compressed_history_come_back_with_their_signatures() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('1'), at(0));
    let signed = |text: &str| {
        Part::SignedText(pollux_model::SignedText {
            text: text.to_owned(),
            signature: "sig".to_owned(),
        })
    };
    let said = [Part::Text("So it is.".to_owned()), signed("")];
    let answer = Answer {
        text: "So it is.",
        said: &said,
        ..Answer::default()
    };
    assert_eq!(
        recorder.answer(at(1), &answer).unwrap().recorded,
        Recorded::Kept
    );
    let read = read_session(recorder.path()).unwrap();
    assert_eq!(crate::history_of(&read.messages)[0].parts, said);
    let history = [pollux_model::Content {
        role: pollux_model::Role::User,
        parts: vec![signed("summary")],
    }];
    let messages = crate::messages_of(&history, at(2), &mut crate::RandomIds);
    assert_eq!(
        recorder.replace_messages(at(2), &messages).unwrap(),
        Recorded::Kept
    );
    let read = read_session(recorder.path()).unwrap();
    assert_eq!(crate::history_of(&read.messages), history);
}
