//! Commands that people have written: TOML files in the twin's folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pollux_agent::{CommandSource, CustomCommand, built_in_names};
use pollux_settings::{Loaded, is_foreign};
use toml_edit::Document;

/// Of one file. Nobody writes a longer prompt by hand.
const LARGEST_FILE: u64 = 256 * 1024;
const MOST_FILES: usize = 1_000;
const DEEPEST: usize = 8;
const LONGEST_SEGMENT: usize = 50;
const LONGEST_DESCRIPTION: usize = 100;

/// All commands of a folder, sorted by name. Without trust there are none at all: those of the user may read
/// files and run commands of the folder as well.
pub(crate) fn load(loaded: &Loaded, folder: &Path) -> Vec<CustomCommand> {
    if !loaded.trust.is_trusted() {
        return Vec::new();
    }
    let user = loaded.locations.gemini_dir.join("commands");
    let workspace = folder.join(".gemini").join("commands");
    let mut commands = read(&user, CommandSource::User);
    if workspace != user {
        commands.extend(read(&workspace, CommandSource::Workspace));
    }
    named(commands)
}

/// Gives every command a name of its own. Where two want the same, both say where they are from.
fn named(mut commands: Vec<CustomCommand>) -> Vec<CustomCommand> {
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for name in built_in_names().map(str::to_owned) {
        *wanted.entry(name).or_default() += 1;
    }
    for command in &commands {
        *wanted.entry(command.name.clone()).or_default() += 1;
    }
    for command in &mut commands {
        if wanted.get(&command.name).is_some_and(|count| *count > 1) {
            let source = match command.source {
                CommandSource::Workspace => "workspace",
                CommandSource::User | CommandSource::BuiltIn | CommandSource::Server => "user",
            };
            command.name = format!("{source}.{}", command.name);
        }
    }
    commands.sort_by(|one, other| one.name.cmp(&other.name));
    commands.dedup_by(|one, other| one.name == other.name);
    commands
}

fn read(folder: &Path, source: CommandSource) -> Vec<CustomCommand> {
    let mut files = Vec::new();
    find(folder, 0, &mut files);
    files.sort();
    if source == CommandSource::User {
        let is_folder_foreign = is_foreign(folder);
        files.retain(|path| {
            let is_own = !is_folder_foreign && !is_foreign(path);
            if !is_own {
                tracing::warn!(path = %path.display(), "a command is left out: it belongs to another user");
            }
            is_own
        });
    }
    let read = |path: &PathBuf| {
        let below = path.strip_prefix(folder).ok()?;
        let found = command(path, &name(below), source);
        if let Err(problem) = &found {
            tracing::warn!(path = %path.display(), problem, "a command cannot be used");
        }
        found.ok()
    };
    files.iter().filter_map(read).collect()
}

fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        // Links are followed, as the twin does; the depth keeps them from leading in circles.
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() && depth < DEEPEST => find(&path, depth + 1, files),
            Ok(found) if found.is_file() && found.len() <= LARGEST_FILE => {
                let is_toml = path.extension().is_some_and(|ending| ending == "toml");
                if is_toml && files.len() < MOST_FILES {
                    files.push(path);
                }
            }
            Ok(_) | Err(_) => {}
        }
    }
}

/// `git/commit.toml` is `git:commit`.
fn name(path: &Path) -> String {
    let without_ending = path.with_extension("");
    let segments = without_ending.components().map(|segment| {
        let segment = segment.as_os_str().to_string_lossy();
        let plain: String = segment
            .chars()
            .map(
                |letter| match letter.is_ascii_alphanumeric() || "_.-".contains(letter) {
                    true => letter,
                    false => '_',
                },
            )
            .collect();
        match plain.len() > LONGEST_SEGMENT {
            true => format!(
                "{}...",
                plain.get(..LONGEST_SEGMENT - 3).unwrap_or_default()
            ),
            false => plain,
        }
    });
    segments.collect::<Vec<_>>().join(":")
}

fn command(path: &Path, name: &str, source: CommandSource) -> Result<CustomCommand, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let string = |key: &str| document.get(key).and_then(|item| item.as_str());
    let prompt = string("prompt").ok_or("it has no `prompt`")?;
    let description = string("description").map(str::to_owned);
    let description = description.unwrap_or_else(|| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        format!("Custom command from {file}")
    });
    Ok(CustomCommand {
        name: name.to_owned(),
        description: one_line(&description),
        prompt: prompt.to_owned(),
        source,
    })
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let plain = line.chars().filter(|letter| !letter.is_control());
    plain.take(LONGEST_DESCRIPTION).collect()
}

#[cfg(test)]
mod tests;
