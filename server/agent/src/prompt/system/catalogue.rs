//! The lists of sub-agents and skills. Names and descriptions come from files that others wrote.

use std::path::PathBuf;

use crate::prompt::cap::{clip_with_note, one_line};

/// Entries per list.
pub const MAX_LISTED: usize = 200;
/// Of one description.
pub const MAX_DESCRIPTION_BYTES: usize = 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubAgent {
    pub name: String,
    pub description: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    pub description: String,
    /// Its `SKILL.md`.
    pub location: PathBuf,
}

pub(super) fn sub_agents(agents: &[SubAgent]) -> Option<String> {
    let lines = agents
        .iter()
        .map(|agent| line(&agent.name, &agent.description, ""));
    list(include_str!("sub_agents.md"), "available_subagents", lines)
}

pub(super) fn skills(skills: &[Skill]) -> Option<String> {
    let lines = skills.iter().map(|skill| {
        let location = format!(" ({})", skill.location.display());
        line(&skill.name, &skill.description, &location)
    });
    list(include_str!("agent_skills.md"), "available_skills", lines)
}

fn list(intro: &str, tag: &str, lines: impl ExactSizeIterator<Item = String>) -> Option<String> {
    let left_out = lines.len().saturating_sub(MAX_LISTED);
    let mut shown: Vec<String> = lines.take(MAX_LISTED).collect();
    if shown.is_empty() {
        return None;
    }
    if left_out > 0 {
        shown.push(format!("[{left_out} more are not listed]"));
    }
    let intro = intro.trim();
    Some(format!("{intro}\n<{tag}>\n{}\n</{tag}>", shown.join("\n")))
}

fn line(name: &str, description: &str, location: &str) -> String {
    // Neither a line break nor a tag gets out of its entry.
    let plain = |text: &str| {
        let text = one_line(text.trim());
        text.replace('<', "&lt;").replace('>', "&gt;")
    };
    let name = clip_with_note(&plain(name), 100, "...");
    let description = clip_with_note(&plain(description), MAX_DESCRIPTION_BYTES, "...");
    let location = plain(location);
    let gap = if location.is_empty() { "" } else { " " };
    format!("- {name}: {description}{gap}{location}")
}
