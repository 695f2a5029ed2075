//! Commands that only read, with the options that let them do more.

use std::path::Path;

use super::programs::{PROGRAMS, Program, TELL_VERSION, Takes};
use super::{Place, git, paths, patterns, scripts, words};
use crate::shell::unwrap::{base_name, is_transparent};
use crate::shell::{Command, Word, unwrap};
use crate::{GitRepository, HiddenFiles};

/// Folders whose programs are what their names say.
const TRUSTED: &[&str] = &["/bin/", "/usr/bin/", "/usr/local/bin/"];

/// Assignments that change only how a program prints.
pub(super) const FORMATTING: &[&str] = &[
    "LC_ALL=C",
    "LC_ALL=C.UTF-8",
    "LANG=C",
    "LANG=C.UTF-8",
    "LC_COLLATE=C",
    "TZ=UTC",
    "NO_COLOR=1",
];

pub(super) fn is_safe(command: &Command, place: &Place<'_>) -> bool {
    if command.words.is_empty() {
        // Only assignments or redirections, which are judged with the words of the script.
        return true;
    }
    let is_formatting = |assignment: &String| FORMATTING.contains(&assignment.as_str());
    if !command.assignments.iter().all(is_formatting) {
        return false;
    }
    let Some(program) = command.program() else {
        return false;
    };
    let name = base_name(program);
    let is_trusted = TRUSTED
        .iter()
        .any(|folder| program.strip_prefix(folder) == Some(name));
    if program != name && !is_trusted || program == name && place.view.is_program_of_workspace(name)
    {
        return false;
    }
    let args = command.words.get(1..).unwrap_or_default();
    let literals: Option<Vec<&str>> = args.iter().map(Word::literal).collect();
    if is_transparent(name) {
        // Whoever asks looks at what it runs as well.
        let runs_something = unwrap::inner(command).is_ok_and(|inner| !inner.is_empty());
        let does_more = |arg: &str| match name {
            // It reads its words from a file.
            "xargs" => arg.starts_with("-a") || arg.starts_with("--a"),
            // A shell for a person reads start-up files, which run what they like.
            "bash" | "sh" => {
                let is_flag = arg.starts_with('-') && !arg.contains([' ', '\n']);
                arg == "--login" || is_flag && !arg.starts_with("--") && arg.contains(['l', 'i'])
            }
            _ => false,
        };
        return runs_something && !args.iter().any(|arg| does_more(arg.text()))
            || name == "command" && matches!(literals.as_deref(), Some(["-v" | "-V", _, ..]))
            || TELL_VERSION.contains(&name) && literals.as_deref() == Some(&["--version"]);
    }
    let reads = Reads {
        args,
        command,
        place,
    };
    // The programs of binutils read further arguments from a file of this name.
    if name == "strings" && args.iter().any(|arg| arg.text().starts_with('@')) {
        return false;
    }
    if let Some(program) = PROGRAMS.iter().find(|program| program.name == name) {
        // Of two folders `diff` shows the files in them, and follows their links.
        return reads.program(program) && (name != "diff" || reads.is_clean());
    }
    match (name, literals.as_deref()) {
        ("git", Some(args)) => reads.git(args),
        (_, Some(["--version"])) if TELL_VERSION.contains(&name) => true,
        ("java" | "javac", Some(["-version"])) => true,
        ("ssh", Some(["-V"])) => true,
        ("openssl", Some(["version"])) => true,
        ("cd" | "pushd", Some([path])) => {
            // With `CDPATH` the folder may be anywhere.
            !path.starts_with(['-', '+'])
                && !place.view.has_variable("CDPATH")
                && reads.is_harmless(path)
        }
        // Without a value these say what holds.
        ("umask", Some([] | ["-S"])) => true,
        ("ulimit", Some([option])) => {
            option.len() == 2 && option.starts_with('-') && !option.ends_with(['H', 'S'])
        }
        ("set", Some(settings @ [_, ..])) => {
            settings.iter().all(|setting| {
                matches!(
                    *setting,
                    "-e" | "-u" | "-eu" | "-o" | "-eo" | "-euo" | "pipefail"
                )
            }) && settings.last() != Some(&"-o")
        }
        ("tput", Some(["cols" | "lines" | "colors"])) => true,
        ("getconf", Some([name])) => name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'),
        ("getent", Some(["passwd" | "group" | "services" | "protocols", names @ ..])) => {
            names.iter().all(|name| !name.starts_with('-'))
        }
        ("printf", _) => args
            .first()
            .and_then(Word::literal)
            .is_some_and(|format| !format.starts_with('-') && scripts::format_prints(format)),
        ("xxd", Some(args)) => reads.xxd(args),
        ("test" | "[" | "[[", _) => reads.test(name),
        ("read", Some(args)) => reads.read(args),
        ("grep" | "egrep" | "fgrep", _) => reads.grep(),
        ("rg", _) => reads.rg(),
        ("sed" | "gsed", _) => reads.sed(),
        ("awk" | "gawk" | "mawk", _) => reads.awk(),
        ("jq", _) => reads.jq(),
        ("find", Some(args)) => reads.find(args),
        ("date", Some(args)) => args.iter().all(|arg| {
            arg.starts_with('+')
                || matches!(
                    *arg,
                    "-u" | "--utc" | "-R" | "-I" | "-Iseconds" | "-Is" | "--iso-8601"
                )
        }),
        ("ps", Some(args)) => {
            matches!(
                args,
                [] | ["aux" | "ax" | "-e" | "-ef" | "-A" | "-eo" | "-f" | "-aux" | "auxf"]
            ) || matches!(args, ["-p" | "-o", value] if !value.contains(['/', 'e']))
        }
        ("printenv", Some([_, ..])) => args.iter().all(|arg| words::PUBLIC.contains(&arg.text())),
        ("tar", Some([letters, files @ ..])) => {
            let letters = letters.trim_start_matches('-');
            letters.contains('t')
                && letters.chars().all(|letter| "tvfzjJ".contains(letter))
                // A name with a colon lies on another machine, which tar asks a shell for.
                && files.iter().all(|file| {
                    !file.starts_with('-') && !file.contains(':') && reads.is_harmless(file)
                })
        }
        ("unzip", Some(["-l" | "-v" | "-Z1", file])) => reads.is_harmless(file),
        ("gzip" | "xz", Some(["-l", file])) => reads.is_harmless(file),
        ("gzip" | "bzip2" | "xz", Some(["-dc" | "-cd", files @ ..])) => files
            .iter()
            .all(|file| !file.starts_with('-') && reads.is_harmless(file)),
        (
            "dpkg" | "dpkg-query",
            Some(
                [
                    "-l" | "-s" | "-L" | "-S" | "--list" | "--status",
                    names @ ..,
                ],
            ),
        ) => names.iter().all(|name| !name.starts_with('-')),
        _ => false,
    }
}

struct Reads<'a> {
    args: &'a [Word],
    command: &'a Command,
    place: &'a Place<'a>,
}

impl Reads<'_> {
    fn is_harmless(&self, path: &str) -> bool {
        paths::is_harmless(path, &self.command.folder, self.place)
    }

    /// Whether a word is a path that may be read, or several: the values of a variable that the script sets, the files
    /// that a pattern finds, or the output of another command.
    fn is_harmless_word(&self, word: &Word, only_operands: bool) -> bool {
        let text = match word {
            Word::Literal(path) => return self.is_harmless(path),
            Word::Dynamic(text) => text,
        };
        // What `xargs` and `find` put in is not known.
        let is_filled =
            |wrapper: &String| wrapper.starts_with("xargs") || wrapper.starts_with("find");
        if self.command.wrappers.iter().any(is_filled) {
            return false;
        }
        if let Some(inner) = text
            .strip_prefix("<(")
            .and_then(|text| text.strip_suffix(')'))
        {
            return crate::shell::parse(inner).is_ok();
        }
        if let Some((name, is_quoted)) = variable(text) {
            return self.values(name).is_some_and(|values| {
                values.iter().all(|value| {
                    (only_operands || !value.starts_with('-'))
                        && (is_quoted || !value.contains([' ', '\t', '\n', '*', '?', '[']))
                        && self.is_harmless(value)
                })
            });
        }
        self.is_harmless_pattern(text)
    }

    /// The values that the script gives to a variable of its own, if all are known.
    fn values(&self, name: &str) -> Option<Vec<&str>> {
        let set = self.command.variables.iter().filter(|set| set.name == name);
        let values: Option<Vec<_>> = set.map(|set| set.values.as_ref()).collect();
        let values: Vec<&str> = values?.into_iter().flatten().map(String::as_str).collect();
        (!values.is_empty() && words::is_own(name, self.place)).then_some(values)
    }

    /// A pattern such as `src/*.rs`, where nothing that it can find is secret.
    fn is_harmless_pattern(&self, text: &str) -> bool {
        let is_plain = text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-./*?,{}".contains(&b));
        if !is_plain || text.starts_with('{') {
            return false;
        }
        patterns::alternatives(text).is_some_and(|words| {
            words.iter().all(|word| match word.contains(['*', '?']) {
                true => self.is_harmless_glob(word),
                false => !word.starts_with('-') && self.is_harmless(word),
            })
        })
    }

    fn is_harmless_glob(&self, text: &str) -> bool {
        let before = text.split(['*', '?']).next().unwrap_or_default();
        let folder = before.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let is_option = text.starts_with(['-', '*', '?']) && !text.starts_with("*.");
        let looks_hidden = text
            .split('/')
            .any(|part| part.starts_with('.') && part != ".");
        let hidden = match patterns::looks_behind_folders(text) {
            true => HiddenFiles::IncludedWithPackages,
            false => HiddenFiles::Included,
        };
        !is_option
            && !looks_hidden
            && !text.contains("..")
            && !text.starts_with('/')
            && self.is_harmless(folder)
            && self.is_clean_below(folder, hidden)
    }

    fn is_clean_below(&self, path: &str, hidden: HiddenFiles) -> bool {
        paths::folders(&self.command.folder, self.place).is_some_and(|folders| {
            folders.iter().all(|folder| {
                self.place
                    .view
                    .is_free_of_secrets(&folder.join(path), hidden)
            })
        })
    }

    /// Whether everything below all folders that are named is free of secrets. What a pattern finds already is.
    fn is_clean(&self) -> bool {
        let is_clean = |path: &str| self.is_clean_below(path, HiddenFiles::IncludedWithPackages);
        self.args.iter().all(|arg| match arg.literal() {
            Some(path) => path.starts_with('-') || is_clean(path),
            None => match variable(arg.text()).map(|(name, _)| self.values(name)) {
                Some(values) => values.is_some_and(|values| values.into_iter().all(is_clean)),
                None => true,
            },
        })
    }

    fn is_recursive(&self) -> bool {
        self.args.iter().any(|arg| {
            let text = arg.text();
            text.starts_with("--rec")
                || text.starts_with('-') && !text.starts_with("--") && text.contains('r')
        })
    }

    fn program(&self, program: &Program) -> bool {
        match program.takes {
            Takes::Nothing => self.args.is_empty(),
            Takes::Text => true,
            Takes::Files => self.are_harmless(self.args, program),
            // What comes after the file is another file to some of them, even with a dash in front.
            Takes::OneFile => {
                let operands = self.args.get(self.operands_begin(program)..);
                let is_one = match operands.unwrap_or_default() {
                    [] => true,
                    // A pattern can find two files.
                    [file] => {
                        let text = file.text();
                        file.literal().is_some()
                            || variable(text).is_some()
                            || text.starts_with("<(")
                    }
                    _ => false,
                };
                is_one && self.are_harmless(self.args, program)
            }
            Takes::PatternAndFiles => {
                match self.args.split_at_checked(self.operands_begin(program)) {
                    Some((options, [_, rest @ ..])) => {
                        self.are_harmless(options, program) && self.are_harmless(rest, program)
                    }
                    _ => self.are_harmless(self.args, program),
                }
            }
            Takes::FilesAfter(letters) => self.args.iter().all(|arg| {
                let text = arg.text();
                match text.strip_prefix('-').filter(|flags| !flags.is_empty()) {
                    Some(flags) => {
                        arg.literal().is_some() && flags.chars().all(|flag| letters.contains(flag))
                    }
                    // Some of these read further options from `@file`.
                    None => !text.starts_with('@') && self.is_harmless_word(arg, false),
                }
            }),
        }
    }

    /// Where the first word stands that is neither an option nor the value of one.
    fn operands_begin(&self, program: &Program) -> usize {
        let mut at = 0;
        let is_option = |arg: &&Word| arg.text().len() > 1 && arg.text().starts_with('-');
        while let Some(arg) = self.args.get(at).filter(is_option) {
            if arg.text() == "--" {
                return at + 1;
            }
            let has_value = takes_text(program.text_options, arg.text());
            at += if has_value { 2 } else { 1 };
        }
        at
    }

    /// Every word that is no option is taken for a path, values of options too: a number is a harmless one.
    fn are_harmless(&self, args: &[Word], program: &Program) -> bool {
        let mut only_operands = false;
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let text = arg.text();
            if text == "--" && !only_operands {
                only_operands = true;
            } else if only_operands
                || text == "-"
                || !text.starts_with('-')
                || arg.literal().is_none()
            {
                if arg.literal().is_none() && text.starts_with('-')
                    || !self.is_harmless_word(arg, only_operands)
                {
                    return false;
                }
            } else if !self.is_harmless_option(text, program.refused, program.text_options)
                || takes_text(program.text_options, text) && args.next().is_none()
            {
                return false;
            }
        }
        true
    }

    /// Long options may be shortened, and short ones put together; a value that is attached may be a path.
    fn is_harmless_option(&self, option: &str, refused: &[&str], text_options: &str) -> bool {
        if let Some(long) = option.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let is_refused = refused
                .iter()
                .filter_map(|refused| refused.strip_prefix("--"))
                .any(|refused| refused.starts_with(name));
            return !is_refused && value.is_none_or(|value| self.is_harmless(value));
        }
        let letters = option.trim_start_matches('-');
        // What follows an option with a text is the text.
        let end = letters.find(|letter| text_options.contains(letter));
        let flags = end.and_then(|end| letters.get(..end)).unwrap_or(letters);
        let is_refused = refused
            .iter()
            .filter(|refused| !refused.starts_with("--"))
            .any(|refused| flags.contains(refused.trim_start_matches('-')));
        !is_refused && !flags.contains(['/', '~'])
    }

    /// The repository has to be one whose settings run nothing, wherever the command may run.
    fn git(&self, args: &[&str]) -> bool {
        let (folder, args) = match args {
            ["-C", folder, rest @ ..] => (*folder, rest),
            _ => (".", args),
        };
        let Some(folders) = paths::folders(&self.command.folder, self.place) else {
            return false;
        };
        let is_plain = |start: &std::path::PathBuf| {
            let folder = paths::plain(&start.join(folder));
            self.place.view.git_repository(&folder) == GitRepository::Plain
        };
        self.is_harmless(folder)
            && folders.iter().all(is_plain)
            && git::is_safe(args, |path| match folder {
                "." => self.is_harmless(path),
                _ => self.is_harmless(&Path::new(folder).join(path).to_string_lossy()),
            })
    }

    /// Operators are written out, and what they compare is one word each: a variable that is split could bring its
    /// own operator along.
    fn test(&self, name: &str) -> bool {
        let args = match (name, self.args.split_last()) {
            ("test", _) => self.args,
            (_, Some((last, rest))) if matches!(last.text(), "]" | "]]") => rest,
            _ => return false,
        };
        const UNARY: &[&str] = &[
            "-n", "-z", "-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L", "-h", "-p", "-S", "-b",
            "-c", "-t",
        ];
        const BINARY: &[&str] = &[
            "=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
        ];
        let is_one = |word: &Word| match word {
            Word::Literal(text) => !text.contains('[') && text != "-v" && text != "-R",
            Word::Dynamic(text) => is_quoted(text) || name == "[[" && !text.contains('['),
        };
        let args = match args.split_first() {
            Some((not, rest)) if not.text() == "!" => rest,
            _ => args,
        };
        let joins = |word: &Word| name != "[[" && matches!(word.text(), "-a" | "-o");
        args.split(joins).all(|part| match part {
            [one] => is_one(one),
            [operator, one] => UNARY.contains(&operator.text()) && is_one(one),
            [left, operator, right] => {
                BINARY.contains(&operator.text()) && is_one(left) && is_one(right)
            }
            // `[[ -f a && -f b ]]`: the operators between are not kept.
            _ => name == "[[" && part.iter().all(is_one),
        })
    }

    fn read(&self, args: &[&str]) -> bool {
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match *arg {
                "-r" | "-s" => {}
                "-d" | "-n" | "-p" | "-t" | "-rd" | "-u" => {
                    args.next();
                }
                name if words::is_own(name, self.place) => {}
                _ => return false,
            }
        }
        true
    }

    /// The first operand is what is looked for, unless an option gives it.
    fn grep(&self) -> bool {
        let program = Program {
            name: "grep",
            takes: Takes::Files,
            refused: &[
                "-f",
                "--file",
                "-R",
                "--dereference-recursive",
                "--exclude-from",
                "-d",
                "--directories",
                "-D",
            ],
            text_options: "ABCm",
        };
        // Where an option may give the pattern, also in a cluster, every operand is a file.
        let gives_pattern = |arg: &Word| match arg.text().strip_prefix("--") {
            Some(long) => long.starts_with("reg"),
            None => arg.text().starts_with('-') && arg.text().contains('e'),
        };
        let pattern = self
            .args
            .iter()
            .position(|arg| !arg.text().starts_with('-'));
        let has_value = pattern
            .and_then(|at| at.checked_sub(1))
            .and_then(|at| self.args.get(at));
        let has_value =
            has_value.is_some_and(|option| takes_text(program.text_options, option.text()));
        let files = if self.args.iter().any(gives_pattern) || has_value {
            self.are_harmless(self.args, &program)
        } else {
            match pattern.and_then(|at| self.args.split_at_checked(at)) {
                Some((options, [pattern, rest @ ..]))
                    if !options.iter().any(|word| word.text() == "--") =>
                {
                    self.is_pattern(pattern)
                        && self.are_harmless(options, &program)
                        && self.are_harmless(rest, &program)
                }
                _ => self.are_harmless(self.args, &program),
            }
        };
        files && (!self.is_recursive() || self.is_searched_safely(&program, HiddenFiles::Included))
    }

    /// One word that cannot turn out to be an option.
    fn is_pattern(&self, word: &Word) -> bool {
        if word.literal().is_some() {
            return true;
        }
        let values = match variable(word.text()) {
            Some((name, true)) => self.values(name),
            _ => None,
        };
        values.is_some_and(|values| values.iter().all(|value| !value.starts_with('-')))
    }

    /// A search through folders prints what it finds there, so nothing secret may be below them.
    fn is_searched_safely(&self, program: &Program, hidden: HiddenFiles) -> bool {
        let mut operands = Vec::new();
        let mut is_clear = true;
        let mut only_operands = false;
        let mut args = self.args.iter();
        while let Some(arg) = args.next() {
            let text = arg.text();
            if only_operands || !text.starts_with('-') {
                operands.push(text);
                is_clear &= arg.literal().is_some() || operands.len() == 1;
                continue;
            }
            if takes_text(program.text_options, text) {
                args.next();
            }
            only_operands = text == "--";
            // The word after it may be its value or a folder, and `-e` takes the place of the pattern.
            let is_long = text.starts_with("--") && !only_operands;
            let gives_pattern = !text.starts_with("--") && text.contains('e');
            is_clear &= !(is_long && !text.contains('=') || gives_pattern);
        }
        let pattern = usize::from(is_clear);
        let mut folders = operands.get(pattern..).unwrap_or_default().to_vec();
        if folders.is_empty() || !is_clear {
            folders.push(".");
        }
        folders
            .iter()
            .all(|folder| self.is_clean_below(folder, hidden))
    }

    fn rg(&self) -> bool {
        let program = Program {
            name: "rg",
            takes: Takes::PatternAndFiles,
            refused: &[
                "--pre",
                "-z",
                "--search-zip",
                "--hostname-bin",
                "-f",
                "--file",
                "-L",
                "--follow",
                "--ignore-file",
            ],
            text_options: "ABCgtTmrejEM",
        };
        let is_open = |arg: &Word| {
            let text = arg.text();
            text.starts_with("--hid")
                || text.starts_with("--no-ig")
                || text.starts_with("--unr")
                || text.starts_with('-') && !text.starts_with("--") && text.contains(['u', '.'])
        };
        let hidden = match self.args.iter().any(is_open) {
            true => HiddenFiles::Included,
            false => HiddenFiles::Skipped,
        };
        let lists = self.args.iter().any(|arg| arg.text() == "--files");
        let gives_pattern = self
            .args
            .iter()
            .any(|arg| arg.text().starts_with("-e") || arg.text().starts_with("--reg"));
        let files = match lists || gives_pattern {
            true => self.are_harmless(self.args, &program),
            false => self.pattern_and_files(&program),
        };
        files && (lists || self.is_searched_safely(&program, hidden))
    }

    /// Options with values may stand before the pattern.
    fn pattern_and_files(&self, program: &Program) -> bool {
        match self.args.split_at_checked(self.operands_begin(program)) {
            Some((options, [pattern, rest @ ..])) => {
                self.is_pattern(pattern)
                    && self.are_harmless(options, program)
                    && self.are_harmless(rest, program)
            }
            _ => false,
        }
    }

    /// A second operand would be written. Options are told by their first letters, `-ps` is one of them.
    fn xxd(&self, args: &[&str]) -> bool {
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match *arg {
                "-s" | "-l" | "-c" | "-g" | "-o" | "-n" => {
                    if args.next().is_none() {
                        return false;
                    }
                }
                "-p" | "-ps" | "-u" | "-b" | "-i" | "-e" | "-a" | "-E" | "-C" => {}
                option if option.starts_with('-') && option != "-" => {
                    let value = option.get(2..).unwrap_or_default();
                    let is_number = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
                    let takes_number = ["-s", "-l", "-c", "-g", "-o"]
                        .iter()
                        .any(|known| option.starts_with(known));
                    if !is_number || !takes_number {
                        return false;
                    }
                }
                // Whatever follows the file is a file to write, `-p` too.
                path => return args.next().is_none() && self.is_harmless(path),
            }
        }
        true
    }

    /// Only scripts that print: a script of sed can write and run.
    fn sed(&self) -> bool {
        let mut has_script = false;
        let mut args = self.args.iter();
        while let Some(arg) = args.next() {
            let is_script = match arg.literal() {
                Some("-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "-nE" | "-En" | "-nr") => continue,
                Some("-e" | "-ne") => {
                    has_script = true;
                    args.next()
                        .and_then(Word::literal)
                        .is_some_and(scripts::sed_prints)
                }
                Some(option) if option.starts_with('-') && option != "-" => false,
                Some(script) if !has_script => {
                    has_script = true;
                    scripts::sed_prints(script)
                }
                _ => has_script && self.is_harmless_word(arg, false),
            };
            if !is_script {
                return false;
            }
        }
        has_script
    }

    fn awk(&self) -> bool {
        let mut has_program = false;
        let mut args = self.args.iter();
        while let Some(arg) = args.next() {
            let is_fine = match arg.literal() {
                Some("-F" | "-v") => args.next().is_some_and(|value| value.literal().is_some()),
                Some(option) if option.starts_with("-F") => true,
                Some(option) if option.starts_with('-') && option != "-" => false,
                Some(program) if !has_program => {
                    has_program = true;
                    scripts::awk_prints(program)
                }
                // `name=value` sets a variable instead of naming a file.
                _ => has_program && !arg.text().contains('=') && self.is_harmless_word(arg, false),
            };
            if !is_fine {
                return false;
            }
        }
        has_program
    }

    fn jq(&self) -> bool {
        let mut has_filter = false;
        let mut args = self.args.iter();
        while let Some(arg) = args.next() {
            let is_fine = match arg.literal() {
                Some("--arg" | "--argjson") => {
                    args.next().is_some_and(|name| name.literal().is_some())
                        && args.next().is_some()
                }
                Some("--indent") => args.next().is_some_and(|value| value.literal().is_some()),
                Some(long) if long.starts_with("--") => matches!(
                    long,
                    "--raw-output"
                        | "--compact-output"
                        | "--slurp"
                        | "--null-input"
                        | "--exit-status"
                        | "--sort-keys"
                        | "--color-output"
                        | "--monochrome-output"
                        | "--tab"
                        | "--raw-input"
                        | "--ascii-output"
                        | "--join-output"
                ),
                Some(short) if short.starts_with('-') && short != "-" => short
                    .chars()
                    .skip(1)
                    .all(|letter| "rcsneSCMRaj".contains(letter)),
                Some(filter) if !has_filter => {
                    has_filter = true;
                    scripts::jq_filters(filter)
                }
                _ => has_filter && self.is_harmless_word(arg, false),
            };
            if !is_fine {
                return false;
            }
        }
        has_filter
    }

    fn find(&self, args: &[&str]) -> bool {
        let begins = |arg: &&str| arg.starts_with(['-', '(', '!']);
        let start = args.iter().position(begins).unwrap_or(args.len());
        let Some((folders, tests)) = args.split_at_checked(start) else {
            return false;
        };
        let mut tests = tests.iter();
        while let Some(test) = tests.next() {
            match *test {
                "(" | ")" | "!" | "-not" | "-a" | "-and" | "-o" | "-or" | "-print" | "-print0"
                | "-empty" | "-prune" | "-ls" | "-depth" | "-true" | "-false" | "-mount"
                | "-xdev" | "-daystart" | "-executable" | "-readable" | "-writable" | "-quit" => {}
                "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex"
                | "-type" | "-maxdepth" | "-mindepth" | "-size" | "-mtime" | "-mmin" | "-ctime"
                | "-cmin" | "-atime" | "-amin" | "-perm" | "-user" | "-group" | "-links"
                | "-regextype" | "-printf" => {
                    if tests.next().is_none() {
                        return false;
                    }
                }
                "-newer" => match tests.next() {
                    Some(file) if self.is_harmless(file) => {}
                    _ => return false,
                },
                _ => return false,
            }
        }
        folders.iter().all(|folder| self.is_harmless(folder))
    }
}

/// Whether the next word is the value of this option, and no file.
fn takes_text(text_options: &str, option: &str) -> bool {
    !option.starts_with("--")
        && option.starts_with('-')
        && option
            .chars()
            .last()
            .is_some_and(|last| text_options.contains(last))
        && option.find(|letter| text_options.contains(letter)) == Some(option.len() - 1)
}

/// A word that is quoted as a whole, so that bash makes one word of it.
fn is_quoted(text: &str) -> bool {
    text.strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .is_some_and(|inner| !inner.contains(['"', '\\']))
}

/// The name of a variable that is the whole word, and whether it is quoted.
fn variable(text: &str) -> Option<(&str, bool)> {
    let is_quoted = is_quoted(text);
    let inner = match is_quoted {
        true => text.trim_matches('"'),
        false => text,
    };
    let name = inner.strip_prefix('$')?;
    let name = name
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'))
        .unwrap_or(name);
    words::is_plain_name(name).then_some((name, is_quoted))
}
