//! What a rule says, for a person who may never have seen a rule file.

use std::path::Path;

use super::Rule;
use crate::{Decision, Tier};

/// What the shipped files are about.
const SHIPPED: [(&str, &str); 8] = [
    ("read-only.toml", "looking around"),
    ("write.toml", "changes and commands"),
    ("agents.toml", "sub-agents"),
    ("discovered.toml", "the project's own tools"),
    ("non-interactive.toml", "runs without a person"),
    ("plan.toml", "plan mode"),
    ("yolo.toml", "yolo mode"),
    ("conseca.toml", "second opinions"),
];

/// Begins the names of rules that a person has made by answering a question.
const APPROVED: &str = "approved ";

impl Rule {
    /// One sentence about what the rule says.
    pub(crate) fn reason(&self) -> String {
        match self.decision {
            Decision::Allow if self.place.source.starts_with(APPROVED) => {
                format!("it was {}", self.place.source)
            }
            Decision::Allow => self.sentence("allows it"),
            Decision::Ask => self.sentence("wants your consent"),
            Decision::Deny => self.sentence("forbids it"),
        }
    }

    /// A sentence about what the rule does, with the place where it can be looked up.
    pub(crate) fn sentence(&self, does: &str) -> String {
        let source = self.place.source.as_str();
        if let Some(setting) = source.strip_prefix("settings: ") {
            return match setting.strip_prefix("remote agent ") {
                Some(agent) => format!("the rule for the remote agent {agent} {does}"),
                None => format!("the setting `{setting}` {does}"),
            };
        }
        let (who, file) = match source.strip_prefix("default: ") {
            Some(file) => (shipped(file), file.into()),
            None => (written(self.tier).to_owned(), file_name(source)),
        };
        match self.place.line {
            Some(line) => format!("{who} {does} ({file}, line {line})"),
            None => format!("{who} {does} ({file})"),
        }
    }
}

fn shipped(file: &str) -> String {
    let found = SHIPPED.iter().find(|(name, _)| *name == file);
    match found {
        Some((_, about)) => format!("the built-in rule for {about}"),
        None => "a built-in rule".to_owned(),
    }
}

fn written(tier: Tier) -> &'static str {
    match tier {
        Tier::Default => "a built-in rule",
        Tier::Extension => "a rule of an extension",
        Tier::Workspace => "a rule of this workspace",
        Tier::User => "a rule of yours",
        Tier::Admin => "a rule of the administrator",
    }
}

/// The whole path goes along with the verdict for whoever wants to open it.
fn file_name(source: &str) -> std::borrow::Cow<'_, str> {
    match Path::new(source).file_name() {
        Some(name) => name.to_string_lossy(),
        None => source.into(),
    }
}

#[cfg(test)]
mod tests;
