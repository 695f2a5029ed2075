//! Builtins that run a text, and those that change what later words mean.

use super::Inner;
use crate::shell::reader::is_powerful;
use crate::shell::{Command, Word};

/// Nothing where the program is none of these.
pub(super) fn inner(name: &str, command: &Command) -> Option<Result<Option<Inner>, String>> {
    let words = &command.words;
    Some(match name {
        "eval" => joined(name, words.get(1..).unwrap_or_default()),
        "trap" => trap(words),
        "source" | "." => match words.get(1) {
            Some(Word::Literal(file))
                if !file.starts_with("/dev/") && !file.starts_with("/proc/") =>
            {
                Ok(None)
            }
            _ => Err(format!("`{name}` reads what is only known when it runs")),
        },
        "alias" | "unalias" | "enable" | "hash" | "shopt" | "bind" | "complete" | "compgen"
        | "coproc" | "let" => Err(format!("`{name}` changes what other words mean")),
        "set" => match words
            .get(1..)
            .unwrap_or_default()
            .iter()
            .all(is_plain_setting)
        {
            true => Ok(None),
            false => Err("`set` changes what other words mean".to_owned()),
        },
        "export" | "declare" | "typeset" | "local" | "readonly" => {
            let doubt = words.iter().skip(1).find_map(|word| match word {
                Word::Literal(text) => doubt_about_assignment(text),
                Word::Dynamic(text) => doubt_about_assignment(text).or_else(|| {
                    (!text.contains('='))
                        .then(|| format!("`{name}` sets a variable that is not known"))
                }),
            });
            match doubt {
                Some(reason) => Err(reason),
                None => Ok(None),
            }
        }
        _ => return None,
    })
}

/// Why an assignment gives other words another meaning, if it does.
pub(super) fn doubt_about_assignment(assignment: &str) -> Option<String> {
    let (name, _) = assignment.split_once('=')?;
    let name = name.trim_end_matches('+');
    is_powerful(name).then(|| format!("it sets {name}"))
}

fn is_plain_setting(word: &Word) -> bool {
    match word.literal() {
        Some("--" | "pipefail" | "errexit" | "nounset" | "xtrace") => true,
        Some(text) => text.strip_prefix(['-', '+']).is_some_and(|letters| {
            !letters.is_empty() && letters.chars().all(|letter| "euxvo".contains(letter))
        }),
        None => false,
    }
}

/// The words put together again and read as a script.
pub(super) fn joined(label: &str, words: &[Word]) -> Result<Option<Inner>, String> {
    let mut texts = Vec::new();
    for word in words {
        match word {
            Word::Literal(text) => texts.push(text.as_str()),
            Word::Dynamic(text) => {
                return Err(format!(
                    "`{label}` runs what is only known when it runs: {text}"
                ));
            }
        }
    }
    match texts.first() {
        None => Ok(None),
        Some(first) if first.starts_with('-') => Err(format!("`{label} {first}` is not known")),
        Some(_) => Ok(Some(Inner::Script {
            label: label.to_owned(),
            text: texts.join(" "),
        })),
    }
}

fn trap(words: &[Word]) -> Result<Option<Inner>, String> {
    match words.get(1..).unwrap_or_default() {
        [] => Ok(None),
        [Word::Literal(action), _, ..] if action == "-" || action.is_empty() => Ok(None),
        [Word::Literal(action), signals @ ..]
            if !action.starts_with('-') && !signals.is_empty() =>
        {
            joined("trap", &[Word::Literal(action.clone())])
        }
        _ => Err("`trap` is not plain".to_owned()),
    }
}
