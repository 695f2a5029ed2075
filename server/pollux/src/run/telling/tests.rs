use std::process::ExitCode;
use std::sync::Arc;

use pollux_agent::SessionHandle;
use pollux_agent::api::{CallId, FunctionCall, TurnId};
use serde_json::Map;
use tokio::sync::mpsc;

use super::*;
use crate::run::OutputFormat;
use crate::run::exit;
use crate::run::output::Text;

/// A session that says nothing but this, and goes on.
fn session(events: Vec<Event>) -> (OpenedSession, mpsc::Sender<Event>, mpsc::Receiver<Op>) {
    let (ops, said) = mpsc::channel(4);
    let (tell, heard) = mpsc::channel(16);
    for event in events {
        tell.try_send(event).unwrap();
    }
    let opened = OpenedSession {
        id: "session-1".into(),
        model: "gemini-x".to_owned(),
        handle: SessionHandle::of(ops),
        events: heard,
        terminals: Arc::default(),
        decided: mpsc::unbounded_channel().1,
        past: Vec::new(),
        in_use: Arc::new(|| false),
    };
    (opened, tell, said)
}

fn writes(outcome: ToolOutcome) -> Vec<Event> {
    let call = FunctionCall {
        id: CallId::new("1"),
        name: "write_file".to_owned(),
        args: Map::new(),
        signature: None,
    };
    let started = Event::TurnStarted {
        turn: TurnId(1),
        prompt: "write it".to_owned(),
        model: "gemini-x".to_owned(),
        attachments: Arc::default(),
    };
    let ended = Event::ToolEnded {
        call: call.id.clone(),
        outcome,
        report: Arc::default(),
    };
    let title = "Write a.rs".to_owned();
    vec![
        started,
        Event::ToolStarted {
            call,
            title,
            parent: None,
        },
        ended,
    ]
}

#[tokio::test]
async fn a_disk_without_space_ends_the_run_with_its_code_and_says_so() {
    let full = ToolOutcome::Failed {
        error_type: "no_space_left",
        message: "the file cannot be written: No space left on device".to_owned(),
    };
    let (opened, goes_on, _said) = session(writes(full));
    drop(goes_on);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut output = Text::new(&mut out, &mut err);
    let end = tell(opened, "write it", &mut output).await.unwrap();
    assert_eq!(exit::of_run(&end, OutputFormat::Text), ExitCode::from(54));
    let said = String::from_utf8(err).unwrap();
    assert!(
        said.contains("[ERROR] the file cannot be written: No space left"),
        "{said}"
    );
}

#[tokio::test]
async fn a_tool_that_fails_otherwise_does_not_end_the_run() {
    let failed = ToolOutcome::Failed {
        error_type: "permission_denied",
        message: "the file cannot be written".to_owned(),
    };
    let mut events = writes(failed);
    events.push(Event::TurnEnded {
        turn: TurnId(1),
        outcome: TurnOutcome::Completed,
    });
    let (opened, goes_on, _said) = session(events);
    drop(goes_on);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut output = Text::new(&mut out, &mut err);
    let end = tell(opened, "write it", &mut output).await.unwrap();
    assert_eq!(exit::of_run(&end, OutputFormat::Text), ExitCode::SUCCESS);
}

#[tokio::test]
async fn a_run_that_could_not_be_recorded_says_so_and_ends_with_the_code_of_the_reason() {
    use std::io::ErrorKind;

    for (kind, code) in [
        (ErrorKind::StorageFull, 54),
        (ErrorKind::ReadOnlyFilesystem, 52),
    ] {
        let ended = Event::TurnEnded {
            turn: TurnId(1),
            outcome: TurnOutcome::Completed,
        };
        // The thread that writes is later than the turn.
        let stopped = Event::RecordingStopped {
            reason: "it cannot be written".to_owned(),
            error: Some(kind),
        };
        let done = ToolOutcome::Succeeded {
            summary: String::new(),
        };
        let mut events = writes(done);
        events.extend([ended, stopped]);
        let (opened, goes_on, _said) = session(events);
        drop(goes_on);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut output = Text::new(&mut out, &mut err);
        let end = tell(opened, "write it", &mut output).await.unwrap();
        assert_eq!(exit::of_run(&end, OutputFormat::Text), ExitCode::from(code));
        let said = String::from_utf8(err).unwrap();
        assert!(
            said.contains("not recorded: it cannot be written"),
            "{said}"
        );
    }
}
