//! What a guard tells its owner, one line each.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::str::FromStr;

use super::start::Refusal;
use crate::refused::{AccessKind, RefusedAccess};
use crate::sandbox::InForce;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    Started {
        shell: u32,
        sandbox: InForce,
    },
    /// The shell did not start.
    NoShell(String),
    /// The sandbox cannot be put in force, so nothing was started.
    NoSandbox(String),
    /// The shell ended; these came out of it and still run.
    Ended {
        exit: ShellExit,
        background: Vec<u32>,
    },
    /// A read-only command tried to do more.
    Refused(RefusedAccess),
    /// No process of the command is left.
    Gone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShellExit {
    Code(i32),
    Signal(i32),
}

impl From<Refusal> for Said {
    fn from(refusal: Refusal) -> Said {
        match refusal {
            Refusal::Shell(why) => Said::NoShell(why),
            Refusal::Sandbox(why) => Said::NoSandbox(why),
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Started { shell, sandbox } => {
                write!(f, "started {shell} {}", sandbox.to_word())
            }
            Said::NoShell(why) => write!(f, "no-shell {}", one_line(why)),
            Said::NoSandbox(why) => write!(f, "no-sandbox {}", one_line(why)),
            Said::Ended { exit, background } => {
                match exit {
                    ShellExit::Code(code) => write!(f, "code {code}")?,
                    ShellExit::Signal(signal) => write!(f, "signal {signal}")?,
                }
                background.iter().try_for_each(|id| write!(f, " {id}"))
            }
            Said::Refused(refused) => {
                write!(f, "refused {}", refused.kind.to_word())?;
                match &refused.path {
                    Some(path) => write!(f, " /{}", hex(path.as_os_str())),
                    None => Ok(()),
                }
            }
            Said::Gone => f.write_str("gone"),
        }
    }
}

/// A path may hold any byte, a line feed among them.
fn hex(text: &OsStr) -> String {
    text.as_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn from_hex(text: &str) -> Option<PathBuf> {
    let pairs = text.as_bytes().chunks(2);
    let bytes = pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

fn refused(rest: &str) -> Option<RefusedAccess> {
    let (kind, path) = match rest.split_once(" /") {
        Some((kind, path)) => (kind, Some(from_hex(path)?)),
        None => (rest, None),
    };
    let kind = AccessKind::from_word(kind)?;
    Some(RefusedAccess { kind, path })
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

impl FromStr for Said {
    type Err = ();

    fn from_str(line: &str) -> Result<Said, ()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut words = rest.split_ascii_whitespace();
        let mut number = || words.next().and_then(|word| word.parse::<i32>().ok());
        let exit = match word {
            "started" => {
                let (shell, sandbox) = rest.split_once(' ').ok_or(())?;
                return Ok(Said::Started {
                    shell: shell.parse().map_err(|_| ())?,
                    sandbox: InForce::from_word(sandbox).ok_or(())?,
                });
            }
            "no-shell" => return Ok(Said::NoShell(rest.to_owned())),
            "no-sandbox" => return Ok(Said::NoSandbox(rest.to_owned())),
            "refused" => return refused(rest).map(Said::Refused).ok_or(()),
            "gone" => return Ok(Said::Gone),
            "code" => ShellExit::Code(number().ok_or(())?),
            "signal" => ShellExit::Signal(number().ok_or(())?),
            _ => return Err(()),
        };
        let background = words.map(str::parse).collect::<Result<_, _>>();
        Ok(Said::Ended {
            exit,
            background: background.map_err(|_| ())?,
        })
    }
}

#[cfg(test)]
mod tests;
