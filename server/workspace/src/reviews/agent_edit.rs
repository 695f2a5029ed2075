//! Edits of the agent on their way into a room.

use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::api::CallId;
use pollux_agent::{FileError, Standing, Written};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::reviews::Location;
use crate::{DocumentKey, Origin};

/// An edit that a tool makes. What becomes of it is told when the file has it.
#[derive(Debug)]
pub struct AgentEdit {
    pub key: DocumentKey,
    pub at: Location,
    /// As the tool names the file, for people.
    pub path: PathBuf,
    pub origin: Origin,
    pub call: CallId,
    pub standing: Standing,
    pub change: AgentChange,
    pub reply: oneshot::Sender<Result<Written, FileError>>,
    /// Ends with the turn: an edit that is not let in is not tried any longer.
    pub cancel: CancellationToken,
}

/// What the edit does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentChange {
    Edit {
        /// What the model has read.
        read: Arc<str>,
        proposed: Arc<str>,
    },
    Create {
        text: Arc<str>,
    },
    /// A command has given the file its name already.
    Rename {
        /// Absolute: what it was called before.
        from: PathBuf,
        text: Arc<str>,
    },
    /// A command has done this to the file already; nothing stands for no file.
    Shell {
        before: Option<Arc<str>>,
        after: Option<Arc<str>>,
    },
}

impl AgentChange {
    /// Whether the file is like this already, so that nothing is left to refuse.
    pub(super) fn has_happened(&self) -> bool {
        matches!(self, Self::Rename { .. } | Self::Shell { .. })
    }
}

/// "edit src/a.rs"
pub(super) fn words(change: &AgentChange, path: &std::path::Path) -> Arc<str> {
    match change {
        AgentChange::Edit { .. } => format!("edit {}", path.display()).into(),
        AgentChange::Create { .. } => format!("create {}", path.display()).into(),
        AgentChange::Rename { from, .. } => {
            format!("rename {} to {}", from.display(), path.display()).into()
        }
        AgentChange::Shell { .. } => format!("a command changed {}", path.display()).into(),
    }
}
