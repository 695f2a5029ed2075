//! What a command can touch, as closely as its words tell.
//!
//! The policy names whole folders where it cannot know better without looking at the disk: the one that something is moved
//! into, the one that a pattern looks in. Here the disk can be looked at, and keeping less is keeping faster.

mod operands;

use std::fs;
use std::path::{Component, Path, PathBuf};

use pollux_policy::shell::{self, Affected, Command, Destruction, Folder, Kind, Word};

use super::git::Ignored;
use operands::Operands;

/// Something to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A file, or a folder with everything in it.
    Whole(PathBuf),
    /// A file that may be a link: then what it leads to is written.
    Written(PathBuf),
    /// A folder without anything in it.
    Bare(PathBuf),
    /// What goes elsewhere and is not lost.
    Moved(PathBuf),
    /// What git cannot bring back.
    WorkTree(WorkTree),
    /// The stashes of the repository that a folder is in.
    Stashes(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkTree {
    pub(crate) folder: PathBuf,
    /// Only what is in these; everything, if there are none.
    pub(crate) within: Vec<PathBuf>,
    pub(crate) ignored: Ignored,
    /// Git knows nothing of empty folders, but `git clean` removes them.
    pub(crate) empty_folders: EmptyFolders,
    /// What to do in a folder that git does not know.
    pub(crate) elsewhere: Elsewhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmptyFolders {
    Kept,
    LeftOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elsewhere {
    /// The command is git itself, which will do nothing there.
    Nothing,
    /// The command may do anything.
    Everything,
}

/// What has to be kept before a command runs in a folder, which has no links in its path.
pub(crate) fn targets(command: &str, folder: &Path, destructions: &[Destruction]) -> Vec<Target> {
    let script = shell::parse(command).ok();
    let commands = script.map(|script| script.commands).unwrap_or_default();
    let mut found = Vec::new();
    for destruction in destructions {
        // The same text twice can run in two folders.
        let mut same = commands
            .iter()
            .filter(|command| command.text == destruction.text)
            .peekable();
        if same.peek().is_none() {
            found.extend(as_told(destruction, &[folder.to_owned()], folder));
        }
        for command in same {
            let starts = starts(folder, &command.folder);
            match precisely(command, &starts, destruction) {
                Some(precise) => found.extend(precise),
                None => found.extend(as_told(destruction, &starts, folder)),
            }
        }
    }
    let mut distinct = Vec::new();
    for target in found {
        if !distinct.contains(&target) {
            distinct.push(target);
        }
    }
    distinct
}

fn as_told(destruction: &Destruction, starts: &[PathBuf], folder: &Path) -> Vec<Target> {
    match &destruction.affected {
        Affected::Paths(paths) => {
            let paths = paths.iter().map(|path| folder.join(path));
            match destruction.kind {
                Kind::Overwrite => paths.map(Target::Written).collect(),
                Kind::Delete | Kind::Discard => paths.map(Target::Whole).collect(),
            }
        }
        Affected::WorkTree => {
            let anything = |start: &PathBuf| {
                Target::WorkTree(WorkTree {
                    folder: start.clone(),
                    within: Vec::new(),
                    ignored: Ignored::LeftOut,
                    empty_folders: EmptyFolders::LeftOut,
                    elsewhere: Elsewhere::Everything,
                })
            };
            starts.iter().map(anything).collect()
        }
    }
}

/// Where the command may run.
fn starts(folder: &Path, command: &Folder) -> Vec<PathBuf> {
    let mut starts = vec![folder.to_owned()];
    if let Folder::Maybe(folders) = command {
        let real = folders
            .iter()
            .flat_map(|to| fs::canonicalize(folder.join(to)));
        starts.extend(real);
    }
    starts
}

/// Nothing where the words do not tell.
fn precisely(
    command: &Command,
    starts: &[PathBuf],
    destruction: &Destruction,
) -> Option<Vec<Target>> {
    if command.folder == Folder::Unknown {
        return None;
    }
    let name = command.words.first()?.text();
    let name = name.rsplit('/').next().unwrap_or(name);
    let mut found = Vec::new();
    for start in starts {
        match name {
            "rm" | "unlink" => removed(command, start, &mut found)?,
            "rmdir" => {
                let operands = Operands::of(command, "", start)?;
                for path in &operands.words {
                    let folders = Path::new(path).ancestors();
                    let folders = folders.filter(|path| !path.as_os_str().is_empty());
                    found.extend(folders.map(|path| Target::Bare(start.join(path))));
                }
            }
            "mv" => moved(command, start, &mut found)?,
            "cp" | "ln" | "install" => copied(command, name, start, &mut found)?,
            "git" => in_git(command, start, destruction, &mut found)?,
            _ => return None,
        }
    }
    Some(found)
}

fn removed(command: &Command, start: &Path, found: &mut Vec<Target>) -> Option<()> {
    let operands = Operands::of(command, "", start)?;
    let recursive = operands.has(&['r', 'R'], "recursive");
    for path in operands.words.iter().map(|path| start.join(path)) {
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
        found.push(match is_folder && !recursive {
            true => Target::Bare(path),
            false => Target::Whole(path),
        });
    }
    Some(())
}

fn moved(command: &Command, start: &Path, found: &mut Vec<Target>) -> Option<()> {
    let operands = Operands::of(command, "tS", start)?;
    let places = operands.places(start)?;
    for (source, place) in operands.sources().iter().zip(&places) {
        // A folder takes the place of an empty one: what is in it was not there before.
        if fs::symlink_metadata(place).is_ok_and(|found| found.is_dir())
            && let Ok(entries) = fs::read_dir(start.join(source))
        {
            let new = entries.flatten().map(|entry| place.join(entry.file_name()));
            found.extend(new.map(Target::Whole));
        }
    }
    found.extend(places.into_iter().map(Target::Whole));
    for source in operands.sources() {
        found.push(Target::Moved(start.join(source)));
    }
    Some(())
}

fn copied(command: &Command, name: &str, start: &Path, found: &mut Vec<Target>) -> Option<()> {
    let valued = match name {
        "install" => "tSgmo",
        _ => "tS",
    };
    let operands = Operands::of(command, valued, start)?;
    if operands.has(&[], "parents") {
        return None;
    }
    for place in operands.places(start)? {
        found.push(match name {
            "ln" => Target::Whole(place),
            _ => Target::Written(place),
        });
    }
    Some(())
}

fn in_git(
    command: &Command,
    start: &Path,
    destruction: &Destruction,
    found: &mut Vec<Target>,
) -> Option<()> {
    let mut words = command.words.iter().skip(1);
    let mut folder = start.to_owned();
    let subcommand = loop {
        match words.next()? {
            Word::Literal(option) if option == "-C" => {
                folder = match words.next()? {
                    Word::Literal(to) => folder.join(to),
                    Word::Dynamic(_) => return None,
                }
            }
            Word::Literal(option) if option == "-c" => {
                words.next();
            }
            Word::Literal(option) if option.starts_with("--git-dir") => return None,
            Word::Literal(option) if option.starts_with("--work-tree") => return None,
            Word::Literal(option) if option.starts_with('-') => {}
            word => break word.text(),
        }
    };
    let flags: Vec<&str> = words.map(Word::text).collect();
    let short = |letters: &[char]| {
        let clusters = flags.iter().take_while(|flag| **flag != "--");
        let mut clusters = clusters.filter(|flag| flag.starts_with('-') && !flag.starts_with("--"));
        clusters.any(|flag| flag.contains(letters))
    };
    if subcommand == "worktree" {
        return None;
    }
    if subcommand == "stash" {
        found.push(Target::Stashes(folder));
        return Some(());
    }
    let is_clean = subcommand == "clean";
    let within = match &destruction.affected {
        // Git has patterns of its own.
        Affected::Paths(paths) if !paths.iter().any(|path| path.contains(['*', '?', '[', ':'])) => {
            let paths = paths.iter().map(|path| real_place(&folder.join(path)));
            paths.collect()
        }
        Affected::Paths(_) | Affected::WorkTree => Vec::new(),
    };
    found.push(Target::WorkTree(WorkTree {
        folder,
        within,
        ignored: match is_clean && short(&['x', 'X']) {
            true => Ignored::Listed,
            false => Ignored::LeftOut,
        },
        empty_folders: match is_clean {
            true => EmptyFolders::Kept,
            false => EmptyFolders::LeftOut,
        },
        elsewhere: Elsewhere::Nothing,
    }));
    Some(())
}

/// The path without links on the way to it. The last name is not followed, unless it is spelled as a folder.
pub(crate) fn real_place(path: &Path) -> PathBuf {
    let spelled = path.as_os_str().as_encoded_bytes();
    let is_folder = spelled.ends_with(b"/") || spelled.ends_with(b"/.") || spelled.ends_with(b"..");
    if is_folder && let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    let parent = path.parent().unwrap_or(path);
    let (existing, real) = parent
        .ancestors()
        .find_map(|existing| Some((existing, fs::canonicalize(existing).ok()?)))
        .unwrap_or_else(|| (parent, parent.to_owned()));
    let mut place = real;
    for component in path.strip_prefix(existing).unwrap_or(path).components() {
        match component {
            Component::ParentDir => {
                place.pop();
            }
            Component::Normal(name) => place.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    place
}
