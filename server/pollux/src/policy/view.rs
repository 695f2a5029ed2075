//! The workspace as the policy sees it: links, repositories, names of files and variables.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use pollux_policy::shell::is_secret_name;
use pollux_policy::{GitRepository, HiddenFiles, WorkspaceView};

/// Longer chains of links than this lead nowhere.
const MOST_LINKS: usize = 40;

/// Nobody waits for more files than this before a command is judged.
const MOST_FILES: usize = 50_000;

/// Settings of a repository with which git runs a program while it only reads, or reads elsewhere.
const GIT_PROGRAMS: &[&str] = &[
    "textconv",
    "command",
    "clean",
    "smudge",
    "process",
    "external",
    "program",
    "driver",
    "worktree",
    "path",
    "pager",
    "sshcommand",
    "attributesfile",
    "packobjectshook",
    "alternaterefscommand",
];

/// The disk and the environment of this process.
pub(crate) struct DiskView<'a> {
    pub(crate) roots: &'a [PathBuf],
}

impl WorkspaceView for DiskView<'_> {
    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        resolve(path)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "asks whether a name is set, and reads no value"
    )]
    fn has_variable(&self, name: &str) -> bool {
        std::env::var_os(name).is_some()
    }

    fn git_repository(&self, folder: &Path) -> GitRepository {
        let Some(folder) = resolve(folder) else {
            return GitRepository::RunsPrograms;
        };
        for folder in folder.ancestors() {
            let git = folder.join(".git");
            if let Ok(metadata) = fs::metadata(&git) {
                let git = match metadata.is_dir() {
                    true => Some(git),
                    false => linked_repository(&git),
                };
                return git.map_or(GitRepository::RunsPrograms, |git| settings_of(&git));
            }
            if fs::symlink_metadata(&git).is_ok() || is_bare(folder) {
                return GitRepository::RunsPrograms;
            }
        }
        GitRepository::Plain
    }

    fn is_free_of_secrets(&self, folder: &Path, hidden: HiddenFiles) -> bool {
        let mut left = MOST_FILES;
        let Some(start) = resolve(folder) else {
            return false;
        };
        match fs::symlink_metadata(&start) {
            Err(error) => error.kind() == ErrorKind::NotFound,
            Ok(metadata) if !metadata.is_dir() => true,
            Ok(_) => self.is_clean(&start, hidden, &mut left),
        }
    }
}

impl DiskView<'_> {
    fn is_clean(&self, folder: &Path, hidden: HiddenFiles, left: &mut usize) -> bool {
        let Ok(entries) = fs::read_dir(folder) else {
            return false;
        };
        for entry in entries {
            let Some(rest) = left.checked_sub(1) else {
                return false;
            };
            *left = rest;
            let Ok(entry) = entry else { return false };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if hidden == HiddenFiles::Skipped && name.starts_with('.') {
                continue;
            }
            // Packages that everybody can download hold nothing of this person.
            if name == "node_modules" {
                continue;
            }
            if name == ".git" {
                if !has_no_password(&entry.path()) {
                    return false;
                }
                continue;
            }
            if name.starts_with('-') || is_secret_name(&name) {
                return false;
            }
            let Ok(kind) = entry.file_type() else {
                return false;
            };
            if kind.is_symlink() && !self.stays_inside(&entry.path())
                || kind.is_dir() && !self.is_clean(&entry.path(), hidden, left)
            {
                return false;
            }
        }
        true
    }

    fn stays_inside(&self, link: &Path) -> bool {
        resolve(link).is_some_and(|real| {
            let is_secret = real
                .components()
                .any(|part| is_secret_name(&part.as_os_str().to_string_lossy()));
            !is_secret && self.roots.iter().any(|root| real.starts_with(root))
        })
    }
}

/// The address of a remote may hold a password.
fn has_no_password(git: &Path) -> bool {
    match fs::read_to_string(git.join("config")) {
        Ok(text) => !text.lines().any(|line| {
            let line = line.to_ascii_lowercase();
            line.contains("extraheader")
                || line.contains("password")
                || line.contains("token")
                || line
                    .split_once("://")
                    .is_some_and(|(_, rest)| rest.contains('@'))
        }),
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

/// `.git` is a file in a worktree or a submodule.
fn linked_repository(file: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let folder = text.strip_prefix("gitdir:")?.trim();
    let folder = file.parent()?.join(folder);
    // The settings of a worktree are those of its repository.
    let common = fs::read_to_string(folder.join("commondir"));
    let folder = match common {
        Ok(common) => folder.join(common.trim()),
        Err(_) => folder,
    };
    // Only a folder that is called `.git` is out of the repository's own reach.
    let folder = folder.canonicalize().ok()?;
    let is_out_of_reach = folder.components().any(|part| part.as_os_str() == ".git");
    is_out_of_reach.then_some(folder)
}

fn is_bare(folder: &Path) -> bool {
    let exists = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    exists("HEAD")
        && (exists("objects") || exists("refs") || exists("config") || exists("commondir"))
}

fn settings_of(git: &Path) -> GitRepository {
    for file in ["config", "config.worktree"] {
        match fs::read(git.join(file)) {
            Ok(text) if names_programs(&String::from_utf8_lossy(&text)) => {
                return GitRepository::RunsPrograms;
            }
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return GitRepository::RunsPrograms;
            }
            _ => {}
        }
    }
    GitRepository::Plain
}

fn names_programs(config: &str) -> bool {
    let mut section = String::new();
    config.lines().any(|line| {
        let mut line = line.trim().to_ascii_lowercase();
        if let Some(rest) = line.strip_prefix('[') {
            let (name, after) = rest.split_once(']').unwrap_or((rest, ""));
            section = name.trim().to_owned();
            line = after.trim().to_owned();
            if section.starts_with("include") {
                return true;
            }
        }
        let (key, value) = line.split_once('=').unwrap_or((line.as_str(), ""));
        let key = key.trim();
        let value = value.trim();
        match key {
            "fsmonitor" => !matches!(value, "true" | "false" | "" | "0" | "1"),
            // Where a submodule lies is no program.
            "path" => !section.starts_with("submodule"),
            _ => GIT_PROGRAMS.contains(&key),
        }
    })
}

/// Follows links, dangling ones too; what does not exist yet lies where its folder lies.
pub(super) fn resolve(path: &Path) -> Option<PathBuf> {
    let mut left = MOST_LINKS;
    follow(path, &mut left)
}

fn follow(path: &Path, left: &mut usize) -> Option<PathBuf> {
    match path.canonicalize() {
        Ok(real) => return Some(real),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
        Err(_) => return None,
    }
    let mut real = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                real.pop();
            }
            Component::Prefix(_) | Component::RootDir => real.push(component),
            Component::Normal(name) => {
                real.push(name);
                match fs::read_link(&real) {
                    Ok(to) => {
                        *left = left.checked_sub(1)?;
                        real.pop();
                        real = follow(&real.join(to), left)?;
                    }
                    // It is no link, or does not exist.
                    Err(error)
                        if matches!(
                            error.kind(),
                            ErrorKind::InvalidInput
                                | ErrorKind::NotFound
                                | ErrorKind::NotADirectory
                        ) => {}
                    Err(_) => return None,
                }
            }
        }
    }
    Some(real)
}

// By its path, because the oracle compiles this file as well.
#[cfg(test)]
#[path = "view/tests.rs"]
mod tests;
