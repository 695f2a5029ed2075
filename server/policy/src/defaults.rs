//! The rules that Pollux ships, with the meaning of the twin's.

use crate::{RuleFile, Tier};

#[cfg(test)]
mod tests;

const FILES: &[(&str, &str)] = &[
    ("read-only.toml", include_str!("defaults/read-only.toml")),
    ("write.toml", include_str!("defaults/write.toml")),
    ("agents.toml", include_str!("defaults/agents.toml")),
    ("discovered.toml", include_str!("defaults/discovered.toml")),
    (
        "non-interactive.toml",
        include_str!("defaults/non-interactive.toml"),
    ),
    ("plan.toml", include_str!("defaults/plan.toml")),
    ("yolo.toml", include_str!("defaults/yolo.toml")),
    ("conseca.toml", include_str!("defaults/conseca.toml")),
];

pub(crate) fn shipped() -> impl Iterator<Item = RuleFile> {
    FILES.iter().map(|(name, text)| RuleFile {
        source: format!("default: {name}"),
        text: (*text).to_owned(),
        tier: Tier::Default,
    })
}
