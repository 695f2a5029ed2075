//! The workspace as the policy sees it: links, repositories, names of files and variables.

#[path = "view/repository.rs"]
mod repository;

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use pollux_policy::shell::is_secret_name;
use pollux_policy::{GitRepository, HiddenFiles, WorkspaceView};

/// Longer chains of links than this lead nowhere.
const MOST_LINKS: usize = 40;

/// Nobody waits for more files than this before a command is judged.
const MOST_FILES: usize = 50_000;

/// The environment that commands inherit, as far as they are judged by it.
///
/// It is that of the person's door: a host has none of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandEnvironment {
    names: BTreeSet<String>,
    path: Vec<PathBuf>,
}

/// The disk, and the environment of commands.
pub(crate) struct DiskView<'a> {
    pub(crate) roots: &'a [PathBuf],
    pub(crate) environment: &'a CommandEnvironment,
}

impl<'a> FromIterator<(&'a str, &'a str)> for CommandEnvironment {
    fn from_iter<T: IntoIterator<Item = (&'a str, &'a str)>>(variables: T) -> Self {
        let mut environment = Self::default();
        for (name, value) in variables {
            if name == "PATH" {
                environment.path = std::env::split_paths(value).collect();
            }
            environment.names.insert(name.to_owned());
        }
        environment
    }
}

impl WorkspaceView for DiskView<'_> {
    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        resolve(path)
    }

    fn has_variable(&self, name: &str) -> bool {
        self.environment.names.contains(name)
    }

    fn git_repository(&self, folder: &Path) -> GitRepository {
        repository::found_from(folder)
    }

    fn is_program_of_workspace(&self, name: &str) -> bool {
        let found = self.environment.path.iter().find_map(|folder| {
            // An empty or relative one is looked for wherever the command runs.
            if !folder.is_absolute() {
                return Some(true);
            }
            let program = folder.join(name);
            let is_there = fs::metadata(&program).is_ok_and(|metadata| metadata.is_file());
            is_there.then(|| {
                let is_inside = |path: &Path| self.roots.iter().any(|root| path.starts_with(root));
                is_inside(&program) || resolve(&program).is_none_or(|real| is_inside(&real))
            })
        });
        found.unwrap_or(false)
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
            if name == "node_modules" && hidden != HiddenFiles::IncludedWithPackages {
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
