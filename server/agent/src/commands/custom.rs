//! What becomes of a command that somebody has written: its places are filled, files before commands, so that no
//! output of a command can name a file.

use pollux_model::{CallId, FunctionCall, Part};
use serde_json::{Map, Value};

use super::template::ARGS;
use super::{CustomCommand, Piece, Trigger, UnclosedInjection, pieces};
use crate::prompt::{ReferenceScope, expand_references};
use crate::tools::SHELL;

/// Bytes that a command may become.
const LONGEST_PROMPT: usize = 1024 * 1024;

impl CustomCommand {
    /// Puts the files in. What cannot be read stays as it was written, and is named.
    pub(crate) async fn with_files(
        &self,
        scope: ReferenceScope<'_>,
    ) -> Result<(String, Vec<String>), UnclosedInjection> {
        let mut text = String::new();
        let mut problems = Vec::new();
        for piece in pieces(&self.prompt, Trigger::File)? {
            match piece {
                Piece::Text(more) => text.push_str(more),
                Piece::Place(path) => {
                    let quoted = path.replace(' ', "\\ ");
                    let expanded = expand_references(scope, &format!("@{quoted}")).await;
                    for note in &expanded.notes {
                        problems.push(format!("`{}`: {}", note.reference, note.problem));
                    }
                    match expanded.attached.is_empty() {
                        true => text.push_str(&format!("@{{{path}}}")),
                        false => text.extend(contents(&expanded.parts)),
                    }
                }
            }
            text.truncate(text.floor_char_boundary(LONGEST_PROMPT));
        }
        Ok((text, problems))
    }
}

/// The contents alone, without the words that were asked for.
fn contents(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().skip(1).filter_map(Part::as_text)
}

/// The prompt with what was typed behind the name. Outside of commands it stands as it was typed.
pub(crate) fn with_arguments(text: &str, arguments: &str) -> String {
    text.replace(ARGS, arguments)
}

/// A command with the arguments as one word of the shell.
pub(crate) fn shell_with_arguments(command: &str, arguments: &str) -> String {
    let quoted = match arguments {
        "" => String::new(),
        // A zero byte cannot be quoted, nor typed.
        arguments => shlex::try_quote(arguments)
            .map(std::borrow::Cow::into_owned)
            .unwrap_or_default(),
    };
    command.replace(ARGS, &quoted)
}

/// Whether what was typed has a place in the prompt.
pub(crate) fn takes_arguments(prompt: &str) -> bool {
    prompt.contains(ARGS)
}

/// The call that runs a command of a prompt, which is judged like any other.
pub(crate) fn shell_call(turn: u64, number: usize, command: &str) -> FunctionCall {
    let mut args = Map::new();
    args.insert("command".to_owned(), Value::from(command));
    FunctionCall {
        id: CallId::new(format!("command-{turn}-{number}")),
        name: SHELL.to_owned(),
        args,
        signature: None,
    }
}
