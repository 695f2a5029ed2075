//! The two looks around a command.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::{Changes, NotReversible, ShellWatch, Upcoming, Watching};
use pollux_exec::{SandboxProfile, Variable};
use pollux_policy::shell;
use pollux_search::RuleFiles;
use pollux_settings::real_path;

use super::before::{Before, Looking};
use super::limits::Limits;
use super::{after, compare};
use crate::policy::{CommandEnvironment, DiskView};
use crate::undo::Git;

/// Watches one workspace.
#[derive(Clone)]
pub(crate) struct DiskWatch {
    place: Arc<Place>,
}

struct Place {
    /// As it is called.
    folder: PathBuf,
    /// Without links.
    root: PathBuf,
    rules: RuleFiles,
    /// Git is asked with the environment that commands get.
    environment: Vec<Variable>,
    known: CommandEnvironment,
    sandbox: Option<SandboxProfile>,
    limits: Limits,
}

/// One command under watch.
struct Look {
    place: Arc<Place>,
    /// Nothing: there is too much to look at.
    before: Option<Before>,
}

impl DiskWatch {
    pub(crate) fn new(
        folder: &Path,
        rules: RuleFiles,
        environment: Vec<Variable>,
        sandbox: Option<SandboxProfile>,
    ) -> Self {
        let known = environment
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)))
            .collect();
        Self {
            place: Arc::new(Place {
                folder: folder.to_path_buf(),
                root: real_path(folder),
                rules,
                environment,
                known,
                sandbox,
                limits: Limits::default(),
            }),
        }
    }

    #[cfg(test)]
    pub(super) fn with_limits(&self, limits: Limits) -> Self {
        let place = &self.place;
        Self {
            place: Arc::new(Place {
                folder: place.folder.clone(),
                root: place.root.clone(),
                rules: place.rules.clone(),
                environment: place.environment.clone(),
                known: place.known.clone(),
                sandbox: place.sandbox.clone(),
                limits,
            }),
        }
    }
}

impl ShellWatch for DiskWatch {
    fn before<'a>(&'a self, command: Upcoming<'a>) -> BoxFuture<'a, Option<Box<dyn Watching>>> {
        async move {
            if !self.place.may_change(command.command, command.folder) {
                return None;
            }
            let place = Arc::clone(&self.place);
            let known = place.spelled_here(command.known);
            let looked = tokio::task::spawn_blocking(move || {
                let before = place.looking().before(known);
                Look { place, before }
            });
            let look = looked.await.ok()?;
            Some(Box::new(look) as Box<dyn Watching>)
        }
        .boxed()
    }
}

impl Watching for Look {
    fn after(self: Box<Self>) -> BoxFuture<'static, Changes> {
        async move {
            let place = Arc::clone(&self.place);
            let looked = tokio::task::spawn_blocking(move || {
                after::look(&self.place.looking(), self.before?)
            });
            let Ok(Some(candidates)) = looked.await else {
                return place.unwatched();
            };
            let objects = place.objects(compare::objects(&candidates)).await;
            compare::changes(candidates, &objects, &place.root)
        }
        .boxed()
    }
}

impl Place {
    fn looking(&self) -> Looking<'_> {
        Looking {
            root: &self.root,
            rules: &self.rules,
            limits: self.limits,
            threads: std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4)),
        }
    }

    /// Whether a command can change a file of the workspace at all.
    fn may_change(&self, command: &str, folder: &Path) -> bool {
        let is_closed = self.sandbox.as_ref().is_some_and(|sandbox| {
            let mut writable = sandbox.writable.iter().map(|path| real_path(path));
            !writable.any(|path| path.starts_with(&self.root) || self.root.starts_with(path))
        });
        let is_safe = || {
            let place = shell::Place {
                cwd: folder,
                roots: std::slice::from_ref(&self.root),
                view: &DiskView {
                    roots: std::slice::from_ref(&self.root),
                    environment: &self.known,
                },
            };
            let script = shell::parse(command);
            script.is_ok_and(|script| shell::judge(&script, &place) == shell::Safety::KnownSafe)
        };
        !is_closed && !is_safe()
    }

    /// Editors may have opened the folder through a link.
    fn spelled_here(&self, known: Vec<(PathBuf, Arc<str>)>) -> Vec<(PathBuf, Arc<str>)> {
        let spelled = known.into_iter().map(|(path, text)| {
            let path = match path.strip_prefix(&self.folder) {
                Ok(below) => self.root.join(below),
                Err(_) => path,
            };
            (path, text)
        });
        spelled.collect()
    }

    async fn objects(&self, mut names: Vec<String>) -> BTreeMap<String, Arc<[u8]>> {
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return BTreeMap::new();
        }
        let Some(git) = Git::find(&self.root, &self.environment).await else {
            return BTreeMap::new();
        };
        match git.contents(&names).await {
            Ok(found) => found
                .into_iter()
                .map(|(name, bytes)| (name, bytes.into()))
                .collect(),
            Err(error) => {
                tracing::warn!(%error, "git does not say what files were before a command");
                BTreeMap::new()
            }
        }
    }

    fn unwatched(&self) -> Changes {
        Changes {
            files: Vec::new(),
            not_reversible: vec![NotReversible {
                path: self.root.clone(),
                reason: "it has too many files to see what a command changes".to_owned(),
            }],
        }
    }
}
