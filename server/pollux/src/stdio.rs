//! Standard input and output for a door.
//!
//! What tokio offers works for files and terminals too, and so hands every piece to a thread that may block. A client
//! talks over a pipe or a socket, which can be waited for like any connection: a chunk of an answer then costs one read and
//! one write, and no thread is left behind that waits for input.

use tokio::io::{AsyncRead, AsyncWrite};

/// Needs a tokio runtime, as everything here.
pub(crate) fn input() -> Box<dyn AsyncRead + Send + Unpin> {
    #[cfg(unix)]
    if let Some(input) = unix::input() {
        return input;
    }
    Box::new(tokio::io::stdin())
}

pub(crate) fn output() -> Box<dyn AsyncWrite + Send + Unpin> {
    #[cfg(unix)]
    if let Some(output) = unix::output() {
        return output;
    }
    Box::new(tokio::io::stdout())
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    use std::os::unix::net::UnixStream as Socket;

    use tokio::io::{AsyncRead, AsyncWrite};
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe::{Receiver, Sender};

    pub(super) fn input() -> Option<Box<dyn AsyncRead + Send + Unpin>> {
        let stdin = std::io::stdin();
        let end = End::of(stdin.as_fd())?;
        Some(match end {
            End::Pipe(pipe) => Box::new(Receiver::from_owned_fd(pipe).ok()?),
            End::Socket(socket) => Box::new(UnixStream::from_std(socket).ok()?),
        })
    }

    pub(super) fn output() -> Option<Box<dyn AsyncWrite + Send + Unpin>> {
        let stdout = std::io::stdout();
        // Not to wait is agreed for everybody who writes to the same end, and what goes to stderr would be lost.
        if same(stdout.as_fd(), std::io::stderr().as_fd()) {
            return None;
        }
        let end = End::of(stdout.as_fd())?;
        Some(match end {
            End::Pipe(pipe) => Box::new(Sender::from_owned_fd(pipe).ok()?),
            End::Socket(socket) => Box::new(UnixStream::from_std(socket).ok()?),
        })
    }

    enum End {
        Pipe(OwnedFd),
        Socket(Socket),
    }

    impl End {
        /// Nothing for what cannot be waited for.
        fn of(end: BorrowedFd<'_>) -> Option<Self> {
            let end = end.try_clone_to_owned().ok()?;
            let kind = File::from(end.try_clone().ok()?)
                .metadata()
                .ok()?
                .file_type();
            if kind.is_fifo() {
                return Some(Self::Pipe(end));
            }
            if !kind.is_socket() {
                return None;
            }
            let socket = Socket::from(end);
            // A socket of the network is left to the thread.
            socket.local_addr().ok()?;
            socket.set_nonblocking(true).ok()?;
            Some(Self::Socket(socket))
        }
    }

    fn same(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> bool {
        let of = |end: BorrowedFd<'_>| {
            let end = end.try_clone_to_owned().ok()?;
            let metadata = File::from(end).metadata().ok()?;
            Some((metadata.dev(), metadata.ino()))
        };
        of(one) == of(other)
    }
}
