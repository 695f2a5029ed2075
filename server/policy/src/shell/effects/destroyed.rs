//! Commands after which something is gone, and where, so that it can be kept first.

use super::operands::{self, Operands};
use super::{base_name, in_place};
use crate::shell::{Command, Direction, Folder, Script, Word};

/// Something that a script destroys if it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destruction {
    /// The command or redirection as it was written.
    pub text: String,
    pub kind: Kind,
    pub affected: Affected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Files or folders go away.
    Delete,
    /// What was in a file is replaced or emptied.
    Overwrite,
    /// Changes that git has no copy of are undone.
    Discard,
}

/// What to keep before the command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Affected {
    /// These files and folders, with everything in them, relative to where the script starts. A folder that something
    /// is moved or copied into, or that a pattern looks in, is named itself. Whoever keeps them looks whether they exist.
    Paths(Vec<String>),
    /// All files that git knows or could know, or more than can be told.
    WorkTree,
}

/// Which commands and redirections of a script destroy something.
///
/// `rm`, `rmdir`, `unlink`, `shred`, `mv`, `cp`, `install`, `ln -f`, `truncate`, `tee` without `-a`, `dd of=`,
/// `sed -i`, `perl -i`, `sort -o`, `rsync`, `find -delete` and `find -exec` of these, `git reset --hard`,
/// `git checkout`, `git switch -f`, `git restore`, `git clean`, `git rm`, `git stash drop` and `clear`,
/// `git read-tree -u`, `git worktree remove`, and `>`.
pub fn destructive(script: &Script) -> Vec<Destruction> {
    let mut found: Vec<Destruction> = script.commands.iter().filter_map(of_command).collect();
    for redirection in &script.redirections {
        let operator = redirection
            .text
            .trim_start_matches(|c: char| c.is_ascii_digit());
        let truncates = redirection.direction == Direction::Out
            && !operator.contains(">>")
            && !operator.starts_with("<>");
        let Some(target) = redirection
            .target
            .clone()
            .filter(|target| truncates && target.text() != "/dev/null")
        else {
            continue;
        };
        let affected = match paths([target]) {
            Affected::Paths(paths) => in_folder(paths, &redirection.folder),
            Affected::WorkTree => Affected::WorkTree,
        };
        found.push(Destruction {
            text: redirection.text.clone(),
            kind: Kind::Overwrite,
            affected,
        });
    }
    found
}

fn of_command(command: &Command) -> Option<Destruction> {
    let name = base_name(command.program()?);
    let operands = |valued: &str| Operands::of(command, valued);
    let (kind, affected) = match name {
        "rm" | "rmdir" | "unlink" => (Kind::Delete, paths(operands("").words)),
        "shred" => (Kind::Overwrite, paths(operands("ns").words)),
        "mv" => {
            let operands = operands("tS");
            (
                Kind::Overwrite,
                paths(operands.destination().into_iter().chain(operands.sources())),
            )
        }
        "cp" | "install" => (Kind::Overwrite, paths(operands("tSgmo").destination())),
        "ln" if operands::has(command, 'f', "force") => {
            (Kind::Overwrite, paths(operands("tS").destination()))
        }
        "truncate" => (Kind::Overwrite, paths(operands("rs").words)),
        "tee" if !operands::has(command, 'a', "append") => {
            (Kind::Overwrite, paths(operands("").words))
        }
        "dd" | "sort" => (Kind::Overwrite, paths(super::written_by(command))),
        "sed" if operands::has(command, 'i', "in-place") => {
            (Kind::Overwrite, paths(in_place(command)))
        }
        "perl" if operands::has(command, 'i', "") => (Kind::Overwrite, paths(operands("eE").words)),
        "rsync" => {
            let deletes = command
                .words
                .iter()
                .any(|word| word.text().starts_with("--del"));
            let kind = if deletes {
                Kind::Delete
            } else {
                Kind::Overwrite
            };
            (kind, paths(operands("e").destination()))
        }
        "find" => {
            let has = |action: &str| command.words.iter().any(|word| word.text() == action);
            has("-delete").then(|| (Kind::Delete, paths(found_in(command))))?
        }
        "git" => of_git(command)?,
        _ => return None,
    };
    let affected = match affected {
        Affected::Paths(paths) if paths.is_empty() => return None,
        Affected::Paths(paths) => in_folder(paths, &command.folder),
        Affected::WorkTree => Affected::WorkTree,
    };
    Some(Destruction {
        text: command.text.clone(),
        kind,
        affected,
    })
}

/// The words as paths. For a pattern that is the folder it looks in; a variable can mean anything.
fn paths(words: impl IntoIterator<Item = Word>) -> Affected {
    let mut found = Vec::new();
    for word in words {
        match word {
            Word::Literal(path) => found.push(path),
            Word::Dynamic(source) => match folder_of_pattern(&source) {
                Some(folder) => found.push(folder),
                None => return Affected::WorkTree,
            },
        }
    }
    Affected::Paths(found)
}

fn folder_of_pattern(source: &str) -> Option<String> {
    // What a wrapper such as `xargs` puts in is not known either.
    let is_pattern =
        !source.contains(['$', '`', '~', '"', '\'', '\\', '…', '<', '>']) && !source.contains("{}");
    let before = source.split(['*', '?', '[', '{']).next()?;
    let folder = before.rsplit_once('/').map_or(".", |(folder, _)| folder);
    (is_pattern && before.len() < source.len())
        .then(|| if folder.is_empty() { "/" } else { folder }.to_owned())
}

/// A `cd` before the command may have gone wrong, so its paths can lie in two places.
fn in_folder(paths: Vec<String>, folder: &Folder) -> Affected {
    match folder {
        Folder::Start => Affected::Paths(paths),
        Folder::Unknown if paths.iter().all(|path| path.starts_with('/')) => Affected::Paths(paths),
        Folder::Unknown => Affected::WorkTree,
        Folder::Maybe(folders) => {
            let moved = paths
                .iter()
                .filter(|path| !path.starts_with('/'))
                .flat_map(|path| folders.iter().map(move |to| format!("{to}/{path}")));
            let moved: Vec<String> = moved.collect();
            Affected::Paths(paths.into_iter().chain(moved).collect())
        }
    }
}

/// The folders that `find` searches.
fn found_in(command: &Command) -> Vec<Word> {
    let args = command.words.iter().skip(1);
    let folders: Vec<Word> = args
        .skip_while(|word| matches!(word.text(), "-H" | "-L" | "-P"))
        .take_while(|word| !word.text().starts_with(['-', '(', '!']))
        .cloned()
        .collect();
    if folders.is_empty() {
        vec![Word::Literal(".".to_owned())]
    } else {
        folders
    }
}

fn of_git(command: &Command) -> Option<(Kind, Affected)> {
    let mut words = command.words.iter().skip(1).map(Word::text);
    let mut is_elsewhere = false;
    let subcommand = loop {
        match words.next()? {
            "-C" | "--git-dir" | "--work-tree" => {
                is_elsewhere = true;
                words.next();
            }
            "-c" => {
                words.next();
            }
            option if option.starts_with('-') => {}
            word => break word,
        }
    };
    let args: Vec<&str> = words.collect();
    let has = |names: &[&str]| args.iter().any(|arg| names.contains(arg));
    let flag = |letter: char| {
        args.iter()
            .any(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter))
    };
    let after_dashes: Vec<String> = args
        .iter()
        .skip_while(|arg| **arg != "--")
        .skip(1)
        .map(|arg| (*arg).to_owned())
        .collect();
    let named = |paths: Vec<String>| match is_elsewhere
        || paths.is_empty()
        || paths.iter().any(|path| path.starts_with(':'))
    {
        true => Affected::WorkTree,
        false => Affected::Paths(paths),
    };
    let found = match subcommand {
        "reset" if has(&["--hard", "--merge", "--keep"]) => (Kind::Discard, Affected::WorkTree),
        "clean" if !has(&["--dry-run"]) && !flag('n') => (Kind::Delete, named(after_dashes)),
        // Without `--` a word may be a branch or a file.
        "checkout" if has(&["-b", "-B", "--orphan"]) && !flag('f') => return None,
        "checkout" | "restore" if !after_dashes.is_empty() => (Kind::Discard, named(after_dashes)),
        "restore" if has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]) => return None,
        "restore"
            if !args
                .iter()
                .any(|arg| arg.starts_with("-s") || arg.starts_with("--so")) =>
        {
            (Kind::Discard, named(operands(&args)))
        }
        "checkout" | "restore" => (Kind::Discard, Affected::WorkTree),
        "switch" if flag('f') || has(&["--force", "--discard-changes"]) => {
            (Kind::Discard, Affected::WorkTree)
        }
        "rm" if !has(&["--cached"]) => (Kind::Delete, named(operands(&args))),
        "stash" if has(&["drop", "clear"]) => (Kind::Discard, Affected::WorkTree),
        "read-tree" if flag('u') => (Kind::Discard, Affected::WorkTree),
        "worktree" if has(&["remove"]) => (
            Kind::Delete,
            named(operands(args.get(1..).unwrap_or_default())),
        ),
        "checkout-index" | "am" | "apply" if has(&["-f", "--abort", "-R"]) => {
            (Kind::Discard, Affected::WorkTree)
        }
        _ => return None,
    };
    Some(found)
}

fn operands(args: &[&str]) -> Vec<String> {
    args.iter()
        .filter(|arg| !arg.starts_with('-'))
        .map(|arg| (*arg).to_owned())
        .collect()
}
