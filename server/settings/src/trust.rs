//! Whether a folder is trusted, and why.
//!
//! An untrusted folder is one whose files may have been written by anybody. What follows from that is up
//! to the caller; this module decides, remembers decisions on request, and never guesses in favour.

mod edit;
mod record;
mod rules;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use record::{RecordTrustError, record_trust};
pub(crate) use rules::{Rules, read_rules};

use crate::environment::Environment;
use crate::settings::Settings;

/// What a rule of `trustedFolders.json` says about its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustLevel {
    TrustFolder,
    /// Trusts the folder above the one named, and everything in it.
    TrustParent,
    DoNotTrust,
}

impl TrustLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TrustFolder => "TRUST_FOLDER",
            Self::TrustParent => "TRUST_PARENT",
            Self::DoNotTrust => "DO_NOT_TRUST",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::TrustFolder, Self::TrustParent, Self::DoNotTrust]
            .into_iter()
            .find(|level| level.as_str() == text)
    }
}

/// What the editor says about its own workspace trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EditorTrust {
    /// The editor has no such notion, or has not said yet.
    #[default]
    Unsaid,
    Trusted,
    Untrusted,
}

impl From<Option<bool>> for EditorTrust {
    fn from(trusted: Option<bool>) -> Self {
        match trusted {
            None => Self::Unsaid,
            Some(true) => Self::Trusted,
            Some(false) => Self::Untrusted,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustDecision {
    pub verdict: Verdict,
    pub source: TrustSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Trusted,
    Untrusted,
    /// Nobody has decided: treated as untrusted, and worth asking the user.
    Undecided,
}

/// Who decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustSource {
    /// The variable of this name.
    Environment(&'static str),
    /// `security.folderTrust.enabled` is false, so every folder is trusted.
    Setting,
    Editor,
    /// The rule for this path, as the file spells it.
    Rule(PathBuf),
    /// The file of rules cannot be read, so no rule can speak for the folder.
    BrokenRules,
    Nobody,
}

impl TrustDecision {
    pub fn is_trusted(&self) -> bool {
        self.verdict == Verdict::Trusted
    }
}

/// `settings` must not contain the folder's own: a folder cannot vouch for itself. `rules` is `None`
/// when the file of rules is broken.
pub(crate) fn decide(
    environment: &Environment,
    settings: &Settings,
    editor: EditorTrust,
    rules: Option<&Rules>,
    folder: &Path,
) -> TrustDecision {
    const RESTRICTED: &str = "GEMINI_RESTRICTED_MODE";
    const TRUST: &str = "GEMINI_CLI_TRUST_WORKSPACE";
    let (verdict, source) = if environment.get(RESTRICTED) == Some("true") {
        (Verdict::Untrusted, TrustSource::Environment(RESTRICTED))
    } else if environment.get(TRUST) == Some("false") {
        (Verdict::Untrusted, TrustSource::Environment(TRUST))
    } else if environment.get(TRUST) == Some("true") {
        (Verdict::Trusted, TrustSource::Environment(TRUST))
    } else if settings.get("security.folderTrust.enabled") == Some(&Value::Bool(false)) {
        (Verdict::Trusted, TrustSource::Setting)
    } else if editor == EditorTrust::Trusted {
        (Verdict::Trusted, TrustSource::Editor)
    } else if editor == EditorTrust::Untrusted {
        (Verdict::Untrusted, TrustSource::Editor)
    } else if let Some(rules) = rules {
        match rules.matching(folder) {
            Some(rule) => (rule.verdict(), TrustSource::Rule(rule.path.clone())),
            None => (Verdict::Undecided, TrustSource::Nobody),
        }
    } else {
        (Verdict::Untrusted, TrustSource::BrokenRules)
    };
    TrustDecision { verdict, source }
}

#[cfg(test)]
mod tests;
