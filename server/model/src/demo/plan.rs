//! What the demo says next: look at the files, propose the edits that fit, sum up what was kept.

use serde_json::json;

use super::script::{EDITS, Edit, FILES};
use super::turn::{Answer, Turn, argument};
use crate::{ModelError, Request, StreamEvent, Thought};

const READ: &str = "read_file";
const EDIT: &str = "replace";

const INTRODUCTION: &str = "This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The \
     tools it calls, the edits it proposes and your decisions about them are real.\n\n";

/// The whole answer to a request.
pub(super) fn answer(request: &Request) -> Result<Vec<StreamEvent>, ModelError> {
    let turn = Turn::of(request).ok_or(ModelError::NoPrompt)?;
    let missing = [READ, EDIT]
        .into_iter()
        .find(|name| request.tools.iter().all(|tool| tool.name != *name));
    Ok(if let Some(name) = missing {
        vec![said(format!(
            "{INTRODUCTION}It needs the tool `{name}`, which this session does not offer, so it stops here.\n"
        ))]
    } else if turn.answered(READ).next().is_none() {
        look(turn)
    } else if turn.answered(EDIT).next().is_none() {
        propose(turn)
    } else {
        sum_up(&turn)
    })
}

fn look(mut turn: Turn<'_>) -> Vec<StreamEvent> {
    let mut events = vec![said(format!("{INTRODUCTION}First it reads the program.\n"))];
    for file in FILES {
        let call = turn.call(READ, json!({ "file_path": file }));
        events.push(StreamEvent::FunctionCall(call));
    }
    events
}

fn propose(mut turn: Turn<'_>) -> Vec<StreamEvent> {
    let mut faults = String::new();
    let mut obstacles = String::new();
    let mut calls = Vec::new();
    for edit in &EDITS {
        match obstacle(&turn, edit) {
            None => {
                push_item(&mut faults, edit.file, edit.fault);
                calls.push(StreamEvent::FunctionCall(turn.call(
                    EDIT,
                    json!({
                        "file_path": edit.file,
                        "instruction": edit.instruction,
                        "old_string": edit.old,
                        "new_string": edit.new,
                    }),
                )));
            }
            Some(reason) => push_item(&mut obstacles, edit.file, &reason),
        }
    }
    let mut events = Vec::new();
    if calls.is_empty() {
        events.push(said(format!(
            "The demo knows only its own sample program, and this is not it, or it is already fixed:\n\n\
             {obstacles}\nNothing was proposed.\n"
        )));
        return events;
    }
    events.push(StreamEvent::Thought(Thought {
        subject: "Comparing the code with the README".to_owned(),
        description: "Attempts, pauses, parts and the exit status are each promised there."
            .to_owned(),
    }));
    let mut text = format!("The program does not do what its README says:\n\n{faults}\n");
    if !obstacles.is_empty() {
        text += &format!("Some edits of the script do not fit:\n\n{obstacles}\n");
    }
    text += "One edit for each follows. Nothing is written before you keep it.\n";
    events.push(said(text));
    events.extend(calls);
    events
}

/// Why an edit cannot be proposed, judged by what `read_file` returned.
fn obstacle(turn: &Turn<'_>, edit: &Edit) -> Option<String> {
    let read = turn
        .answered(READ)
        .find(|(call, _)| argument(call, "file_path") == edit.file);
    match read.map(|(_, answer)| answer.output()) {
        None => Some("it was not read".to_owned()),
        Some(Err(error)) => Some(error.to_owned()),
        Some(Ok(text)) => match text.matches(edit.old).count() {
            1 => None,
            0 => Some(format!(
                "the text to change is not there ({})",
                edit.instruction
            )),
            more => Some(format!(
                "the text to change is there {more} times ({})",
                edit.instruction
            )),
        },
    }
}

fn sum_up(turn: &Turn<'_>) -> Vec<StreamEvent> {
    let mut items = String::new();
    let (mut kept, mut offered, mut whole) = (0, 0, 0);
    let proposed = turn.answered(EDIT).count();
    for (call, answer) in turn.answered(EDIT) {
        let file = argument(call, "file_path");
        let edit = EDITS
            .iter()
            .find(|edit| edit.file == file && edit.old == argument(call, "old_string"));
        let Some(edit) = edit else { continue };
        let outcome = Outcome::of(answer);
        push_item(&mut items, file, &outcome.told(edit));
        match outcome {
            Outcome::Whole { hunks } => {
                kept += hunks;
                offered += hunks;
                whole += 1;
            }
            Outcome::Part {
                kept: some,
                hunks: all,
            } => {
                kept += some;
                offered += all;
            }
            Outcome::Failed { .. } => {}
        }
    }
    // The sample has a test for each edit; about any other program the demo knows nothing.
    let tests = match (proposed == EDITS.len(), whole == EDITS.len()) {
        (true, true) => {
            "\nWith all of it in place, `cargo test` passes. The demo does not run it for you.\n"
        }
        (true, false) => "\nUntil every edit is in, `cargo test` fails.\n",
        (false, _) => "",
    };
    vec![said(format!(
        "**{kept} of {offered} hunks kept.**\n\n{items}{tests}"
    ))]
}

/// What became of one proposed edit, as its tool result tells it.
enum Outcome<'request> {
    Whole { hunks: usize },
    Part { kept: usize, hunks: usize },
    Failed { error: &'request str },
}

impl<'request> Outcome<'request> {
    fn of(answer: Answer<'request>) -> Self {
        let kept = answer.count("accepted");
        let hunks = kept + answer.count("rejected");
        match answer.output() {
            Err(error) => Self::Failed { error },
            Ok(_) if kept == hunks => Self::Whole { hunks },
            Ok(_) => Self::Part { kept, hunks },
        }
    }

    fn told(&self, edit: &Edit) -> String {
        match self {
            Self::Whole { .. } => edit.fixed.to_owned(),
            Self::Part { kept: 0, .. } => format!("rejected, so {}", edit.fault),
            Self::Part { kept, hunks } => {
                format!("{kept} of {hunks} hunks kept, so this is fixed only in part")
            }
            Self::Failed { error } => {
                // What follows is advice on how to call the tool.
                let (reason, _) = error.split_once(';').unwrap_or((error, ""));
                format!("not changed: {reason}")
            }
        }
    }
}

/// Adds a line, unless it says the same as the one before it.
fn push_item(list: &mut String, file: &str, text: &str) {
    let item = format!("- `{file}`: {text}.\n");
    if !list.ends_with(&item) {
        list.push_str(&item);
    }
}

fn said(text: String) -> StreamEvent {
    StreamEvent::Text(text)
}
