//! The two sides of a command's input and output.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::{Input, Size, Terminal};

pub(super) struct Sides {
    /// Where the output is read.
    pub(super) output: File,
    /// Where input is written, if there is any.
    pub(super) input: Option<File>,
    /// The terminal, to be resized.
    pub(super) screen: Option<File>,
    pub(super) theirs: Theirs,
}

pub(super) struct Theirs {
    pub(super) output: OwnedFd,
    pub(super) input: Stdio,
}

pub(super) fn open(terminal: Terminal, input: Input) -> io::Result<Sides> {
    match terminal {
        Terminal::Emulated(size) => open_terminal(size, input),
        Terminal::Pipes => open_pipes(input),
    }
}

/// The master side stays here, so that the output takes no detour and is complete even if it
/// was printed before anybody looked.
fn open_terminal(size: Size, input: Input) -> io::Result<Sides> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    #[cfg(target_os = "linux")]
    let flags = flags | OpenptFlags::CLOEXEC;
    let ours = openpt(flags)?;
    #[cfg(not(target_os = "linux"))]
    rustix::io::fcntl_setfd(&ours, rustix::io::FdFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let theirs = rustix::fs::open(
        name,
        OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let ours = File::from(ours);
    resize(&ours, size)?;
    let (our_input, their_input) = match input {
        Input::Nothing => (None, nothing()?),
        Input::Interactive => (Some(ours.try_clone()?), theirs.try_clone()?.into()),
    };
    Ok(Sides {
        screen: Some(ours.try_clone()?),
        output: ours,
        input: our_input,
        theirs: Theirs {
            output: theirs,
            input: their_input,
        },
    })
}

fn open_pipes(input: Input) -> io::Result<Sides> {
    let (output, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
    let (input, their_input) = match input {
        Input::Nothing => (None, nothing()?),
        Input::Interactive => {
            let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
            (Some(File::from(ours)), theirs.into())
        }
    };
    Ok(Sides {
        output: output.into(),
        input,
        screen: None,
        theirs: Theirs {
            output: their_output,
            input: their_input,
        },
    })
}

/// The standard library would open it for writing, as it goes where an error output belongs.
fn nothing() -> io::Result<Stdio> {
    Ok(File::open("/dev/null")?.into())
}

pub(super) fn resize(screen: &File, size: Size) -> io::Result<()> {
    let size = Winsize {
        ws_row: size.rows,
        ws_col: size.columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    Ok(tcsetwinsize(screen, size)?)
}
