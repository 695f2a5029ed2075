//! What became of the edits that the demo proposed.

use super::script::Edit;
use super::turn::Answer;

/// What became of one proposed edit, as its tool result tells it.
pub(super) enum Outcome<'request> {
    Whole {
        hunks: usize,
    },
    Part {
        kept: usize,
        hunks: usize,
    },
    /// Nobody was asked.
    Written,
    Failed {
        error: &'request str,
    },
}

impl<'request> Outcome<'request> {
    pub(super) fn of(answer: Answer<'request>) -> Self {
        let decided = (answer.count("accepted"), answer.count("rejected"));
        let kept = decided.0.unwrap_or_default();
        let hunks = kept + decided.1.unwrap_or_default();
        match answer.output() {
            Err(error) => Self::Failed { error },
            Ok(_) if decided == (None, None) => Self::Written,
            Ok(_) if kept == hunks => Self::Whole { hunks },
            Ok(_) => Self::Part { kept, hunks },
        }
    }

    pub(super) fn told(&self, edit: &Edit) -> String {
        match self {
            Self::Whole { .. } | Self::Written => edit.fixed.to_owned(),
            Self::Part { kept: 0, .. } => format!("rejected, so {}", edit.fault),
            Self::Part { kept, hunks } => {
                format!("{kept} of {hunks} hunks kept, so this is fixed only in part")
            }
            Self::Failed { error } => {
                // What follows is advice on how to call the tool.
                let (reason, _) = error.split_once(';').unwrap_or((error, ""));
                format!("not changed: {}", reason.trim_end_matches('.'))
            }
        }
    }
}

/// The edits of a turn, taken together.
#[derive(Default)]
pub(super) struct Total {
    /// Hunks that the person kept, of those that they were asked about.
    kept: usize,
    hunks: usize,
    /// Edits that nobody was asked about.
    written: usize,
    /// Edits that are in, from the first hunk to the last.
    pub(super) whole: usize,
}

impl Total {
    pub(super) fn add(&mut self, outcome: &Outcome<'_>) {
        match outcome {
            Outcome::Whole { hunks } => {
                self.kept += hunks;
                self.hunks += hunks;
                self.whole += 1;
            }
            Outcome::Part { kept, hunks } => {
                self.kept += kept;
                self.hunks += hunks;
            }
            Outcome::Written => {
                self.written += 1;
                self.whole += 1;
            }
            Outcome::Failed { .. } => {}
        }
    }

    pub(super) fn told(&self) -> String {
        let hunks = format!("{} of {} hunks kept", self.kept, self.hunks);
        let written = match self.written {
            1 => "1 edit written without asking".to_owned(),
            edits => format!("{edits} edits written without asking"),
        };
        match (self.hunks, self.written) {
            (0, 0) => "Nothing was changed".to_owned(),
            (_, 0) => hunks,
            (0, _) => written,
            _ => format!("{hunks}, {written}"),
        }
    }
}
