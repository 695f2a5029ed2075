//! The repository that git finds in a folder, and whether git would run programs that it names.
//!
//! Somebody else may have made the folder, `.git` included: archives bring along what a clone would not.

#[path = "repository/index.rs"]
mod index;

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use pollux_policy::GitRepository;

use super::resolve;

/// Settings with which git runs a program while it only reads, or reads elsewhere.
const PROGRAMS: &[&str] = &[
    "textconv",
    "command",
    "clean",
    "smudge",
    "process",
    "external",
    "program",
    "driver",
    "worktree",
    "pager",
    "sshcommand",
    "attributesfile",
    "packobjectshook",
    "alternaterefscommand",
    "uploadpack",
    "vcs",
    "askpass",
    "gitproxy",
];

/// Sections in which every setting names a program or another file of settings.
const SECTIONS: &[&str] = &["[include", "[pager", "[protocol"];

/// More submodules than this are not looked at.
const MOST_REPOSITORIES: usize = 200;

/// What git finds when it starts in the folder.
pub(super) fn found_from(folder: &Path) -> GitRepository {
    let mut seen = BTreeSet::new();
    match is_plain(folder, &mut seen) {
        true => GitRepository::Plain,
        false => GitRepository::RunsPrograms,
    }
}

fn is_plain(folder: &Path, seen: &mut BTreeSet<PathBuf>) -> bool {
    let Some(folder) = resolve(folder) else {
        return false;
    };
    for folder in folder.ancestors() {
        let git = folder.join(".git");
        if is_bare(folder) {
            return false;
        }
        let Ok(metadata) = fs::metadata(&git) else {
            // A link that leads nowhere may lead somewhere when git looks.
            if fs::symlink_metadata(&git).is_ok() {
                return false;
            }
            continue;
        };
        let git = match metadata.is_dir() {
            true => git,
            false => match linked(&git) {
                Some(git) => git,
                None => return false,
            },
        };
        if !has_plain_settings(&git, folder) || !has_plain_submodules(&git, folder, seen) {
            return false;
        }
        // Git passes by a folder that is no repository, and goes on above it.
        let exists = |name: &str| fs::symlink_metadata(git.join(name)).is_ok();
        if exists("HEAD") && (exists("objects") && exists("refs") || exists("commondir")) {
            return true;
        }
    }
    true
}

/// `.git` is a file in a worktree or a submodule.
fn linked(file: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let folder = text.strip_prefix("gitdir:")?.trim();
    let folder = file.parent()?.join(folder).canonicalize().ok()?;
    // Only a folder that is called `.git` is out of the repository's own reach.
    let is_out_of_reach = folder.components().any(|part| part.as_os_str() == ".git");
    is_out_of_reach.then_some(folder)
}

fn is_bare(folder: &Path) -> bool {
    let exists = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    let is_repository = exists("HEAD")
        && (exists("objects") || exists("refs") || exists("config") || exists("commondir"));
    is_repository && folder.file_name().is_none_or(|name| name != ".git")
}

fn has_plain_settings(git: &Path, worktree: &Path) -> bool {
    // The settings of a worktree are those of its repository.
    let common = match fs::read_to_string(git.join("commondir")) {
        Ok(common) => match git.join(common.trim()).canonicalize() {
            Ok(common) if common.components().any(|part| part.as_os_str() == ".git") => common,
            _ => return false,
        },
        Err(error) if error.kind() == ErrorKind::NotFound => git.to_owned(),
        Err(_) => return false,
    };
    let mut hooks = vec![git.join("hooks"), common.join("hooks")];
    for file in [
        git.join("config"),
        common.join("config"),
        git.join("config.worktree"),
        common.join("config.worktree"),
    ] {
        match fs::read(&file) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                if names_programs(&text) {
                    return false;
                }
                let paths = values(&text, "hookspath");
                hooks.extend(paths.map(|path| worktree.join(path.trim_matches('"'))));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(_) => return false,
        }
    }
    // The only hook of commands that read: they refresh the index.
    let hook = |folder: &PathBuf| fs::symlink_metadata(folder.join("post-index-change")).is_ok();
    !hooks.iter().any(hook)
}

/// Settings are looked for anywhere in a line, whatever stands before them.
fn names_programs(settings: &str) -> bool {
    let lower = settings.to_ascii_lowercase();
    let is_program = |value: &str| !matches!(value, "true" | "false" | "" | "0" | "1");
    SECTIONS.iter().any(|section| lower.contains(section))
        || lower.contains("ext::")
        || values(settings, "fsmonitor").any(|value| is_program(&value.to_ascii_lowercase()))
        || PROGRAMS
            .iter()
            .any(|name| values(settings, name).next().is_some())
}

/// The values of all settings with this name.
fn values<'a>(settings: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    settings.lines().flat_map(move |line| {
        line.match_indices('=').filter_map(move |(at, _)| {
            let before = line.get(..at)?.trim_end();
            let is_of_key = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let key = before.rsplit(|c| !is_of_key(c)).next()?;
            key.eq_ignore_ascii_case(name)
                .then(|| line.get(at + 1..).unwrap_or_default().trim())
        })
    })
}

/// Git looks into submodules too, and what it is told by their settings.
fn has_plain_submodules(git: &Path, worktree: &Path, seen: &mut BTreeSet<PathBuf>) -> bool {
    if !seen.insert(worktree.to_owned()) {
        return true;
    }
    let index = match fs::read(git.join("index")) {
        Ok(index) => index,
        Err(error) => return error.kind() == ErrorKind::NotFound,
    };
    let Some(paths) = index::submodules(&index) else {
        return false;
    };
    seen.len() + paths.len() <= MOST_REPOSITORIES
        && paths.iter().all(|path| {
            let folder = worktree.join(path);
            fs::symlink_metadata(folder.join(".git")).is_err() || is_plain(&folder, seen)
        })
}

#[cfg(test)]
#[path = "repository/tests.rs"]
mod tests;
