//! Turns a reading into a script, and looks into the commands that run other commands.

mod builtins;
mod find;
mod git;
mod launchers;
mod shells;
mod su;

use std::ops::Range;

use super::effort::{self, Effort, Spent};
use super::reader::{self, Piece, Simple};
use super::{Command, Folder, Script, Stdin, Word, agree, characters};
pub(super) use launchers::is_transparent;

/// A longer text than this is not judged.
const LONGEST: usize = 64 * 1024;

/// Nor is one whose wrappers, each with all that is inside it, are longer than this together.
const LONGEST_UNWRAPPED: usize = 4 * LONGEST;

/// Nobody puts more wrappers than this around a command and means well.
const MOST_WRAPPERS: usize = 16;

/// What a command runs besides itself.
pub(super) enum Inner {
    /// Some of its own words.
    Words {
        label: String,
        assignments: Range<usize>,
        words: Range<usize>,
        fill: Fill,
    },
    /// A text that a shell reads.
    Script { label: String, text: String },
}

/// What a wrapper puts into the words it runs.
pub(super) enum Fill {
    Nothing,
    /// Arguments at the end.
    Append,
    /// Something else wherever this text stands.
    Replace(String),
}

/// The script, as far as it could be made out, and the first thing that was not understood.
pub(super) fn read(source: &str) -> (Script, Option<String>) {
    let mut unwrapper = Unwrapper::new();
    unwrapper.text(source, &[]);
    if unwrapper.script.commands.is_empty() {
        unwrapper.doubt("there is no command in it");
    }
    (unwrapper.script, unwrapper.doubt)
}

/// What it costs to read a text, in units of [`Effort`].
#[cfg(test)]
pub(super) fn cost(source: &str) -> usize {
    let mut unwrapper = Unwrapper::new();
    unwrapper.text(source, &[]);
    unwrapper.effort.spent()
}

/// What the command runs besides itself, or why that is not known.
pub(super) fn inner(command: &Command) -> Result<Vec<Inner>, String> {
    let Some(program) = command.words.first() else {
        return Ok(Vec::new());
    };
    let Some(program) = program.literal() else {
        return Err(format!(
            "the program is only known when it runs: {}",
            program.text()
        ));
    };
    let name = base_name(program);
    if shells::is_shell(name) {
        return shells::inner(name, command).map(|inner| inner.into_iter().collect());
    }
    if let Some(result) = builtins::inner(name, command) {
        return result.map(|inner| inner.into_iter().collect());
    }
    if name == "find" || name == "gfind" {
        return find::inner(&command.words);
    }
    launchers::inner(name, &command.words).map(|inner| inner.into_iter().collect())
}

/// The command that a wrapper runs. Its text is made of the given ones where it is words of the wrapper.
pub(super) fn filled(
    outer: &Command,
    sources: &[String],
    inner: &Inner,
) -> Option<(Command, Vec<String>)> {
    let Inner::Words {
        label,
        assignments,
        words,
        fill,
    } = inner
    else {
        return None;
    };
    let mut wrappers = outer.wrappers.clone();
    wrappers.push(label.clone());
    let mut sources: Vec<String> = sources.get(words.clone()).unwrap_or_default().to_vec();
    let assignments = outer.words.get(assignments.clone()).unwrap_or_default();
    let mut words = outer.words.get(words.clone()).unwrap_or_default().to_vec();
    match fill {
        Fill::Nothing => {}
        Fill::Append => words.push(Word::Dynamic("…".to_owned())),
        Fill::Replace(marker) => {
            for word in &mut words {
                if word.text().contains(marker.as_str()) {
                    *word = Word::Dynamic(word.text().to_owned());
                }
            }
        }
    }
    sources.resize(words.len(), "…".to_owned());
    let command = Command {
        text: sources.join(" "),
        words,
        assignments: assignments
            .iter()
            .map(|word| word.text().to_owned())
            .collect(),
        wrappers,
        stdin: outer.stdin.clone(),
        folder: outer.folder.clone(),
    };
    Some((command, sources))
}

/// The program's name without its folder.
pub(super) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

struct Unwrapper {
    script: Script,
    doubt: Option<String>,
    folder: Folder,
    /// How much text may still be read.
    left: usize,
    effort: Effort,
}

impl Unwrapper {
    fn new() -> Self {
        Self {
            script: Script {
                commands: Vec::new(),
                redirections: Vec::new(),
                has_substitution: false,
            },
            doubt: None,
            folder: Folder::Start,
            left: LONGEST_UNWRAPPED,
            effort: Effort::new(),
        }
    }

    /// A command is copied for each wrapper around it, with all that it knows of the text around it.
    fn charge(&mut self, command: &Command) -> Result<(), Spent> {
        let stdin = match &command.stdin {
            Stdin::Text(text) => text.len(),
            Stdin::Inherited | Stdin::Pipe | Stdin::File | Stdin::DynamicText => 0,
        };
        let folder = match &command.folder {
            Folder::Maybe(folder) => folder.len(),
            Folder::Start | Folder::Unknown => 0,
        };
        let words = command.words.len() * effort::WORD;
        let copied = effort::copies(1, command.text.len() + stdin + folder);
        self.effort.spend(effort::COMMAND + words + copied)
    }

    fn doubt(&mut self, reason: impl Into<String>) {
        self.doubt.get_or_insert_with(|| reason.into());
    }

    fn text(&mut self, source: &str, wrappers: &[String]) {
        if source.len() > LONGEST.min(self.left) {
            return self.doubt("it is too long");
        }
        self.left -= source.len();
        if wrappers.len() > MOST_WRAPPERS {
            return self.doubt("it is nested too deep");
        }
        if let Some(reason) = characters::doubt(source) {
            self.doubt(reason);
        }
        if self.effort.spend(effort::TEXT).is_err() {
            return self.doubt(Effort::REASON);
        }
        let reading = reader::read(source, &mut self.effort);
        // The grammar may take long over a text that is no bash, so it is not asked about one.
        let doubt = reading
            .doubt
            .clone()
            .or_else(|| agree::doubt(source, &reading, &mut self.effort));
        if let Some(reason) = doubt {
            self.doubt(reason);
        }
        self.script.has_substitution |= reading.has_substitution;
        self.script.redirections.extend(reading.redirections);
        let moves = |command: &Simple| command.words.iter().any(|word| moves(word.word.text()));
        if reading.has_loop && reading.commands.iter().any(moves) {
            self.folder = Folder::Unknown;
        }
        for simple in reading.commands {
            self.simple(source, simple, wrappers);
        }
    }

    fn simple(&mut self, source: &str, simple: Simple, wrappers: &[String]) {
        let text = |piece: &Piece| {
            source
                .get(piece.range.clone())
                .unwrap_or_default()
                .to_owned()
        };
        let assignments: Vec<String> = simple.assignments.iter().map(text).collect();
        for assignment in &assignments {
            if let Some(reason) = builtins::doubt_about_assignment(assignment) {
                self.doubt(reason);
            }
        }
        let sources: Vec<String> = simple.words.iter().map(text).collect();
        if let (Some(source), Some(word)) = (sources.first(), simple.words.first()) {
            let value = word.word.text();
            if reader::RESERVED.contains(&value) && !(value == "[[" && source == "[[") {
                self.doubt(format!("`{value}` is the name of a program"));
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && !simple.redirects {
            return;
        }
        let written: Vec<&str> = assignments
            .iter()
            .chain(&sources)
            .map(String::as_str)
            .collect();
        let command = Command {
            text: written.join(" "),
            words: simple.words.into_iter().map(|piece| piece.word).collect(),
            assignments,
            wrappers: wrappers.to_vec(),
            stdin: simple.stdin,
            folder: self.folder.clone(),
        };
        if base_name(command.program().unwrap_or_default()) == "exec"
            && command.words.len() == 1
            && simple.redirects
        {
            self.doubt("`exec` redirects everything that follows");
        }
        self.command(command, &sources);
    }

    fn command(&mut self, command: Command, sources: &[String]) {
        if command.wrappers.len() > MOST_WRAPPERS {
            return self.doubt("it is nested too deep");
        }
        if let Some(program) = command.program() {
            let is_plain =
                |byte: u8| byte.is_ascii_alphanumeric() || b"_-+./:@%,[]".contains(&byte);
            if program.is_empty() || !program.bytes().all(is_plain) {
                self.doubt(format!("`{program}` is no plain name of a program"));
            }
            if moves(program) {
                self.folder = moved(&self.folder, &command.words);
            }
        }
        if self.charge(&command).is_err() {
            return self.doubt(Effort::REASON);
        }
        let inner = inner(&command);
        self.script.commands.push(command.clone());
        match inner {
            Ok(inner) => {
                for inner in &inner {
                    match inner {
                        Inner::Script { label, text } => {
                            let mut wrappers = command.wrappers.clone();
                            wrappers.push(label.clone());
                            self.text(text, &wrappers);
                        }
                        Inner::Words { .. } => {
                            if let Some((command, sources)) = filled(&command, sources, inner) {
                                self.command(command, &sources);
                            }
                        }
                    }
                }
            }
            Err(reason) => self.doubt(reason),
        }
    }
}

/// Whether the program changes the folder of the shell, or may do so.
fn moves(program: &str) -> bool {
    matches!(program, "cd" | "pushd" | "popd" | "source" | ".")
}

fn moved(before: &Folder, words: &[Word]) -> Folder {
    match (before, words) {
        (Folder::Start, [program, Word::Literal(to)])
            if program.text() == "cd" && !to.starts_with('-') =>
        {
            Folder::Maybe(to.clone())
        }
        _ => Folder::Unknown,
    }
}

#[cfg(test)]
mod tests;
