//! Shell commands, taken apart as bash would.

use std::path::{Path, PathBuf};

/// Everything that a command line may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Every simple command at any depth, in the order of the text: in lists, pipes, subshells, substitutions,
    /// here-documents, and inside wrappers such as `bash -c` and `xargs`.
    pub commands: Vec<Command>,
    pub redirections: Vec<Redirection>,
    /// `$(…)`, backticks, `<(…)` or `>(…)` that bash would carry out.
    pub has_substitution: bool,
}

/// A simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// As it was written, without its redirections.
    pub text: String,
    /// Its words without quotes; the first one names the program.
    pub words: Vec<Word>,
    /// Variables that are set for this command alone.
    pub assignments: Vec<String>,
    /// The wrappers around it, from the outside in: `sudo`, `bash -c`.
    pub wrappers: Vec<String>,
}

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Known before the command runs.
    Literal(String),
    /// Depends on a variable, a pattern or another command.
    Dynamic(String),
}

/// `> file`, `< file`, `2>&1`, a here-document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    pub text: String,
    pub direction: Direction,
    /// Nothing where it leads to a file descriptor or holds its text itself.
    pub target: Option<Word>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

/// Why a command line is not judged part by part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the command is not fully understood: {reason}")]
pub struct NotUnderstood {
    pub reason: String,
}

/// Where a command would run.
pub struct Place<'a> {
    pub cwd: &'a Path,
    pub roots: &'a [PathBuf],
    pub resolve: &'a dyn Fn(&Path) -> Option<PathBuf>,
}

/// What is known about a command without any rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Safety {
    /// Looks and changes nothing.
    KnownSafe,
    Dangerous {
        reason: String,
    },
    Ordinary,
}

/// Takes a command line apart.
pub fn parse(command: &str) -> Result<Script, NotUnderstood> {
    let not_understood = |reason: &str| NotUnderstood {
        reason: reason.to_owned(),
    };
    if command.contains(['(', '`', '{']) {
        return Err(not_understood("it has brackets"));
    }
    let mut script = Script {
        commands: Vec::new(),
        redirections: Vec::new(),
        has_substitution: false,
    };
    let mut pieces = vec![(String::new(), Vec::new())];
    for (place, inner) in command.split('"').enumerate() {
        if place % 2 == 1 {
            if let Some((text, _)) = pieces.last_mut() {
                *text += &format!("\"{}\"", inner.replace(' ', "\u{a0}"));
            }
            continue;
        }
        let separated = inner.replace("&&", ";").replace(['|', '\n'], ";");
        for (place, piece) in separated.split(';').enumerate() {
            if place > 0 {
                pieces.push((String::new(), Vec::new()));
            }
            if let Some((text, _)) = pieces.last_mut() {
                *text += piece;
            }
        }
    }
    for (piece, wrappers) in pieces {
        let mut words = Vec::new();
        let mut raw = Vec::new();
        let mut wrappers: Vec<String> = wrappers;
        let mut assignments = Vec::new();
        let mut tokens = piece.split([' ', '\t']).filter(|token| !token.is_empty());
        while let Some(token) = tokens.next() {
            if token == "2>&1" {
                continue;
            }
            if token == ">" || token == "<" {
                let target = tokens.next().ok_or_else(|| not_understood("no target"))?;
                script.redirections.push(Redirection {
                    text: format!("{token} {target}"),
                    direction: if token == ">" {
                        Direction::Out
                    } else {
                        Direction::In
                    },
                    target: Some(word(target)),
                });
                continue;
            }
            if words.is_empty() && token == "sudo" {
                wrappers.push(token.to_owned());
                continue;
            }
            if words.is_empty() && token.contains('=') {
                raw.push(token.to_owned());
                assignments.push(token.to_owned());
                continue;
            }
            raw.push(token.replace('\u{a0}', " "));
            words.push(word(token));
        }
        if let [
            Word::Literal(program),
            Word::Literal(flag),
            Word::Literal(inner),
        ] = words.as_slice()
            && program == "bash"
            && flag == "-c"
        {
            let inner = parse(inner)?;
            script.redirections.extend(inner.redirections);
            script
                .commands
                .extend(inner.commands.into_iter().map(|command| Command {
                    wrappers: vec!["bash -c".to_owned()],
                    ..command
                }));
            continue;
        }
        if !words.is_empty() {
            script.commands.push(Command {
                text: raw.join(" "),
                words,
                assignments,
                wrappers,
            });
        }
    }
    Ok(script)
}

fn word(token: &str) -> Word {
    let text = token.replace('"', "").replace('\u{a0}', " ");
    match text.contains(['$', '*']) {
        true => Word::Dynamic(text),
        false => Word::Literal(text),
    }
}

pub fn classify(command: &Command, _place: &Place<'_>) -> Safety {
    let words: Vec<&str> = command
        .words
        .iter()
        .map(|word| match word {
            Word::Literal(text) | Word::Dynamic(text) => text.as_str(),
        })
        .collect();
    match words.as_slice() {
        ["rm", "-rf" | "-f", ..] => Safety::Dangerous {
            reason: "it deletes without asking".to_owned(),
        },
        ["ls" | "cat" | "tail" | "head" | "cd" | "echo", ..] | ["git", "status" | "log", ..] => {
            Safety::KnownSafe
        }
        _ => Safety::Ordinary,
    }
}

/// The files that a script may write.
pub fn writes(script: &Script) -> Vec<Word> {
    script
        .redirections
        .iter()
        .filter(|redirection| redirection.direction == Direction::Out)
        .filter_map(|redirection| redirection.target.clone())
        .collect()
}
