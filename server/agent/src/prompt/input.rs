//! What a person typed: a prompt for the model, or a command for the shell.

#[cfg(test)]
mod tests;

use super::cap::one_line;

/// Characters of a command's output that the model is told.
pub const MAX_SHELL_OUTPUT_CHARS: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Prompt(String),
    /// `!command`: run at once, without the model.
    Shell(String),
    /// `!` alone: from now on everything is a command, or no longer.
    ShellToggle,
}

impl Input {
    /// Only a `!` at the very start counts: later it is a part of what was said.
    pub fn parse(typed: &str) -> Self {
        match typed.trim_start().strip_prefix('!').map(str::trim) {
            Some("") => Self::ShellToggle,
            Some(command) => Self::Shell(command.to_owned()),
            None => Self::Prompt(typed.to_owned()),
        }
    }
}

/// What the model is told about a command that the person ran: a user message in the history.
pub fn shell_message(command: &str, output: &str) -> String {
    let (output, cut) = match output.char_indices().nth(MAX_SHELL_OUTPUT_CHARS) {
        Some((end, _)) => (output.get(..end).unwrap_or_default(), "\n... (truncated)"),
        None => (output, ""),
    };
    let command = match command.char_indices().nth(MAX_SHELL_OUTPUT_CHARS) {
        Some((end, _)) => command.get(..end).unwrap_or_default(),
        None => command,
    };
    let command = escaped(&plain_lines(command));
    let output = escaped(output);
    format!("I ran this command:\n```sh\n{command}\n```\n\nIts output:\n```\n{output}{cut}\n```")
}

/// A command of several lines keeps them; other control characters have no business in one line.
fn plain_lines(command: &str) -> String {
    let lines: Vec<String> = command.lines().map(one_line).collect();
    lines.join("\n")
}

/// Output must not close its own block.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('`', "\\`")
}
