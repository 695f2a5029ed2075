/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    Allow,
    Ask,
    Deny,
}

/// A decision and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// Where a rule was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RulePlace {
    /// A file, or a name such as `settings: tools.exclude` or `default: write.toml`.
    pub source: String,
    /// Counted from 1; none for a rule that was not read from text.
    pub line: Option<usize>,
}

/// One part of a shell command and what was decided about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartVerdict {
    /// The part as it was written.
    pub text: String,
    pub decision: Decision,
    pub reason: String,
    pub rule: Option<RulePlace>,
}
