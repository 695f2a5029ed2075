use std::fmt;

use serde::Serialize;

/// What becomes of a call. Ordered from the freest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    Allow,
    // One word for it, wherever it is written: that of the rule files.
    #[serde(rename = "ask_user")]
    Ask,
    Deny,
}

impl Decision {
    /// As rule files spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask_user",
            Self::Deny => "deny",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Allow, Self::Ask, Self::Deny]
            .into_iter()
            .find(|decision| decision.as_str() == text)
    }
}

/// A decision and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    pub decision: Decision,
    /// One sentence for a person.
    pub reason: String,
    /// What the rule's author wants the model to be told about a denial.
    pub deny_message: Option<String>,
    /// The rule that decided; none where no rule matched.
    pub rule: Option<RulePlace>,
    /// The parts of a shell command, each judged by itself.
    pub parts: Vec<PartVerdict>,
    /// It is a shell command whose parts all only read, and the shell opens no file for it to write.
    pub only_reads: bool,
}

impl Verdict {
    /// Whether the call is allowed for no other reason than that it only reads. Such a command is confined to that.
    pub fn is_allowed_as_read_only(&self) -> bool {
        self.decision == Decision::Allow && self.only_reads
    }
}

/// Where a rule was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RulePlace {
    /// A file, or a name such as `settings: tools.exclude` or `default: write.toml`.
    pub source: String,
    /// Counted from 1; none for a rule that was not read from text.
    pub line: Option<usize>,
}

impl fmt::Display for RulePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}", self.source),
            None => formatter.write_str(&self.source),
        }
    }
}

/// One part of a shell command and what was decided about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartVerdict {
    /// The part as it was written.
    pub text: String,
    pub decision: Decision,
    pub reason: String,
    pub rule: Option<RulePlace>,
    /// It is allowed because it only reads, and not because of a rule or a mode.
    pub only_reads: bool,
}
