//! Shells that are given a script.

use super::Inner;
use crate::shell::{Command, Stdin};

const LIKE_BASH: &[&str] = &["bash", "rbash", "sh", "dash", "ash", "ksh", "mksh", "zsh"];
const OTHERS: &[&str] = &[
    "fish",
    "csh",
    "tcsh",
    "pwsh",
    "powershell",
    "powershell.exe",
    "cmd",
    "cmd.exe",
    "nu",
    "xonsh",
    "elvish",
];

pub(super) fn is_shell(name: &str) -> bool {
    LIKE_BASH.contains(&name) || OTHERS.contains(&name)
}

pub(super) fn inner(name: &str, command: &Command) -> Result<Option<Inner>, String> {
    if OTHERS.contains(&name) {
        return Err(format!("`{name}` does not read its scripts as bash does"));
    }
    let mut has_script = false;
    let mut reads_input = false;
    let mut at = 1;
    while let Some(word) = command.words.get(at) {
        let Some(word) = word.literal() else {
            return Err(format!(
                "`{name}` runs something that is only known when it runs"
            ));
        };
        if word == "--" || word == "-" {
            at += 1;
            break;
        }
        if word.starts_with('+') {
            return Err(format!("`{name} {word}` is not known"));
        }
        if let Some(long) = word.strip_prefix("--") {
            if ![
                "login",
                "norc",
                "noprofile",
                "posix",
                "verbose",
                "version",
                "help",
                "restricted",
            ]
            .contains(&long)
            {
                return Err(format!("`{name} --{long}` is not known"));
            }
        } else if let Some(letters) = word.strip_prefix('-') {
            for letter in letters.chars() {
                match letter {
                    'c' => has_script = true,
                    's' => reads_input = true,
                    'e' | 'u' | 'x' | 'v' | 'l' | 'i' | 'n' | 'r' => {}
                    'o' => {
                        at += 1;
                        let option = command.words.get(at).map(|word| word.text());
                        if !matches!(
                            option,
                            Some("pipefail" | "errexit" | "nounset" | "xtrace" | "noglob")
                        ) {
                            return Err(format!("`{name} -o` with this option is not known"));
                        }
                    }
                    _ => return Err(format!("`{name} -{letter}` is not known")),
                }
            }
        } else {
            break;
        }
        at += 1;
    }
    let operand = command.words.get(at);
    if has_script {
        return match operand.map(|word| (word.literal(), word.text())) {
            Some((Some(text), _)) => script(name, format!("{name} -c"), text),
            Some((None, source)) => Err(format!(
                "`{name} -c` runs what is only known when it runs: {source}"
            )),
            None => Err(format!("`{name} -c` has no script")),
        };
    }
    let is_input = |path: &str| matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0");
    match operand {
        Some(word) if !reads_input && !word.literal().is_some_and(is_input) => match word.literal()
        {
            Some(_) => Ok(None),
            None => Err(format!(
                "`{name}` runs something that is only known when it runs"
            )),
        },
        _ => match &command.stdin {
            Stdin::Text(text) => script(name, format!("{name} <<"), text),
            Stdin::DynamicText => Err(format!(
                "`{name}` reads a text that is only known when it runs"
            )),
            Stdin::Inherited | Stdin::Pipe | Stdin::File => Ok(None),
        },
    }
}

/// A script for another shell than bash must hold nothing that only bash, or everyone but bash, reads as it does.
fn script(name: &str, label: String, text: &str) -> Result<Option<Inner>, String> {
    let strange: &[&str] = match name {
        "bash" | "rbash" => &[],
        "zsh" => &[
            "$'", "&>", "|&", "=", "^", "#", "~", "(", "@", "%", "[", "!",
        ],
        _ => &["$'", "&>", "|&", "<<<", "[[", "<(", ">("],
    };
    match strange.iter().find(|strange| text.contains(**strange)) {
        Some(strange) => Err(format!(
            "`{name}` may read `{strange}` in its script unlike bash"
        )),
        None => Ok(Some(Inner::Script {
            label,
            text: text.to_owned(),
        })),
    }
}
