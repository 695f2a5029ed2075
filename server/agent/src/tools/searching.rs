//! What the tools that search have in common: the tree they see, and a thread to look at it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pollux_search::{Cancel, IgnoreRules, Kind, Overlay, Respect, RuleFiles, SearchError, Tree};

use super::params::Flag;
use super::{Desk, ErrorKind, ToolError};

/// Which files tools see, by the settings.
#[derive(Clone, Debug)]
pub struct SearchSetup {
    pub ignore: RuleFiles,
    /// What takes longer is told as far as it got.
    pub timeout: Duration,
}

impl Default for SearchSetup {
    fn default() -> Self {
        Self {
            ignore: RuleFiles::default(),
            timeout: Duration::from_secs(30),
        }
    }
}

impl SearchSetup {
    /// The settings, with what a call says instead.
    pub(super) fn respecting(&self, git: Option<Flag>, gemini: Option<Flag>) -> RuleFiles {
        let respect = |said: Option<Flag>, otherwise| match said {
            Some(Flag::On) => Respect::Yes,
            Some(Flag::Off) => Respect::No,
            None => otherwise,
        };
        RuleFiles {
            git: respect(git, self.ignore.git),
            gemini: respect(gemini, self.ignore.gemini),
            custom: self.ignore.custom.clone(),
        }
    }

    /// As [`Desk::place_in`], for something that is there: links are followed, and none may lead out of the workspace
    /// or into what is closed.
    pub(super) async fn open_place(
        &self,
        desk: &Desk<'_>,
        parameter: &str,
    ) -> Result<PathBuf, ToolError> {
        let place = desk.place_in(parameter)?;
        if place == desk.config.root {
            return Ok(place);
        }
        let asked = place.clone();
        // Without rules only what lies elsewhere is ignored.
        let look = move |tree: &Tree<'_>| tree.rules.is_ignored(&asked, Kind::Folder);
        match self.look(desk, RuleFiles::none(), look).await? {
            false => Ok(place),
            true => Err(ToolError::new(
                ErrorKind::PathNotInWorkspace,
                format!(
                    "Path not in workspace: Attempted path \"{}\" is a link to something that is not open to tools",
                    place.display()
                ),
            )),
        }
    }

    /// Looks at the workspace on a thread that may block. A stop is answered at once; the thread ends soon after.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        desk: &Desk<'_>,
        rules: RuleFiles,
        look: impl FnOnce(&Tree<'_>) -> T + Send + 'static,
    ) -> Result<T, ToolError> {
        let unsaved = desk.or_cancelled(desk.config.files.unsaved()).await?;
        let root = desk.config.root.clone();
        let cancel = desk.cancel.clone();
        let deadline = Instant::now() + self.timeout;
        let looking = tokio::task::spawn_blocking(move || {
            let overlay: Overlay = unsaved.into_iter().collect();
            let rules = IgnoreRules::new(&root, &rules);
            let is_cancelled = || cancel.is_cancelled();
            look(&Tree {
                rules: &rules,
                overlay: &overlay,
                cancel: Cancel::when(&is_cancelled).until(deadline),
                threads: threads(),
            })
        });
        let looked = desk.or_cancelled(looking).await?;
        looked.map_err(|_| ToolError::panicked())
    }
}

/// A search should not take the machine away from whoever works on it.
fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    cores.min(4)
}

impl Desk<'_> {
    /// The folder or file that a parameter names; the workspace itself without it.
    pub(super) fn place_in(&self, parameter: &str) -> Result<PathBuf, ToolError> {
        let root = &self.config.root;
        let Some(spelled) = self.params().optional_string(parameter) else {
            return Ok(root.clone());
        };
        let path = Path::new(spelled);
        let is_root = path.strip_prefix(root).unwrap_or(path);
        if is_root
            .components()
            .all(|part| part == std::path::Component::CurDir)
        {
            return Ok(root.clone());
        }
        let path = crate::WorkspacePath::within(root, &self.config.places, spelled)
            .map_err(|error| ToolError::path(spelled, &error))?;
        Ok(self.absolute(&path))
    }
}

/// A question that has no answer, in the words of a tool.
pub(super) fn failed(kind: ErrorKind, error: &SearchError) -> ToolError {
    match error {
        SearchError::Pattern { .. } | SearchError::Glob { .. } => {
            ToolError::invalid(error.to_string())
        }
        SearchError::Missing { .. } if kind == ErrorKind::Grep => {
            ToolError::new(ErrorKind::SearchPathNotFound, error.to_string())
        }
        SearchError::NotAFolder { .. } => {
            ToolError::new(ErrorKind::PathIsNotADirectory, error.to_string())
        }
        _ => ToolError::new(kind, error.to_string()),
    }
}
