//! What the demo says next: look at the files, propose the edits that fit, sum up what was kept. Or, when that
//! is what the person asks for, say something about the selection.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::editor::{Editor, Selection};
use super::outcome::{Outcome, Total};
use super::script::{CHECK, COMMAND, EDITS, Edit, FILES, STEPS};
use super::selection;
use super::turn::{Turn, argument};
use crate::{ModelError, Request, StreamEvent, Thought};

const READ: &str = "read_file";
const EDIT: &str = "replace";
const SHELL: &str = "run_shell_command";
const TODOS: &str = "write_todos";
/// Offered where somebody is there to answer.
const ASK: &str = "ask_user";

const INTRODUCTION: &str = "This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The \
     tools it calls, the edits it proposes and your decisions about them are real.\n\n";

/// Whether the demo can run its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shell {
    Offered,
    Missing,
}

/// The whole answer to a request.
pub(super) fn answer(request: &Request) -> Result<Vec<StreamEvent>, ModelError> {
    let mut turn = Turn::of(request).ok_or(ModelError::NoPrompt)?;
    let offers = |name: &str| request.tools.iter().any(|tool| tool.name == name);
    let editor = Editor::of(turn.so_far);
    let asked_about = editor.selection.as_ref();
    if let Some(selection) = asked_about.filter(|_| selection::is_meant(turn.prompt)) {
        let file = editor.file.as_deref().filter(|_| offers(READ));
        return Ok(explain(turn, selection, file));
    }
    let missing = [READ, EDIT].into_iter().find(|name| !offers(name));
    Ok(if let Some(name) = missing {
        vec![said(format!(
            "{INTRODUCTION}It needs the tool `{name}`, which this session does not offer, so it stops here.\n"
        ))]
    } else if turn.answered(READ).next().is_none() {
        let shell = match offers(SHELL) {
            true => Shell::Offered,
            false => Shell::Missing,
        };
        look(turn, editor.file.as_deref(), shell)
    } else if turn.answered(EDIT).next().is_none() {
        propose(turn)
    } else if [TODOS, SHELL, ASK].into_iter().all(offers) && !has_checked(&turn) {
        check(turn)
    } else if turn.answered(TODOS).next().is_some() && !has_finished(&turn) {
        vec![steps(&mut turn, STEPS.len())]
    } else {
        sum_up(&turn)
    })
}

/// The list of steps, so many of them done.
fn steps(turn: &mut Turn<'_>, done: usize) -> StreamEvent {
    let step = |(place, description): (usize, &&str)| {
        let status = match place.cmp(&done) {
            Ordering::Less => "completed",
            Ordering::Equal => "in_progress",
            Ordering::Greater => "pending",
        };
        json!({ "description": description, "status": status })
    };
    let todos: Vec<Value> = STEPS.iter().enumerate().map(step).collect();
    StreamEvent::FunctionCall(turn.call(TODOS, json!({ "todos": todos })))
}

fn has_finished(turn: &Turn<'_>) -> bool {
    let is_done = |todo: &Value| todo.get("status").and_then(Value::as_str) == Some("completed");
    turn.answered(TODOS).any(|(call, _)| {
        let todos = call.args.get("todos").and_then(Value::as_array);
        todos.is_some_and(|todos| todos.iter().all(is_done))
    })
}

fn has_checked(turn: &Turn<'_>) -> bool {
    turn.answered(SHELL)
        .any(|(call, _)| argument(call, "command") == CHECK)
}

/// Runs something harmless that nobody has allowed yet, so that the person sees how they are asked. The list comes
/// with it and not before the edits: where the rules want somebody to be asked about lists, no edit waits for that.
fn check(mut turn: Turn<'_>) -> Vec<StreamEvent> {
    let told = "The edits are decided. Next comes a search for lines that are too long: a command that no rule \
                allows, so you are asked.\n";
    let args = json!({ "command": CHECK, "description": "Find lines of more than 100 characters" });
    vec![
        said(told.to_owned()),
        steps(&mut turn, STEPS.len() - 1),
        StreamEvent::FunctionCall(turn.call(SHELL, args)),
    ]
}

/// Says something about the selection, after a look at the file it is in.
fn explain(mut turn: Turn<'_>, selection: &Selection, file: Option<&str>) -> Vec<StreamEvent> {
    let read = turn.answered(READ).next();
    match (read, file) {
        (Some((_, answer)), _) => {
            let text = answer.output().ok();
            vec![said(selection::described(selection, text))]
        }
        (None, None) => {
            let told = selection::described(selection, None);
            vec![said(format!("{INTRODUCTION}{told}"))]
        }
        (None, Some(file)) => vec![
            said(format!(
                "{INTRODUCTION}First it reads the file that the selection is in.\n"
            )),
            StreamEvent::FunctionCall(turn.call(READ, json!({ "file_path": file }))),
        ],
    }
}

/// Reads the program, and what the person has before them; counts lines where there is a shell.
fn look(mut turn: Turn<'_>, active: Option<&str>, shell: Shell) -> Vec<StreamEvent> {
    let mut files: Vec<&str> = active.into_iter().collect();
    files.extend(FILES.iter().filter(|file| active != Some(file)));
    let first = match active {
        None => "First it reads the program.".to_owned(),
        Some(open) if FILES.contains(&open) => {
            format!("First it reads the program, beginning with `{open}`, which you have open.")
        }
        Some(open) => {
            format!(
                "First it reads `{open}`, which you have open, and then the program that it knows."
            )
        }
    };
    let mut events = vec![said(format!("{INTRODUCTION}{first}\n"))];
    for file in files {
        let call = turn.call(READ, json!({ "file_path": file }));
        events.push(StreamEvent::FunctionCall(call));
    }
    if shell == Shell::Offered {
        let args = json!({ "command": COMMAND, "description": "Count the lines" });
        events.push(StreamEvent::FunctionCall(turn.call(SHELL, args)));
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
    text += "One edit for each follows. Nothing is written before you keep it, unless this session edits \
             without asking.\n";
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
    let mut total = Total::default();
    let proposed = turn.answered(EDIT).count();
    for (call, answer) in turn.answered(EDIT) {
        let file = argument(call, "file_path");
        let edit = EDITS
            .iter()
            .find(|edit| edit.file == file && edit.old == argument(call, "old_string"));
        let Some(edit) = edit else { continue };
        let outcome = Outcome::of(answer);
        push_item(&mut items, file, &outcome.told(edit));
        total.add(&outcome);
    }
    let counted = match lines_counted(turn) {
        Some(lines) => format!("\nBefore the edits the command counted {lines} lines.\n"),
        None => String::new(),
    };
    // The sample has a test for each edit; about any other program the demo knows nothing.
    let tests = match (proposed == EDITS.len(), total.whole == EDITS.len()) {
        (true, true) => {
            "\nWith all of it in place, `cargo test` passes. The demo does not run it for you.\n"
        }
        (true, false) => "\nUntil every edit is in, `cargo test` fails.\n",
        (false, _) => "",
    };
    vec![said(format!(
        "**{}.**\n\n{items}{counted}{tests}",
        total.told()
    ))]
}

/// What [`COMMAND`] found. Nothing when it did not run, or not to its end.
fn lines_counted(turn: &Turn<'_>) -> Option<u64> {
    let (_, answer) = turn
        .answered(SHELL)
        .find(|(call, _)| argument(call, "command") == COMMAND)?;
    let output = answer.output().ok()?;
    if output.contains("\nExit Code:") || output.contains("\nSignal:") {
        return None;
    }
    output.lines().find_map(|line| {
        let (lines, name) = line.trim().split_once(' ')?;
        (name == "total").then(|| lines.parse().ok())?
    })
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
