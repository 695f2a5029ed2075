//! A program that is talked to for as long as its owner wants: its input and its output are the owner's, and none of
//! it outlives the owner.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::Child;

use crate::guard::{self, Around, Order, Said, ShellExit, Teletype};
use crate::{Guard, PrivateFolder, ServerError, ServerExit, ServerProgram};

/// The three streams of a server.
pub struct ServerStreams {
    pub input: Sender,
    pub output: Receiver,
    /// Has no end, because this side holds it open; it is over when the server is.
    pub errors: Receiver,
}

/// A running server. Dropping this ends it and whatever it has started.
pub struct ServerProcess {
    said: Lines<BufReader<OwnedReadHalf>>,
    /// Closing it makes the guard end everything.
    _control: OwnedWriteHalf,
    _guard: Child,
    /// Holds the pipe for errors.
    _folder: PrivateFolder,
}

impl ServerProcess {
    /// Waits until the program itself has ended.
    pub async fn ended(&mut self) -> ServerExit {
        loop {
            match self.said.next_line().await {
                Ok(Some(line)) => match line.parse() {
                    Ok(Said::Ended { exit, .. }) => {
                        return match exit {
                            ShellExit::Code(code) => ServerExit::Code(code),
                            ShellExit::Signal(signal) => ServerExit::Signal(signal),
                        };
                    }
                    Ok(Said::Gone) => return ServerExit::Unknown,
                    Ok(_) | Err(()) => {}
                },
                Ok(None) | Err(_) => return ServerExit::Unknown,
            }
        }
    }
}

/// Starts a server behind a guard.
pub async fn start_server(
    guard: &Guard,
    program: ServerProgram<'_>,
) -> Result<(ServerProcess, ServerStreams), ServerError> {
    if !program.folder.is_dir() {
        return Err(ServerError::NoFolder {
            folder: program.folder.to_owned(),
        });
    }
    let folder = PrivateFolder::new().map_err(ServerError::NotStarted)?;
    let errors = folder.path().join("errors");
    let script = script(program.argv, &errors)?;
    let Pipes {
        streams,
        input,
        output,
    } = open_pipes(&errors).map_err(ServerError::NotStarted)?;
    let order = Order {
        teletype: Teletype::None,
        sandbox: None,
        read_only: None,
        script,
    };
    let around = Around {
        environment: program.environment,
        folder: program.folder,
        output: Stdio::from(output),
        input: Stdio::from(input),
    };
    let (control, child) = guard::start(guard, &order, around).map_err(ServerError::NotStarted)?;
    let (reader, writer) = control.into_split();
    let mut process = ServerProcess {
        said: BufReader::new(reader).lines(),
        _control: writer,
        _guard: child,
        _folder: folder,
    };
    loop {
        let line = process.said.next_line().await;
        let line = line.map_err(ServerError::NotStarted)?;
        match line.ok_or(ServerError::GuardEnded)?.parse() {
            Ok(Said::Started { .. }) => return Ok((process, streams)),
            Ok(Said::NoShell(why) | Said::NoSandbox(why)) => {
                return Err(ServerError::Refused { why });
            }
            Ok(Said::Ended { .. } | Said::Refused(_) | Said::Gone) => {
                return Err(ServerError::GuardEnded);
            }
            Err(()) => {}
        }
    }
}

struct Pipes {
    streams: ServerStreams,
    input: OwnedFd,
    output: OwnedFd,
}

fn open_pipes(errors: &Path) -> io::Result<Pipes> {
    let (their_input, our_input) = pipe_with(PipeFlags::CLOEXEC)?;
    let (our_output, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
    mknodat(CWD, errors, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
    // With a writer of our own the pipe does not look closed before the server has opened it.
    let errors = rustix::fs::open(
        errors,
        OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    Ok(Pipes {
        streams: ServerStreams {
            input: Sender::from_owned_fd(our_input)?,
            output: Receiver::from_owned_fd(our_output)?,
            errors: Receiver::from_owned_fd(errors)?,
        },
        input: their_input,
        output: their_output,
    })
}

/// The shell only makes way for the program. A guard has three descriptors, so errors go through a pipe with a name.
fn script(argv: &[String], errors: &Path) -> Result<OsString, ServerError> {
    if argv.first().is_none_or(String::is_empty) {
        return Err(ServerError::NoProgram);
    }
    let mut script = "exec --".to_owned();
    for word in argv {
        let _strings_take_everything = write!(script, " {}", quoted(word));
    }
    let _strings_take_everything = write!(script, " 2>{}", quoted(&errors.to_string_lossy()));
    Ok(script.into())
}

/// One word for the shell, whatever is in it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
