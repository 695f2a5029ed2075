use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use pollux_exec::{Background, Guard, PrivateFolder, SandboxProfile, Variable};
use pollux_policy::shell::Destruction;
use tokio::sync::Mutex;

use crate::Terminals;
use crate::shell_changes::{ShellChanges, ShellWatch};

/// How shell commands are run.
pub struct ShellSetup {
    pub guard: Guard,
    /// All that a command gets to see.
    pub environment: Vec<Variable>,
    pub terminal: pollux_exec::Terminal,
    pub sandbox: Option<SandboxProfile>,
    /// A command that prints nothing for so long is ended.
    pub inactivity: Option<Duration>,
    /// Characters of output that a model is shown; the rest is kept in a file.
    pub longest_output: usize,
    /// Keeps what a command is about to destroy.
    pub keeper: Arc<dyn Keeper>,
    /// Sees what a command changes.
    pub watch: Arc<dyn ShellWatch>,
    /// Takes in what was seen.
    pub changes: Arc<dyn ShellChanges>,
    /// The commands that run in the background. They end with the session.
    pub background: Arc<Mutex<Background>>,
    /// Build files that were changed in this session: what builds from them deserves a look.
    pub changed_build_files: Arc<std::sync::Mutex<BTreeSet<String>>>,
    /// Where commands run instead of here, as far as somebody offers it.
    pub terminals: Option<Arc<Terminals>>,
    /// Where confined commands keep temporary files. Goes with the session, behind the commands.
    pub temporary: Option<PrivateFolder>,
}

/// Keeps what is about to be destroyed, so that it can be brought back.
pub trait Keeper: Send + Sync {
    /// Called before the command runs. The error is for the person, and the command does not run.
    fn keep<'a>(
        &'a self,
        command: &'a str,
        folder: &'a std::path::Path,
        destructions: &'a [Destruction],
    ) -> BoxFuture<'a, Result<(), String>>;
}

/// Where outputs that are too long for a model go, below the session's scratch folder.
pub(super) const OUTPUTS: &str = "tool-outputs";

impl ShellSetup {
    /// A file for what a call prints.
    pub(super) fn output_name(tool: &str, call: &str) -> String {
        let clean = |text: &str| -> String {
            text.chars()
                .map(|character| match character {
                    'a'..='z' | '0'..='9' | '_' | '-' => character,
                    'A'..='Z' => character.to_ascii_lowercase(),
                    _ => '_',
                })
                .collect()
        };
        let (tool, call) = (clean(tool), clean(call));
        match call.starts_with(&tool) {
            true => format!("{OUTPUTS}/{call}.txt"),
            false => format!("{OUTPUTS}/{tool}_{call}.txt"),
        }
    }
}

/// What a folder for outputs is made with.
pub(super) fn folder_of(file: &std::path::Path) -> PathBuf {
    file.parent().map(PathBuf::from).unwrap_or_default()
}
