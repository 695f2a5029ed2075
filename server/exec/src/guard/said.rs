//! What a guard tells its owner, one line each.

use std::fmt;
use std::str::FromStr;

use super::start::Refusal;
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
            Said::Gone => f.write_str("gone"),
        }
    }
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
