//! What the editor's own tools find wrong, told with a prompt when the person wants that.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use super::cap::{clip_with_note, one_line};

/// So many are told.
pub const MAX_PROBLEMS: usize = 50;
/// Of one message.
const LONGEST_MESSAGE: usize = 500;
const CUT: &str = "... [truncated]";

/// An error or a warning that the editor shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub path: PathBuf,
    /// Counted from 1.
    pub line: u32,
    pub severity: ProblemSeverity,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemSeverity {
    Error,
    Warning,
}

/// What the model is told; nothing when nothing is wrong.
pub fn tell_problems(problems: &[Problem]) -> Option<String> {
    if problems.is_empty() {
        return None;
    }
    let mut text = "\nProblems that the person's editor shows:\n".to_owned();
    for problem in problems.iter().take(MAX_PROBLEMS) {
        let severity = match problem.severity {
            ProblemSeverity::Error => "error",
            ProblemSeverity::Warning => "warning",
        };
        let words: Vec<&str> = problem.message.split_whitespace().collect();
        let message = clip_with_note(&one_line(&words.join(" ")), LONGEST_MESSAGE, CUT);
        let path = one_line(&problem.path.display().to_string());
        text.push_str(&format!(
            "- {path}:{}: {severity}: {message}\n",
            problem.line
        ));
    }
    let more = problems.len().saturating_sub(MAX_PROBLEMS);
    if more > 0 {
        text.push_str(&format!("- and {more} more\n"));
    }
    Some(text)
}
