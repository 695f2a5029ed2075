//! What bash evaluates in the words of a script, whichever command, loop or redirection they belong to.
//!
//! The inert subset: a word may hold text, patterns, substitutions whose commands are judged, variables that the
//! script itself has set, and arithmetic over digits. A variable that the script sets has a lower-case name, is not one
//! that bash or another program acts on, and is not in the environment.

use super::{Place, Safety, known, worse};
use crate::shell::reader::is_powerful;
use crate::shell::unwrap::base_name;
use crate::shell::{Command, Script, SetVariable, Word};

/// Variables and parameters that everybody may see.
pub(super) const PUBLIC: &[&str] = &[
    "?",
    "#",
    "$",
    "!",
    "-",
    "0",
    "HOME",
    "PWD",
    "OLDPWD",
    "USER",
    "LOGNAME",
    "SHELL",
    "PATH",
    "LANG",
    "LC_ALL",
    "TERM",
    "HOSTNAME",
    "UID",
    "EUID",
    "PPID",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "OSTYPE",
    "MACHTYPE",
    "HOSTTYPE",
    "BASH_VERSION",
    "SHLVL",
    "TMPDIR",
    "EDITOR",
    "PAGER",
    "COLUMNS",
    "LINES",
];

pub(super) fn classify(script: &Script, place: &Place<'_>) -> Safety {
    let mut worst = Safety::KnownSafe;
    for name in &script.expansions.arithmetic {
        if !is_number(name, script, place) {
            return Safety::Dangerous {
                reason: format!(
                    "arithmetic evaluates the value of `{name}`, which can hold a command"
                ),
            };
        }
        worst = Safety::Ordinary;
    }
    for command in &script.commands {
        if let Some(reason) = evaluates_operands(command) {
            return Safety::Dangerous { reason };
        }
    }
    let is_set = |name: &str| {
        let mut set = script.expansions.set.iter();
        set.any(|variable| variable.name == name)
            || script.commands.iter().any(|c| reads_into(c, name))
    };
    let is_known =
        |name: &String| PUBLIC.contains(&name.as_str()) || is_own(name, place) && is_set(name);
    if !script.expansions.read.iter().all(is_known)
        || !script
            .expansions
            .set
            .iter()
            .all(|variable| is_own(&variable.name, place) || only_formats(variable))
    {
        worst = worse(worst, Safety::Ordinary);
    }
    worst
}

/// Whether the variable gets nothing but a value that changes only how programs print.
fn only_formats(variable: &SetVariable) -> bool {
    variable.values.as_ref().is_some_and(|values| {
        let mut assignments = values
            .iter()
            .map(|value| format!("{}={value}", variable.name));
        assignments.all(|assignment| known::FORMATTING.contains(&assignment.as_str()))
    })
}

/// Whether a variable is the script's own.
pub(super) fn is_own(name: &str, place: &Place<'_>) -> bool {
    is_plain_name(name) && !is_powerful(name) && !place.view.has_variable(name)
}

pub(super) fn is_plain_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    name != "_"
        && bytes
            .next()
            .is_some_and(|b| b.is_ascii_lowercase() || b == b'_')
        && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether the script gives the variable nothing but numbers.
fn is_number(name: &str, script: &Script, place: &Place<'_>) -> bool {
    let set: Vec<_> = script
        .expansions
        .set
        .iter()
        .filter(|set| set.name == name)
        .collect();
    let is_digits = |value: &String| value.bytes().all(|byte| byte.is_ascii_digit());
    !set.is_empty()
        && is_own(name, place)
        && !script
            .commands
            .iter()
            .any(|command| reads_into(command, name))
        && set.iter().all(|set| {
            set.is_arithmetic
                || set
                    .values
                    .as_ref()
                    .is_some_and(|values| values.iter().all(is_digits))
        })
}

fn reads_into(command: &Command, name: &str) -> bool {
    matches!(command.program(), Some("read"))
        && command.words.iter().any(|word| word.text() == name)
}

/// Builtins that take the name of a variable evaluate what stands in its index, and `[[` evaluates what it compares
/// as numbers.
fn evaluates_operands(command: &Command) -> Option<String> {
    let name = base_name(command.program()?);
    let args = command.words.get(1..).unwrap_or_default();
    let is_index = |word: &Word| word.text().contains('[') || word.literal().is_none();
    let evaluates = match name {
        "[[" => {
            args.windows(3).any(|three| {
                let [left, operator, right] = three else {
                    return false;
                };
                matches!(
                    operator.text(),
                    "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"
                ) && !(is_integer(left) && is_integer(right))
            }) || follows(args, &["-v", "-R"], is_index)
        }
        "test" | "[" => {
            let operands = match args.split_last() {
                Some((last, rest)) if name == "[" && last.text() == "]" => rest,
                _ => args,
            };
            follows(operands, &["-v", "-R"], is_index)
                || operands.iter().any(|word| word.text().contains('['))
                    && operands.iter().any(|word| word.literal().is_none())
        }
        "printf" => {
            follows(args, &["-v"], is_index)
                || args
                    .first()
                    .is_some_and(|word| word.text().starts_with("-v") && word.text() != "-v")
        }
        "read" | "unset" | "getopts" | "mapfile" | "readarray" | "wait" => args
            .iter()
            .any(|word| word.text().contains('[') || word.literal().is_none() && name != "wait"),
        "declare" | "typeset" | "local" | "export" | "readonly" => args.iter().any(|word| {
            let text = word.text();
            let target = text.split('=').next().unwrap_or(text);
            target.contains('[') || text.starts_with('-') && text.contains('i')
        }),
        _ => false,
    };
    evaluates.then(|| format!("`{name}` evaluates an operand, which can hold a command"))
}

fn is_integer(word: &Word) -> bool {
    word.literal().is_some_and(|text| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn follows(args: &[Word], options: &[&str], is_bad: impl Fn(&Word) -> bool) -> bool {
    args.windows(2).any(|pair| match pair {
        [option, value] => options.contains(&option.text()) && is_bad(value),
        _ => false,
    })
}
