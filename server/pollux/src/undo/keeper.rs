//! Makes a snapshot before a command runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::Keeper;
use pollux_exec::Variable;
use pollux_policy::shell::Destruction;
use pollux_sessions::iso;
use pollux_settings::{Locations, real_path};

use super::git::{Changed, Git, How};
use super::manifest::{About, Entry, KeptPath, Manifest, Repository, Stash, State};
use super::scope::{Elsewhere, EmptyFolders, Target, WorkTree, targets};
use super::store::{Making, Retention, Store};
use super::survey::{Found, Limits, Survey, is_gone};

/// Keeps what commands destroy, in a folder of the person's own.
#[derive(Clone, Debug)]
pub(crate) struct DiskKeeper {
    store: Store,
    roots: Vec<PathBuf>,
    environment: Vec<Variable>,
    limits: Limits,
    retention: Retention,
}

/// Where the snapshots of a project are. It is named as its sessions are.
pub(crate) fn store(locations: &Locations, slug: &str) -> PathBuf {
    let undo = locations.gemini_dir.join("pollux").join("undo");
    undo.join(slug)
}

impl DiskKeeper {
    /// Git is asked with the environment that commands get.
    pub(crate) fn new(store: PathBuf, roots: &[PathBuf], environment: Vec<Variable>) -> Self {
        Self {
            store: Store::new(real_path(&store)),
            roots: roots.iter().map(|root| real_path(root)).collect(),
            environment,
            limits: Limits::default(),
            retention: Retention::default(),
        }
    }

    #[cfg(test)]
    pub(super) fn for_test(
        store: Store,
        roots: Vec<PathBuf>,
        environment: Vec<Variable>,
        limits: Limits,
        retention: Retention,
    ) -> Self {
        Self {
            store,
            roots,
            environment,
            limits,
            retention,
        }
    }

    /// Makes a snapshot and says its name; none when there is nothing that could be lost.
    pub(super) async fn snapshot(
        &self,
        command: &str,
        folder: &Path,
        destructions: &[Destruction],
    ) -> Result<Option<String>> {
        let folder = std::fs::canonicalize(folder)
            .with_context(|| format!("{} cannot be read", folder.display()))?;
        let targets = targets(command, &folder, destructions);
        let plan = self.ask_git(&targets).await?;
        let about = About {
            command: command.to_owned(),
            folder: KeptPath::from(folder.as_path()),
            time: iso(SystemTime::now()),
            undoes: None,
            files: 0,
            bytes: 0,
        };
        let keeper = self.clone();
        let copying = tokio::task::spawn_blocking(move || keeper.copy(about, &targets, plan));
        copying.await?
    }

    async fn ask_git(&self, targets: &[Target]) -> Result<GitPlan> {
        let mut plan = GitPlan::default();
        for target in targets {
            let (Target::WorkTree(WorkTree { folder, .. }) | Target::Stashes(folder)) = target
            else {
                continue;
            };
            let Some(git) = Git::find(folder, &self.environment).await else {
                if let Target::WorkTree(tree) = target
                    && tree.elsewhere == Elsewhere::Everything
                {
                    plan.folders.extend(self.roots.iter().cloned());
                }
                continue;
            };
            let facts = plan.repositories.entry(git.root().to_owned()).or_default();
            if facts.head.is_none() {
                facts.head = git.head().await;
                facts.branch = git.branch().await;
            }
            match target {
                Target::WorkTree(tree) => {
                    facts.index = git.index().await;
                    let changed = git.changed(tree.ignored).await?;
                    let wanted = |changed: &Changed| {
                        tree.within.is_empty()
                            || tree.within.iter().any(|part| {
                                changed.path.starts_with(part) || part.starts_with(&changed.path)
                            })
                    };
                    facts.changed.extend(changed.into_iter().filter(wanted));
                    match tree.within.is_empty() {
                        true => facts.all = true,
                        false => facts.within.extend(tree.within.iter().cloned()),
                    }
                    if tree.empty_folders == EmptyFolders::Kept {
                        facts.empty_folders_in = match tree.within.is_empty() {
                            true => vec![git.root().to_owned()],
                            false => tree.within.clone(),
                        };
                    }
                }
                _ => facts.stashes = git.stashes().await?,
            }
        }
        Ok(plan)
    }

    fn copy(&self, about: About, targets: &[Target], plan: GitPlan) -> Result<Option<String>> {
        let mut survey = Survey::new(&self.roots, self.store.folder(), self.limits);
        for target in targets {
            match target {
                Target::Whole(path) => survey.whole(path)?,
                Target::Written(path) => survey.written(path)?,
                Target::Bare(path) => survey.bare(path),
                Target::Moved(path) => survey.moved(path),
                Target::WorkTree(_) | Target::Stashes(_) => {}
            }
        }
        for folder in &plan.folders {
            survey.whole(folder)?;
        }
        for (root, facts) in &plan.repositories {
            for changed in &facts.changed {
                survey.folders_above(&changed.path, root);
                match changed.how {
                    // A submodule is a folder with a git of its own.
                    How::Tracked
                        if !changed.path.is_symlink() && changed.path.join(".git").exists() => {}
                    How::Tracked | How::Untracked => survey.precious(&changed.path)?,
                    How::Ignored => survey.ignored(&changed.path),
                }
            }
            for folder in &facts.empty_folders_in {
                survey.empty_folders(folder);
                survey.folders_above(&folder.join("."), root);
            }
        }
        survey.finish()?;
        let is_something = survey.found.values().any(Found::is_something);
        if !is_something && !plan.is_something() {
            return Ok(None);
        }
        let mut making = self.store.make()?;
        let mut manifest = Manifest {
            entries: entries(&mut making, survey.found)?,
            repositories: Vec::new(),
            left_out: survey.left_out,
        };
        for (root, facts) in plan.repositories {
            manifest.repositories.push(facts.keep(&root, &mut making)?);
        }
        let id = making.finish(about, &manifest)?;
        // The command is safe to run; an old snapshot that cannot be removed does not change that.
        if let Err(error) = self.store.tidy(self.retention, &[&id]) {
            tracing::warn!(%error, "old snapshots stay");
        }
        tracing::info!(%id, left_out = manifest.left_out.len(), "kept what a command destroys");
        Ok(Some(id))
    }
}

/// Copies what was found. What is gone by now counts as absent.
pub(super) fn entries(
    making: &mut Making<'_>,
    found: BTreeMap<PathBuf, Found>,
) -> Result<Vec<Entry>> {
    let mut entries = Vec::with_capacity(found.len());
    for (path, found) in found {
        let state = match found {
            Found::File => match making.file(&path) {
                Ok(state) => state,
                Err(error) if is_gone(&error) => State::Absent,
                Err(error) => {
                    return Err(error)
                        .with_context(|| format!("{} cannot be copied", path.display()));
                }
            },
            Found::Link(target) => State::Link {
                target: KeptPath::from(target.as_path()),
            },
            Found::Folder { mode } => State::Folder { mode },
            Found::Absent => State::Absent,
            Found::NoFolder => State::NoFolder,
        };
        entries.push(Entry {
            path: KeptPath::from(path.as_path()),
            state,
        });
    }
    Ok(entries)
}

/// What git said.
#[derive(Default)]
struct GitPlan {
    repositories: BTreeMap<PathBuf, Facts>,
    /// Folders to keep whole, because there is no git to ask.
    folders: Vec<PathBuf>,
}

#[derive(Default)]
struct Facts {
    head: Option<String>,
    branch: Option<String>,
    index: Option<PathBuf>,
    changed: Vec<Changed>,
    all: bool,
    within: Vec<PathBuf>,
    empty_folders_in: Vec<PathBuf>,
    stashes: Vec<Stash>,
}

impl GitPlan {
    fn is_something(&self) -> bool {
        let mut facts = self.repositories.values();
        facts.any(|facts| !facts.stashes.is_empty() || facts.index_exists())
    }
}

impl Facts {
    fn index_exists(&self) -> bool {
        self.index.as_ref().is_some_and(|index| index.is_file())
    }

    fn keep(self, root: &Path, making: &mut Making<'_>) -> Result<Repository> {
        let index = match self.index.as_ref().filter(|_| self.index_exists()) {
            Some(index) => Some(
                making
                    .other(index)
                    .context("git's index cannot be copied")?,
            ),
            None => None,
        };
        let within = self.within.iter().filter(|_| !self.all);
        Ok(Repository {
            root: KeptPath::from(root),
            head: self.head,
            branch: self.branch,
            index,
            within: within.map(|path| KeptPath::from(path.as_path())).collect(),
            stashes: self.stashes,
        })
    }
}

impl Keeper for DiskKeeper {
    fn keep<'a>(
        &'a self,
        command: &'a str,
        folder: &'a Path,
        destructions: &'a [Destruction],
    ) -> BoxFuture<'a, Result<(), String>> {
        async move {
            let kept = self.snapshot(command, folder, destructions).await;
            kept.map(drop).map_err(|error| format!("{error:#}"))
        }
        .boxed()
    }
}
