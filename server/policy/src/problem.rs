use std::fmt;

use serde::Serialize;

/// Something in a rule file that does not work as its author meant it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    pub source: String,
    /// Counted from 1.
    pub line: Option<usize>,
    pub kind: ProblemKind,
    /// One sentence that says what is wrong and what follows from it.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// For whoever reads the files: this crate reads none.
    FileRead,
    TomlParse,
    /// The whole file is ignored.
    SchemaValidation,
    RuleValidation,
    RegexCompilation,
    ToolNameWarning,
    /// A rule that an extension may not bring.
    ExtensionRestriction,
    /// A directory of rules that somebody else could have written.
    InsecureDirectory,
}

impl ProblemKind {
    /// Whether everything still works as written.
    pub fn is_warning(self) -> bool {
        matches!(self, Self::ToolNameWarning)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}: {}", self.source, self.message),
            None => write!(formatter, "{}: {}", self.source, self.message),
        }
    }
}
