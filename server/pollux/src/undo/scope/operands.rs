//! The operands of the programs that most people remove, move and copy with, with their patterns filled in.

use std::fs;
use std::path::{Path, PathBuf};

use pollux_policy::shell::{Command, Word};

pub(super) struct Operands {
    pub(super) words: Vec<String>,
    /// What `-t` says.
    into: Option<String>,
    options: Vec<String>,
}

impl Operands {
    /// The letters are those of options whose value is the next word. Nothing if a word cannot be known.
    pub(super) fn of(command: &Command, valued: &str, start: &Path) -> Option<Self> {
        let mut operands = Self {
            words: Vec::new(),
            into: None,
            options: Vec::new(),
        };
        let mut args = command.words.iter().skip(1);
        while let Some(word) = args.next() {
            let text = match word {
                Word::Literal(text) => text,
                Word::Dynamic(pattern) => {
                    operands.words.extend(filled_in(pattern, start)?);
                    continue;
                }
            };
            if text == "--" {
                for word in args {
                    match word {
                        Word::Literal(text) => operands.words.push(text.clone()),
                        Word::Dynamic(pattern) => {
                            operands.words.extend(filled_in(pattern, start)?);
                        }
                    }
                }
                break;
            }
            if let Some(folder) = text.strip_prefix("--target-directory=") {
                operands.into = Some(folder.to_owned());
            } else if matches!(text.as_str(), "--target-directory" | "--suffix") {
                return None;
            } else if text == "-" || !text.starts_with('-') {
                operands.words.push(text.clone());
            } else {
                operands.options.push(text.clone());
                let takes_value = |last: char| valued.contains(last);
                if !text.starts_with("--") && text.chars().last().is_some_and(takes_value) {
                    match args.next()? {
                        Word::Literal(value) if text.ends_with('t') => {
                            operands.into = Some(value.clone());
                        }
                        Word::Literal(_) => {}
                        Word::Dynamic(_) => return None,
                    }
                }
            }
        }
        Some(operands)
    }

    pub(super) fn has(&self, letters: &[char], long: &str) -> bool {
        self.options
            .iter()
            .any(|option| match option.strip_prefix("--") {
                Some(name) => name.len() > 1 && long.starts_with(name),
                None => option.contains(letters),
            })
    }

    pub(super) fn sources(&self) -> &[String] {
        match (&self.into, self.words.split_last()) {
            (None, Some((_, sources))) => sources,
            (None, None) => &[],
            (Some(_), _) => &self.words,
        }
    }

    /// Where the sources end up: in a folder under their own names, or under another name. Nothing if that cannot be told.
    pub(super) fn places(&self, start: &Path) -> Option<Vec<PathBuf>> {
        let named = self.words.last().filter(|_| self.words.len() > 1);
        let Some(to) = self.into.as_ref().or(named) else {
            return Some(Vec::new());
        };
        let to = start.join(to);
        let is_name = self.has(&['T', 'n'], "no-target-directory");
        if is_name || (self.into.is_none() && !to.is_dir()) {
            return Some(vec![to]);
        }
        let in_folder = self.sources().iter().map(|source| {
            let source = start.join(source);
            // `src/.` is everything in it.
            let is_contents = source.as_os_str().as_encoded_bytes().ends_with(b"/.");
            let name = source.file_name().filter(|_| !is_contents)?;
            Some(to.join(name))
        });
        in_folder.collect()
    }
}

/// The names that a pattern stands for now. Nothing for one that is not understood.
fn filled_in(pattern: &str, start: &Path) -> Option<Vec<String>> {
    let (folder, name) = match pattern.rsplit_once('/') {
        Some((folder, name)) => (format!("{folder}/"), name),
        None => (String::new(), pattern),
    };
    let is_plain = |text: &str| {
        !text.contains([
            '$', '`', '~', '"', '\'', '\\', '[', '{', '(', '!', '<', '>', '…',
        ])
    };
    if !is_plain(pattern) || folder.contains(['*', '?']) || !name.contains(['*', '?']) {
        return None;
    }
    let entries = match fs::read_dir(start.join(&folder)) {
        Ok(entries) => entries,
        // The shell hands the pattern on as it is, and there is no such file.
        Err(_) => return Some(Vec::new()),
    };
    let mut names = Vec::new();
    for entry in entries {
        // A name that is no text could be meant as well.
        let found = entry.ok()?.file_name().into_string().ok()?;
        if (!found.starts_with('.') || name.starts_with('.')) && fits(name, &found) {
            names.push(format!("{folder}{found}"));
        }
    }
    names.sort_unstable();
    Some(names)
}

/// Whether a name fits a pattern of `*` and `?`.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // Where to go on when a star has to take one character more.
    let mut retry: Option<(usize, usize)> = None;
    let (mut at, mut of) = (0, 0);
    while of < name.len() {
        match pattern.get(at) {
            Some('*') => {
                retry = Some((at, of));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || name.get(of) == Some(wanted) => {
                at += 1;
                of += 1;
            }
            _ => match retry {
                Some((star, taken)) => {
                    retry = Some((star, taken + 1));
                    at = star + 1;
                    of = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|rest| *rest == '*')
}
