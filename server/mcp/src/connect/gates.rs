//! Whether a server may be connected at all.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

/// What the settings, the person and the folder's trust say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    /// `mcp.allowed`; an empty list allows all.
    pub allowed: Vec<String>,
    /// `mcp.excluded`
    pub excluded: Vec<String>,
    /// Switched off by the person, for this session.
    pub off_for_now: BTreeSet<String>,
    /// Switched off by the person, for good. Trimmed, in lower case.
    pub disabled: BTreeSet<String>,
    pub trusted: Trusted,
}

/// Whether the person trusts the folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trusted {
    Yes,
    #[default]
    No,
}

/// Why a server is not connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    NotAllowed,
    Excluded,
    OffForNow,
    Disabled,
    Untrusted,
}

impl Gates {
    /// The first gate that is closed to a server.
    pub fn block(&self, server: &str) -> Option<Block> {
        let server = normal(server);
        let names = |list: &[String]| list.iter().any(|entry| normal(entry) == server);
        if !self.allowed.is_empty() && !names(&self.allowed) {
            return Some(Block::NotAllowed);
        }
        if names(&self.excluded) {
            return Some(Block::Excluded);
        }
        if self.off_for_now.contains(&server) {
            return Some(Block::OffForNow);
        }
        if self.disabled.contains(&server) {
            return Some(Block::Disabled);
        }
        (self.trusted == Trusted::No).then_some(Block::Untrusted)
    }
}

/// The name by which lists know a server.
pub(crate) fn normal(server: &str) -> String {
    server.trim().to_lowercase()
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAllowed => "it is not in the list `mcp.allowed`",
            Self::Excluded => "it is in the list `mcp.excluded`",
            Self::OffForNow => "by you, for this session; `/mcp enable` switches it on",
            Self::Disabled => "by you; `/mcp enable` or `pollux mcp-servers enable` switches it on",
            Self::Untrusted => "the folder is not trusted, so no server is started here",
        })
    }
}
