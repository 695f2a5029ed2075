//! What a rule has to say: where, and what to do.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Must be changed.
    Fail,
    /// Worth a look, and no more.
    Note,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) weight: Weight,
    pub(crate) file: String,
    /// Counted from one; `None` when the whole file is meant.
    pub(crate) line: Option<usize>,
    pub(crate) what: String,
}

impl Finding {
    pub(crate) fn in_file(file: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            weight: Weight::Fail,
            file: file.into(),
            line: None,
            what: what.into(),
        }
    }

    pub(crate) fn at(file: impl Into<String>, line: usize, what: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            ..Self::in_file(file, what)
        }
    }

    pub(crate) fn note(file: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            weight: Weight::Note,
            ..Self::in_file(file, what)
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(formatter, ":{line}")?;
        }
        let mark = match self.weight {
            Weight::Fail => "",
            Weight::Note => "note: ",
        };
        write!(formatter, ": {mark}{}", self.what)
    }
}

/// The findings as a rule's test compares them.
#[cfg(test)]
pub(crate) fn listing(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(|finding| format!("{finding}\n"))
        .collect()
}
