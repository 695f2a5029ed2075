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
    let (opened, _goes_on, _said) = session(writes(full));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut output = Text::new(&mut out, &mut err);
    let ending = tell(opened, "write it", &mut output).await.unwrap();
    assert_eq!(exit::code(&ending, OutputFormat::Text), ExitCode::from(54));
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
    let (opened, _goes_on, _said) = session(events);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut output = Text::new(&mut out, &mut err);
    let ending = tell(opened, "write it", &mut output).await.unwrap();
    assert_eq!(exit::code(&ending, OutputFormat::Text), ExitCode::SUCCESS);
}
