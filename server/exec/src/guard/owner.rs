//! The owner's side: how a guard is started.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::Path;
use std::process::Stdio;

use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use super::Order;
use crate::{Guard, Variable};

/// What a command finds around it.
pub(crate) struct Around<'a> {
    pub(crate) environment: &'a [Variable],
    pub(crate) folder: &'a Path,
    pub(crate) output: Stdio,
    pub(crate) input: Stdio,
}

/// Starts a guard. What it says comes from the socket, and closing that ends everything.
pub(crate) fn start(
    guard: &Guard,
    order: &Order,
    around: Around<'_>,
) -> io::Result<(UnixStream, Child)> {
    let (ours, control) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let environment = around.environment.iter();
    #[expect(
        clippy::disallowed_methods,
        reason = "this crate is where processes start"
    )]
    let child = Command::new(&guard.program)
        .args(&guard.arguments)
        .args(order.to_arguments())
        .env_clear()
        .envs(environment.map(|(name, value)| (name, value)))
        .current_dir(around.folder)
        .stdin(Stdio::from(OwnedFd::from(control)))
        .stdout(around.output)
        .stderr(around.input)
        .spawn()?;
    Ok((UnixStream::from_std(ours)?, child))
}
