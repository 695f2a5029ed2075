//! What the settings files say about a room, as data.

use std::path::PathBuf;

use crate::DoorContext;

/// The settings of a workspace, read by a [`ConfigurationSource`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    pub trust: Trust,
    /// What is wrong with the files, one ready sentence each with file, line and column.
    pub problems: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    Trusted,
    /// Also what holds until somebody has been asked.
    #[default]
    Untrusted,
}

impl Configuration {
    /// What holds for two doors of one room: it is trusted only if it is for both, since each of them reaches all of
    /// it. What is wrong for one is wrong.
    pub(crate) fn and(mut self, other: Self) -> Self {
        if other.trust == Trust::Untrusted {
            self.trust = Trust::Untrusted;
        }
        for problem in other.problems {
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        self
    }
}

/// Reads settings files. The room calls it on a thread where waiting for a disk is fine.
pub trait ConfigurationSource: Send + Sync + 'static {
    /// `trusted` is the editor's own answer, if it gave one.
    fn load(
        &self,
        roots: &[PathBuf],
        context: &DoorContext,
        trusted: Option<bool>,
    ) -> Configuration;
}
