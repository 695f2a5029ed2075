//! Turns a reading into a script, and looks into the commands that run other commands.

mod builtins;
mod find;
mod git;
mod launchers;
mod shells;
mod su;

use std::ops::Range;
use std::sync::Arc;

use super::effort::{self, Effort, Spent};
use super::reader::{self, Piece, Simple};
use super::{
    Command, Expansions, Folder, Redirection, Script, SetVariable, Stdin, Word, agree, characters,
};
pub(super) use launchers::is_transparent;

/// A longer text than this is not judged.
const LONGEST: usize = 64 * 1024;

/// Nor is one whose wrappers, each with all that is inside it, are longer than this together.
const LONGEST_UNWRAPPED: usize = 4 * LONGEST;

/// Nobody puts more wrappers than this around a command and means well.
const MOST_WRAPPERS: usize = 16;

/// Programs that bring something from the network.
const DOWNLOADERS: &[&str] = &[
    "curl", "wget", "wget2", "fetch", "aria2c", "http", "https", "xh", "lynx", "nc", "ncat",
    "netcat", "socat", "scp", "sftp", "ftp", "gh", "ssh", "telnet", "openssl",
];

/// After more than a few `cd` it is not worth knowing where a command runs.
const MOST_FOLDERS: usize = 7;

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
    let mut script = unwrapper.script;
    let by_builtins: Vec<SetVariable> = script.commands.iter().flat_map(set_by_builtin).collect();
    script.expansions.set.extend(by_builtins);
    let variables: Arc<[SetVariable]> = script.expansions.set.clone().into();
    let downloads = script.commands.iter().any(|command| {
        let name = command.program().map(base_name).unwrap_or_default();
        DOWNLOADERS.contains(&name)
    });
    for command in &mut script.commands {
        command.variables = variables.clone();
        command.is_fed_by_download = downloads && command.stdin == Stdin::Pipe;
    }
    (script, unwrapper.doubt)
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
    let assignments: Vec<String> = assignments
        .iter()
        .map(|word| word.text().to_owned())
        .collect();
    let written: Vec<&str> = assignments
        .iter()
        .chain(&sources)
        .map(String::as_str)
        .collect();
    let command = Command {
        text: written.join(" "),
        words,
        assignments,
        wrappers,
        stdin: outer.stdin.clone(),
        folder: match label.ends_with("execdir") || label.ends_with("okdir") {
            true => Folder::Unknown,
            false => outer.folder.clone(),
        },
        variables: outer.variables.clone(),
        is_fed_by_download: outer.is_fed_by_download,
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
                expansions: Expansions::default(),
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
            Folder::Maybe(folders) => folders.iter().map(String::len).sum(),
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
        self.script.expansions.read.extend(reading.expansions.read);
        let arithmetic = reading.expansions.arithmetic;
        self.script.expansions.arithmetic.extend(arithmetic);
        self.script.expansions.set.extend(reading.expansions.set);
        let moves = |command: &Simple| command.words.iter().any(|word| may_move(word.word.text()));
        if reading.has_loop && reading.commands.iter().any(moves) {
            self.folder = Folder::Unknown;
        }
        let mut redirections = reading.redirections;
        redirections.sort_by_key(|(start, _)| *start);
        let mut redirections = redirections.into_iter().peekable();
        for simple in reading.commands {
            let start = simple.start;
            while let Some((_, redirection)) = redirections.next_if(|(at, _)| *at < start) {
                self.redirection(redirection);
            }
            self.simple(source, simple, wrappers);
        }
        for (_, redirection) in redirections {
            self.redirection(redirection);
        }
    }

    /// It may be opened before or after the last `cd`: the folder in force holds both.
    fn redirection(&mut self, redirection: Redirection) {
        let folder = self.folder.clone();
        if self.effort.spend(effort::WORD).is_err() {
            return self.doubt(Effort::REASON);
        }
        self.script.redirections.push(Redirection {
            folder,
            ..redirection
        });
    }

    fn simple(&mut self, source: &str, simple: Simple, wrappers: &[String]) {
        let text = |piece: &Piece| {
            source
                .get(piece.range.clone())
                .unwrap_or_default()
                .to_owned()
        };
        let assignments: Vec<String> = simple.assignments.iter().map(text).collect();
        for (assignment, piece) in assignments.iter().zip(&simple.assignments) {
            if let Some(reason) = builtins::doubt_about_assignment(assignment) {
                self.doubt(reason);
            }
            let name = piece.name.and_then(|length| assignment.get(..length));
            let value = piece.word.literal().and_then(|text| text.split_once('='));
            let source = assignment.split_once('=').map_or("", |(_, source)| source);
            let is_arithmetic = source.starts_with("$((")
                && source.ends_with("))")
                && source.matches('$').count() == 1;
            self.script.expansions.set.push(SetVariable {
                name: name.unwrap_or_default().to_owned(),
                values: value
                    .filter(|_| !assignment.contains("+="))
                    .map(|(_, value)| vec![value.to_owned()]),
                is_arithmetic,
            });
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
            variables: Arc::default(),
            is_fed_by_download: false,
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

/// The variables that a builtin sets, to values that are not known.
fn set_by_builtin(command: &Command) -> Vec<SetVariable> {
    let words = command.words.get(1..).unwrap_or_default();
    let name = |word: &Word| {
        let text = word.text();
        let length = text
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
            .count();
        let name = text.get(..length).unwrap_or_default();
        (!name.is_empty()).then(|| SetVariable {
            name: name.to_owned(),
            values: None,
            is_arithmetic: false,
        })
    };
    match command.program().unwrap_or_default() {
        "printf" => {
            let after = words.iter().skip_while(|word| word.text() != "-v").nth(1);
            after.and_then(name).into_iter().collect()
        }
        "read" | "mapfile" | "readarray" | "getopts" | "declare" | "typeset" | "local"
        | "export" | "readonly" | "unset" | "wait" => words.iter().filter_map(name).collect(),
        _ => Vec::new(),
    }
}

/// Whether the program changes the folder of the shell, or may do so.
fn moves(program: &str) -> bool {
    matches!(program, "cd" | "pushd" | "popd" | "source" | ".")
}

/// Whether a word names a program that changes the folder, also inside a text that a shell is to read.
fn may_move(word: &str) -> bool {
    word == "."
        || word
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .any(moves)
}

fn moved(before: &Folder, words: &[Word]) -> Folder {
    let [program, Word::Literal(to)] = words else {
        return Folder::Unknown;
    };
    if !matches!(program.text(), "cd" | "pushd") || to.starts_with(['-', '+']) || to.is_empty() {
        return Folder::Unknown;
    }
    let mut folders = match before {
        Folder::Start => Vec::new(),
        Folder::Maybe(folders) => folders.clone(),
        Folder::Unknown => return Folder::Unknown,
    };
    let further: Vec<String> = std::iter::once(to.clone())
        .chain(folders.iter().map(|folder| match to.starts_with('/') {
            true => to.clone(),
            false => format!("{folder}/{to}"),
        }))
        .collect();
    for folder in further {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    if folders.len() > MOST_FOLDERS {
        return Folder::Unknown;
    }
    Folder::Maybe(folders)
}

#[cfg(test)]
mod tests;
