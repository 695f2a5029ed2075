//! What ignore files say about the paths of a project.
//!
//! Two kinds of files have a say. Git's (`.gitignore` in every folder of a repository, `.git/info/exclude`) count inside
//! a repository only. The agent's own (`.geminiignore` in the project's root, and files named in the settings) count
//! everywhere and are read after git's, so they can also bring back what git ignores. One folder's rules are worked
//! out once and handed to what lies below, in a walk as for a single path.

mod chain;
mod patterns;
mod repository;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::Gitignore;

use chain::Chain;

const AGENT_FILE: &str = ".geminiignore";

/// Whether a kind of ignore file counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Respect {
    Yes,
    No,
}

/// Which ignore files count.
#[derive(Clone, Debug)]
pub struct RuleFiles {
    pub git: Respect,
    pub gemini: Respect,
    /// Files named in the settings, the strongest first; relative ones are looked for in the project's root.
    pub custom: Vec<PathBuf>,
}

impl Default for RuleFiles {
    fn default() -> Self {
        Self {
            git: Respect::Yes,
            gemini: Respect::Yes,
            custom: Vec::new(),
        }
    }
}

impl RuleFiles {
    /// No ignore file counts.
    pub fn none() -> Self {
        Self {
            git: Respect::No,
            gemini: Respect::No,
            custom: Vec::new(),
        }
    }
}

/// What a path names; patterns that end in a slash are for folders only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
}

/// The ignore rules of one project.
///
/// A snapshot: a folder's ignore files are read when the first path in it is asked for. Build a new one for every call
/// of a tool; that reads a few small files.
#[derive(Debug)]
pub struct IgnoreRules {
    root: PathBuf,
    /// The root without links, to recognise a link that leads out of it.
    real_root: PathBuf,
    agent: AgentRules,
    git: Respect,
    /// The rules for what is directly in the root.
    top: FolderRules,
    folders: Mutex<HashMap<PathBuf, FolderState>>,
}

/// How the agent's files and git's are put together.
#[derive(Debug)]
enum AgentRules {
    /// Read as one long file, git's part first: the last pattern that fits decides.
    Combined(Gitignore),
    /// Someone switched one kind off: each is asked alone, and one that ignores is enough.
    Separate(Vec<Gitignore>),
}

/// The rules that hold for the entries of one folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct FolderRules {
    git: Chain,
}

#[derive(Clone, Debug)]
enum FolderState {
    Open(FolderRules),
    /// And with it everything below, whatever the patterns say about that.
    Ignored,
}

impl IgnoreRules {
    /// The rules of the project at an absolute path.
    pub fn new(root: &Path, files: &RuleFiles) -> Self {
        let read = |files: &[PathBuf]| {
            let files: Vec<PathBuf> = files.iter().map(|file| root.join(file)).collect();
            patterns::read(root, &files)
        };
        // In one file the last pattern wins, so the strongest file goes last.
        let custom = files.custom.iter().rev().cloned();
        let gemini = [PathBuf::from(AGENT_FILE)];
        let agent = match (files.git, files.gemini) {
            (Respect::Yes, Respect::Yes) => {
                let all: Vec<PathBuf> = gemini.into_iter().chain(custom).collect();
                AgentRules::Combined(read(&all))
            }
            (_, respect_gemini) => {
                let mut all = vec![read(&custom.collect::<Vec<_>>())];
                if respect_gemini == Respect::Yes {
                    all.push(read(&gemini));
                }
                all.retain(|rules| !rules.is_empty());
                AgentRules::Separate(all)
            }
        };
        let top = match files.git {
            Respect::Yes => FolderRules {
                git: repository::above(root).enter(root, repository::found_in(root)),
            },
            Respect::No => FolderRules::default(),
        };
        Self {
            root: root.to_path_buf(),
            real_root: fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf()),
            agent,
            git: files.git,
            top,
            folders: Mutex::default(),
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a path, absolute or relative to the root, is ignored: by itself, with a folder it is in, or because it
    /// is a link (or below one) to something that is ignored or outside. A path outside the project is not.
    pub fn is_ignored(&self, path: &Path, kind: Kind) -> bool {
        let Some(relative) = self.relative(path) else {
            return false;
        };
        self.is_spelled_ignored(&relative, kind) || self.leads_to_ignored(&relative, kind)
    }

    /// Whether a link's end is ignored or outside the project. `relative` may go through links at any place.
    pub(crate) fn leads_to_ignored(&self, relative: &Path, kind: Kind) -> bool {
        // What does not exist, say a file that is only in an editor, is as real as the folder it would be in.
        let real = relative.ancestors().find_map(|existing| {
            let real = fs::canonicalize(self.root.join(existing)).ok()?;
            let rest = relative.strip_prefix(existing).ok()?;
            Some(if rest.as_os_str().is_empty() {
                real
            } else {
                real.join(rest)
            })
        });
        let Some(real) = real else {
            return false;
        };
        match real.strip_prefix(&self.real_root) {
            Ok(target) if target == relative => false,
            Ok(target) => {
                crate::closed_segment(target).is_some() || self.is_spelled_ignored(target, kind)
            }
            Err(_) => true,
        }
    }

    /// The rules for the entries of a folder; none if the folder itself is ignored.
    pub(crate) fn folder(&self, relative: &Path) -> Option<FolderRules> {
        if relative.as_os_str().is_empty() {
            return Some(self.top.clone());
        }
        match self.folder_state(relative) {
            FolderState::Open(rules) => Some(rules),
            FolderState::Ignored => None,
        }
    }

    /// The rules one folder further down, for a folder that is not ignored. `holds` tells which of git's files it has.
    pub(crate) fn enter(
        &self,
        rules: &FolderRules,
        path: &Path,
        holds: repository::Holds,
    ) -> FolderRules {
        match self.git {
            Respect::Yes => FolderRules {
                git: rules.git.enter(path, holds),
            },
            Respect::No => FolderRules::default(),
        }
    }

    /// Whether an entry of a folder with these rules is ignored. The path is absolute.
    pub(crate) fn is_entry_ignored(&self, rules: &FolderRules, path: &Path, kind: Kind) -> bool {
        let is_folder = kind == Kind::Folder;
        match &self.agent {
            AgentRules::Combined(agent) => match agent.matched(path, is_folder) {
                Match::Ignore(_) => true,
                Match::Whitelist(_) => false,
                Match::None => rules.git.ignores(path, is_folder),
            },
            AgentRules::Separate(all) => {
                all.iter()
                    .any(|agent| agent.matched(path, is_folder).is_ignore())
                    || rules.git.ignores(path, is_folder)
            }
        }
    }

    fn is_spelled_ignored(&self, relative: &Path, kind: Kind) -> bool {
        let Some(parent) = relative.parent() else {
            return false;
        };
        match self.folder(parent) {
            Some(rules) => self.is_entry_ignored(&rules, &self.root.join(relative), kind),
            None => true,
        }
    }

    fn folder_state(&self, relative: &Path) -> FolderState {
        if let Some(state) = self.known(relative) {
            return state;
        }
        // Not recursive: a path may be as deep as somebody likes.
        let mut rules = self.top.clone();
        let mut state = FolderState::Open(rules.clone());
        let mut path = self.root.clone();
        let mut so_far = PathBuf::new();
        for component in relative.components() {
            path.push(component);
            so_far.push(component);
            state = match self.known(&so_far) {
                Some(state) => state,
                None if self.is_entry_ignored(&rules, &path, Kind::Folder) => FolderState::Ignored,
                None => FolderState::Open(self.enter(&rules, &path, repository::found_in(&path))),
            };
            self.remember(&so_far, &state);
            match &state {
                FolderState::Open(below) => rules = below.clone(),
                FolderState::Ignored => break,
            }
        }
        state
    }

    fn known(&self, relative: &Path) -> Option<FolderState> {
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.get(relative).cloned()
    }

    fn remember(&self, relative: &Path, state: &FolderState) {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.insert(relative.to_path_buf(), state.clone());
    }

    /// The path below the root, without `.`; none for one that is not, or only by its spelling.
    pub(crate) fn relative(&self, path: &Path) -> Option<PathBuf> {
        let below = if path.is_absolute() {
            path.strip_prefix(&self.root)
                .or_else(|_| path.strip_prefix(&self.real_root))
                .ok()?
        } else {
            path
        };
        let mut relative = PathBuf::new();
        for component in below.components() {
            match component {
                Component::Normal(name) => relative.push(name),
                Component::CurDir => {}
                Component::ParentDir => {
                    if !relative.pop() {
                        return None;
                    }
                }
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(relative)
    }
}

pub(crate) use repository::Holds;
