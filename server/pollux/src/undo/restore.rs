//! Brings a snapshot back. What stands in the way is kept first, so this can be undone as well.

mod files;
mod in_git;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;
use pollux_exec::Variable;
use pollux_sessions::iso;
use serde::Serialize;

use super::keeper::entries;
use super::manifest::{About, Entry, LeftOut, Manifest, State};
use super::store::{Retention, Snapshot, Standing, Store, hash};
use super::survey::{Budget, Found, Limits, Survey, is_gone};
use super::{platform, survey};
use in_git::GitSide;

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Restored {
    pub(crate) id: String,
    /// Files, links and folders that are as they were.
    pub(crate) restored: Vec<PathBuf>,
    /// What the command had made.
    pub(crate) removed: Vec<PathBuf>,
    /// Those of them that held something else a moment ago.
    pub(crate) replaced: Vec<PathBuf>,
    pub(crate) unchanged: usize,
    /// The snapshot of what was there before, if anything changed.
    pub(crate) before: Option<String>,
    pub(crate) stashes: usize,
    pub(crate) notes: Vec<String>,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) failed: Vec<Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Failure {
    pub(crate) path: PathBuf,
    pub(crate) why: String,
}

pub(crate) struct Restoring<'a> {
    pub(crate) store: &'a Store,
    /// The person's own.
    pub(crate) environment: &'a [Variable],
    pub(crate) retention: Retention,
}

impl Restoring<'_> {
    pub(crate) async fn restore(&self, snapshot: &Snapshot) -> Result<Restored> {
        let id = &snapshot.id;
        let manifest = self.store.manifest(id)?;
        let mut outcome = Restored {
            id: id.clone(),
            left_out: manifest.left_out.clone(),
            ..Restored::default()
        };
        let known: BTreeMap<PathBuf, &State> = manifest
            .entries
            .iter()
            .map(|entry| (entry.path.to_path(), &entry.state))
            .collect();
        let mut sides = Vec::new();
        for repository in &manifest.repositories {
            let side = GitSide::look(self, id, repository, &known).await;
            match side {
                Ok(Some(side)) => sides.push(side),
                Ok(None) => {}
                Err(error) => outcome.fail(&repository.root.to_path(), &error),
            }
        }
        let changes = changes(&manifest, &known, &mut outcome);
        let touched = touched(&changes, &sides);
        outcome.replaced = replaced(&changes);
        outcome.before = self.keep_present(snapshot, &touched)?;

        files::write(self.store, id, &changes, &mut outcome);
        for side in &sides {
            side.apply(&mut outcome).await;
        }
        if outcome.failed.is_empty() {
            self.store.mark(id, Standing::Undone)?;
            if let Some(undone) = &snapshot.about.undoes {
                // It can be brought back once more, unless it is gone by now.
                let _gone = self.store.mark(undone, Standing::Waiting);
            }
        }
        let mut needed = vec![id.as_str()];
        needed.extend(outcome.before.as_deref());
        self.store.tidy(self.retention, &needed)?;
        Ok(outcome)
    }

    /// A snapshot of what will be changed, as it is now.
    fn keep_present(
        &self,
        snapshot: &Snapshot,
        touched: &BTreeMap<PathBuf, Depth>,
    ) -> Result<Option<String>> {
        if touched.is_empty() {
            return Ok(None);
        }
        let limits = Limits {
            inside: Budget::ENDLESS,
            outside: Budget::ENDLESS,
            expendable: Budget::ENDLESS,
        };
        let mut survey = Survey::new(&[], self.store.folder(), limits);
        for (path, depth) in touched {
            match depth {
                Depth::Whole => survey.as_it_is(path)?,
                Depth::Bare => survey.bare(path),
            }
        }
        let mut making = self.store.make()?;
        let manifest = Manifest {
            entries: entries(&mut making, std::mem::take(&mut survey.found))?,
            left_out: survey.left_out,
            repositories: Vec::new(),
        };
        let about = About {
            command: format!("pollux undo {}", snapshot.id),
            folder: snapshot.about.folder.clone(),
            time: iso(SystemTime::now()),
            undoes: Some(snapshot.id.clone()),
            files: 0,
            bytes: 0,
        };
        making.finish(about, &manifest).map(Some)
    }
}

impl Restored {
    fn fail(&mut self, path: &Path, error: &anyhow::Error) {
        self.failed.push(Failure {
            path: path.to_owned(),
            why: format!("{error:#}"),
        });
    }
}

/// A path that is not as it was.
struct Change<'a> {
    path: PathBuf,
    wanted: &'a State,
    /// What is there now.
    present: Option<Found>,
    passage: Passage,
}

/// What differs, in the order of the paths. A path that a link leads away from is a failure.
fn changes<'a>(
    manifest: &'a Manifest,
    known: &BTreeMap<PathBuf, &State>,
    outcome: &mut Restored,
) -> Vec<Change<'a>> {
    let mut way = Way::default();
    let mut changes = Vec::new();
    for Entry { path, state } in &manifest.entries {
        let path = path.to_path();
        let looked = way.check(&path, known).and_then(|passage| {
            let present = match passage {
                Passage::Open => present(&path)?,
                // Whatever is seen through a link is not what was there.
                Passage::Replaced => Some(Found::Absent),
            };
            Ok((passage, present))
        });
        let (passage, present) = match looked {
            Ok(looked) => looked,
            // What is behind something else is not there.
            Err(_) if matches!(state, State::Absent | State::NoFolder) => {
                outcome.unchanged += 1;
                continue;
            }
            Err(error) => {
                outcome.fail(&path, &error);
                continue;
            }
        };
        match is_as_wanted(&path, state, present.as_ref()) {
            true => outcome.unchanged += 1,
            false => changes.push(Change {
                path,
                wanted: state,
                present,
                passage,
            }),
        }
    }
    changes
}

/// The folders on the way to paths, each looked at once.
#[derive(Default)]
struct Way {
    open: BTreeSet<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passage {
    Open,
    /// Something on the way becomes a folder again before.
    Replaced,
}

impl Way {
    fn check(&mut self, path: &Path, known: &BTreeMap<PathBuf, &State>) -> Result<Passage> {
        let folders: Vec<&Path> = path.ancestors().skip(1).collect();
        for folder in folders.into_iter().rev() {
            if self.open.contains(folder) {
                continue;
            }
            match fs::symlink_metadata(folder) {
                Ok(found) if found.is_dir() => {
                    self.open.insert(folder.to_owned());
                }
                Ok(_) if matches!(known.get(folder), Some(State::Folder { .. })) => {
                    return Ok(Passage::Replaced);
                }
                Ok(_) => anyhow::bail!("{} was a folder and is none any more", folder.display()),
                Err(error) if is_gone(&error) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Passage::Open)
    }
}

/// What is at a path now; nothing for what cannot be kept, such as a pipe.
fn present(path: &Path) -> Result<Option<Found>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(survey::what_is(path, &metadata)?),
        Err(error) if is_gone(&error) => Ok(Some(Found::Absent)),
        Err(error) => Err(error.into()),
    }
}

fn is_as_wanted(path: &Path, wanted: &State, present: Option<&Found>) -> bool {
    match (wanted, present) {
        (
            State::File {
                size,
                mode,
                hash: kept,
                ..
            },
            Some(Found::File),
        ) => {
            let same = platform::open_plain(path).and_then(|mut file| {
                let found = file.metadata()?;
                Ok(found.len() == *size
                    && platform::mode_of(&found) == *mode
                    && hash(&mut file)? == *kept)
            });
            same.unwrap_or(false)
        }
        (State::Link { target }, Some(Found::Link(found))) => target.to_path() == *found,
        (State::Folder { mode }, Some(Found::Folder { mode: found })) => mode == found,
        (State::Absent, Some(Found::Absent)) => true,
        (State::NoFolder, present) => !matches!(present, Some(Found::Folder { .. })),
        _ => false,
    }
}

/// How much of a folder is about to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    Whole,
    /// It gets another mode, or goes away when it is empty.
    Bare,
}

fn touched(changes: &[Change<'_>], sides: &[GitSide]) -> BTreeMap<PathBuf, Depth> {
    // What is behind a link stays where it is.
    let changes = changes
        .iter()
        .filter(|change| change.passage == Passage::Open);
    let changed = changes.map(|change| {
        let is_folder = matches!(change.present, Some(Found::Folder { .. }));
        let depth = match change.wanted {
            State::Folder { .. } | State::NoFolder if is_folder => Depth::Bare,
            _ => Depth::Whole,
        };
        (change.path.clone(), depth)
    });
    let by_git = sides.iter().flat_map(GitSide::touched);
    changed
        .chain(by_git.map(|path| (path.clone(), Depth::Whole)))
        .collect()
}

/// Files and links that somebody may have changed meanwhile, and folders that are in the way.
fn replaced(changes: &[Change<'_>]) -> Vec<PathBuf> {
    let replaced = changes.iter().filter(|change| {
        let is_folder = matches!(change.wanted, State::Folder { .. });
        match change.present {
            Some(Found::Absent | Found::NoFolder) => false,
            Some(Found::Folder { .. }) => !is_folder && *change.wanted != State::NoFolder,
            Some(Found::File | Found::Link(_)) | None => *change.wanted != State::Absent,
        }
    });
    replaced.map(|change| change.path.clone()).collect()
}
