//! Programs that run the words after them as a command.

use super::{Fill, Inner, builtins, git, su};
use crate::shell::Word;
use crate::shell::reader::RESERVED;

/// A program whose last words are a command.
struct Launcher {
    name: &'static str,
    /// Letters of options without a value.
    flags: &'static str,
    /// Letters of options with one.
    valued: &'static str,
    long: &'static [&'static str],
    long_valued: &'static [&'static str],
    /// How many words stand between the options and the command.
    before: usize,
}

const PLAIN: Launcher = Launcher {
    name: "",
    flags: "",
    valued: "",
    long: &[],
    long_valued: &[],
    before: 0,
};

const LAUNCHERS: &[Launcher] = &[
    Launcher {
        name: "sudo",
        flags: "AbEHknPS",
        valued: "Cghprtu",
        long: &[
            "askpass",
            "background",
            "non-interactive",
            "set-home",
            "stdin",
            "preserve-env",
        ],
        long_valued: &["user", "group", "host", "prompt"],
        ..PLAIN
    },
    Launcher {
        name: "doas",
        flags: "n",
        valued: "u",
        ..PLAIN
    },
    Launcher {
        name: "env",
        flags: "i0v",
        valued: "u",
        long: &["ignore-environment", "null", "debug"],
        long_valued: &["unset"],
        ..PLAIN
    },
    Launcher {
        name: "nice",
        valued: "n",
        long_valued: &["adjustment"],
        ..PLAIN
    },
    Launcher {
        name: "nohup",
        ..PLAIN
    },
    Launcher {
        name: "setsid",
        flags: "cfw",
        long: &["ctty", "fork", "wait"],
        ..PLAIN
    },
    Launcher {
        name: "stdbuf",
        valued: "ioe",
        long_valued: &["input", "output", "error"],
        ..PLAIN
    },
    Launcher {
        name: "ionice",
        flags: "t",
        valued: "cn",
        long: &["ignore"],
        long_valued: &["class", "classdata"],
        ..PLAIN
    },
    Launcher {
        name: "time",
        flags: "pv",
        ..PLAIN
    },
    Launcher {
        name: "timeout",
        flags: "v",
        valued: "ks",
        long: &["foreground", "preserve-status", "verbose"],
        long_valued: &["kill-after", "signal"],
        before: 1,
    },
    Launcher {
        name: "gtimeout",
        valued: "ks",
        before: 1,
        ..PLAIN
    },
    Launcher {
        name: "chroot",
        long: &["skip-chdir"],
        long_valued: &["userspec", "groups"],
        before: 1,
        ..PLAIN
    },
    Launcher {
        name: "command",
        flags: "p",
        ..PLAIN
    },
    Launcher {
        name: "builtin",
        ..PLAIN
    },
    Launcher {
        name: "exec",
        flags: "cl",
        valued: "a",
        ..PLAIN
    },
    Launcher {
        name: "busybox",
        ..PLAIN
    },
    Launcher {
        name: "toybox",
        ..PLAIN
    },
    Launcher {
        name: "xargs",
        flags: "0rtpxo",
        valued: "adEILnPs",
        long: &[
            "null",
            "no-run-if-empty",
            "verbose",
            "interactive",
            "exit",
            "open-tty",
        ],
        long_valued: &[
            "arg-file",
            "delimiter",
            "replace",
            "max-args",
            "max-procs",
            "max-chars",
            "max-lines",
        ],
        ..PLAIN
    },
    Launcher {
        name: "watch",
        flags: "bcdegtx",
        valued: "n",
        long: &[
            "beep",
            "color",
            "errexit",
            "chgexit",
            "no-title",
            "exec",
            "differences",
        ],
        long_valued: &["interval"],
        ..PLAIN
    },
];

/// Programs that run others too, but in ways that are not taken apart.
const OPAQUE: &[&str] = &[
    "parallel",
    "script",
    "strace",
    "ltrace",
    "gdb",
    "lldb",
    "unshare",
    "nsenter",
    "taskset",
    "chrt",
    "numactl",
    "runuser",
    "pkexec",
    "systemd-run",
    "flock",
    "entr",
    "perf",
    "valgrind",
    "rlwrap",
    "unbuffer",
    "expect",
    "firejail",
    "bwrap",
    "proot",
    "fakeroot",
    "torify",
    "torsocks",
    "proxychains",
    "proxychains4",
    "daemonize",
    "daemon",
    "start-stop-daemon",
    "at",
    "batch",
    "crontab",
    "socat",
    "xvfb-run",
    "dbus-run-session",
    "setarch",
    "linux64",
    "linux32",
    "prlimit",
    "setpriv",
    "capsh",
    "sg",
    "newgrp",
    "tmux",
    "screen",
    "run-parts",
    "cpulimit",
    "catchsegv",
    "ssh-agent",
    "tclsh",
    "m4",
    "sem",
    "hyperfine",
    "watchexec",
    "cargo-watch",
    "nodemon",
    "foreman",
    "choom",
    "uclampset",
];

/// Wrappers that add nothing of their own to what they run.
pub(in crate::shell) fn is_transparent(name: &str) -> bool {
    matches!(
        name,
        "env"
            | "nice"
            | "time"
            | "timeout"
            | "stdbuf"
            | "ionice"
            | "command"
            | "builtin"
            | "xargs"
            | "busybox"
            | "bash"
            | "sh"
    )
}

pub(super) fn inner(name: &str, words: &[Word]) -> Result<Option<Inner>, String> {
    if OPAQUE.contains(&name) || name.starts_with("ld-linux") || name.starts_with("ld.so") {
        return Err(format!("what `{name}` runs is not followed"));
    }
    match name {
        "su" => return su::inner(words),
        "git" => return git::inner(words),
        "fd" | "fdfind" => {
            let runs = |word: &Word| {
                let text = word.text();
                text.starts_with("--exec")
                    || text.starts_with('-') && !text.starts_with("--") && text.contains(['x', 'X'])
            };
            return match words.iter().any(runs) {
                true => Err(format!("what `{name}` runs is not followed")),
                false => Ok(None),
            };
        }
        "env"
            if words.get(1).is_some_and(|word| {
                word.text().starts_with("-S") || word.text().starts_with("--split-string")
            }) =>
        {
            return Err("`env -S` splits its words by rules of its own".to_owned());
        }
        "command"
            if words
                .get(1)
                .is_some_and(|word| matches!(word.text(), "-v" | "-V")) =>
        {
            return Ok(None);
        }
        _ => {}
    }
    let Some(launcher) = LAUNCHERS.iter().find(|launcher| launcher.name == name) else {
        return Ok(None);
    };
    let options = options(launcher, words)?;
    let mut at = options.end;
    for _ in 0..launcher.before {
        if matches!(words.get(at), Some(Word::Dynamic(_))) {
            return Err(format!("what `{name}` runs is only known when it runs"));
        }
        at += 1;
    }
    let assigns = matches!(name, "env" | "sudo" | "time");
    let first = at;
    while let Some(text) = words.get(at).filter(|_| assigns).and_then(Word::literal) {
        let Some((variable, _)) = text.split_once('=') else {
            break;
        };
        if let Some(reason) = builtins::doubt_about_assignment(text) {
            return Err(reason);
        }
        if name == "time" && variable.contains('/') {
            break;
        }
        at += 1;
    }
    if at >= words.len() {
        return match name {
            "xargs" | "env" | "exec" | "sudo" | "time" | "command" | "nice" | "builtin"
            | "busybox" | "toybox" => Ok(None),
            _ => Err(format!("`{name}` has nothing to run")),
        };
    }
    // `time` is a word of bash's own grammar and may stand before any command.
    if name == "time"
        && words
            .get(at)
            .is_some_and(|word| RESERVED.contains(&word.text()))
    {
        return Err("`time` stands before a compound command".to_owned());
    }
    if name == "watch" && !options.seen.contains(&"x") && !options.seen.contains(&"exec") {
        return builtins::joined("watch", words.get(at..).unwrap_or_default());
    }
    let fill = match (name, options.replaced) {
        ("xargs", Some(marker)) if marker.is_empty() => {
            return Err("`xargs` replaces nothing".to_owned());
        }
        ("xargs", Some(marker)) => Fill::Replace(marker),
        ("xargs", None) => Fill::Append,
        _ => Fill::Nothing,
    };
    Ok(Some(Inner::Words {
        label: name.to_owned(),
        assignments: first..at,
        words: at..words.len(),
        fill,
    }))
}

struct Options<'a> {
    /// Where the first word stands that is no option.
    end: usize,
    seen: Vec<&'a str>,
    /// What `xargs -I` replaces.
    replaced: Option<String>,
}

fn options<'a>(launcher: &Launcher, words: &'a [Word]) -> Result<Options<'a>, String> {
    let name = launcher.name;
    let mut options = Options {
        end: 1,
        seen: Vec::new(),
        replaced: None,
    };
    while let Some(word) = words.get(options.end) {
        let Some(text) = word.literal() else {
            return Err(format!(
                "what `{name}` runs is only known when it runs: {}",
                word.text()
            ));
        };
        if text == "--" {
            options.end += 1;
            break;
        }
        if text == "-" || !text.starts_with('-') {
            if text == "-" {
                return Err(format!("`{name} -` is not known"));
            }
            break;
        }
        options.end += 1;
        let unknown = || format!("`{name} {text}` is not known");
        let value = |options: &mut Options<'a>| -> Result<String, String> {
            let value = words
                .get(options.end)
                .and_then(Word::literal)
                .ok_or_else(unknown)?;
            options.end += 1;
            Ok(value.to_owned())
        };
        if let Some(long) = text.strip_prefix("--") {
            let (long, given) = match long.split_once('=') {
                Some((long, given)) => (long, Some(given.to_owned())),
                None => (long, None),
            };
            if launcher.long_valued.contains(&long) {
                let value = match given {
                    Some(value) => value,
                    None => value(&mut options)?,
                };
                if long == "replace" {
                    options.replaced = Some(value);
                }
            } else if !launcher.long.contains(&long) || given.is_some() && long != "preserve-env" {
                return Err(unknown());
            }
            options.seen.push(long);
            continue;
        }
        let letters = text.get(1..).unwrap_or_default();
        if name == "nice" && letters.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        for (at, letter) in letters.char_indices() {
            let after = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            if launcher.valued.contains(letter) {
                let value = if after.is_empty() {
                    value(&mut options)?
                } else {
                    after.to_owned()
                };
                if name == "xargs" && letter == 'I' {
                    options.replaced = Some(value);
                }
                break;
            }
            if !launcher.flags.contains(letter) {
                return Err(unknown());
            }
            options
                .seen
                .push(letters.get(at..at + letter.len_utf8()).unwrap_or_default());
        }
    }
    Ok(options)
}
