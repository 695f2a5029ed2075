//! Agents in words for a person.

#[cfg(test)]
mod tests;

use std::path::Path;

use pollux_settings::agents::AgentOrigin;

use super::registry::{Entry, Registry, Standing, Switch};

/// Of a description that somebody else has written.
const LONGEST_DESCRIPTION: usize = 200;
const SWITCHED_OFF: &str =
    "Sub-agents are switched off: `experimental.enableAgents` is false in the settings.";

pub(super) fn list(registry: &Registry, folder: &Path) -> String {
    if registry.switch == Switch::Off {
        return SWITCHED_OFF.to_owned();
    }
    let is_unseen = |entry: &&Entry| entry.standing == Standing::Unseen;
    let (unseen, known): (Vec<&Entry>, Vec<&Entry>) = registry.entries.iter().partition(is_unseen);
    let mut text = String::new();
    for entry in known {
        text.push_str(&line(entry));
    }
    if !unseen.is_empty() {
        text.push_str(
            "\nThis project brings agents that nobody has acknowledged, and the model is not told of them:\n",
        );
        for entry in unseen {
            let file = entry.file.as_ref().map(|file| &file.path);
            let shown = file.map(|file| file.strip_prefix(folder).unwrap_or(file).display());
            let shown = shown.map(|file| file.to_string()).unwrap_or_default();
            let (name, description) = (entry.name(), described(entry));
            text.push_str(&format!("- `{name}` (`{shown}`): {description}\n"));
        }
        text.push_str("\nRead their files; then `/agents acknowledge <agent>` or `/agents acknowledge all`.\n");
    }
    if !registry.problems.is_empty() {
        text.push_str("\nWhat could not be used:\n");
        for problem in &registry.problems {
            let problem = problem.replace('\n', "\n  ");
            text.push_str(&format!("- {problem}\n"));
        }
    }
    text
}

fn line(entry: &Entry) -> String {
    let origin = match entry.file.as_ref().map(|file| file.origin) {
        None => "built in",
        Some(AgentOrigin::Project) => "the project's",
        Some(AgentOrigin::User) => "yours",
    };
    let model = match &entry.model {
        Some(model) => format!(", asks {}", one_line(model)),
        None => String::new(),
    };
    format!(
        "- `{}` ({origin}, {}{model}): {}\n",
        entry.name(),
        entry.standing,
        described(entry)
    )
}

fn described(entry: &Entry) -> String {
    one_line(&entry.definition.description)
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = words.join(" ");
    let mut plain = plain.chars().filter(|letter| !letter.is_control());
    let mut line: String = plain.by_ref().take(LONGEST_DESCRIPTION).collect();
    if plain.next().is_some() {
        line.push('…');
    }
    line
}

/// What has changed since.
pub(super) fn reloaded(before: Option<&Registry>, now: &Registry) -> String {
    if now.switch == Switch::Off {
        return SWITCHED_OFF.to_owned();
    }
    let hash = |registry: &Registry, name: &str| {
        let entry = registry.entry(name);
        entry.map(|entry| entry.file.as_ref().map(|file| file.hash.clone()))
    };
    let names = |registry: &Registry| -> Vec<String> {
        let names = registry.entries.iter().map(|entry| entry.name().to_owned());
        names.collect()
    };
    let on = now.offered().len();
    let mut text = match on {
        1 => "1 sub-agent can be asked.".to_owned(),
        count => format!("{count} sub-agents can be asked."),
    };
    if let Some(before) = before {
        let is_there = |registry: &Registry, name: &str| registry.entry(name).is_some();
        let new = names(now)
            .into_iter()
            .filter(|name| !is_there(before, name));
        let gone = names(before)
            .into_iter()
            .filter(|name| !is_there(now, name));
        let changed = names(now)
            .into_iter()
            .filter(|name| is_there(before, name) && hash(before, name) != hash(now, name));
        let groups = [
            ("New", new.collect::<Vec<_>>()),
            ("Changed", changed.collect()),
            ("Gone", gone.collect()),
        ];
        for (what, names) in groups.iter().filter(|(_, names)| !names.is_empty()) {
            text.push_str(&format!(" {what}: {}.", quoted(names)));
        }
    }
    let unseen: Vec<String> = now.unseen().map(|file| file.name.clone()).collect();
    if !unseen.is_empty() {
        text.push_str(&format!(" Not acknowledged: {}.", quoted(&unseen)));
    }
    match now.problems.len() {
        0 => {}
        1 => text.push_str(" 1 file could not be used; `/agents` says why."),
        count => text.push_str(&format!(
            " {count} files could not be used; `/agents` says why."
        )),
    }
    text
}

/// Whether there are any that the person has not heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problems {
    New,
    Known,
}

/// What a person is told without having asked.
pub(super) fn news(unseen: &[&str], problems: Problems) -> Option<String> {
    let mut lines = Vec::new();
    if !unseen.is_empty() {
        let names: Vec<String> = unseen.iter().map(|name| (*name).to_owned()).collect();
        lines.push(format!(
            "This project brings sub-agents that nobody has acknowledged: {}. The model is not told of them before \
             you say `/agents acknowledge <agent>` or `/agents acknowledge all`.",
            quoted(&names)
        ));
    }
    if problems == Problems::New {
        let told =
            "Not everything that describes sub-agents can be used; `/agents` says what and why.";
        lines.push(told.to_owned());
    }
    (!lines.is_empty()).then(|| lines.join(" "))
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
