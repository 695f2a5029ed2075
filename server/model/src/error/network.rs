//! Faults of the connection, told apart by what the operating system and TLS report.

use std::error::Error;
use std::fmt;
use std::io;

use super::{ErrorText, RetryRule};

/// How many causes of causes are looked at.
const DEEPEST_CAUSE: usize = 12;

/// A connection that did not come about, or broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause} ({message})")]
pub struct NetworkError {
    pub phase: Phase,
    pub cause: NetworkCause,
    pub message: ErrorText,
}

/// Whether anything of the answer was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    BeforeAnswer,
    /// What was received so far is not the whole answer.
    MidAnswer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkCause {
    Refused,
    Reset,
    /// No connection, or no first byte, in time.
    TimedOut,
    /// The answer began and then nothing came for too long.
    Stalled,
    /// The connection ended before the reply did.
    ClosedEarly,
    /// The name of the host could not be looked up.
    NameNotFound,
    /// The other side does not speak TLS, or garbled it.
    Tls,
    /// The other side is not who it should be.
    Certificate,
    /// Anything else: no route, a broken proxy, a reply that is not HTTP.
    Other,
}

impl NetworkCause {
    pub(crate) fn retry_rule(self) -> RetryRule {
        match self {
            Self::Refused
            | Self::Reset
            | Self::TimedOut
            | Self::Stalled
            | Self::ClosedEarly
            | Self::NameNotFound
            | Self::Tls => RetryRule::Always,
            Self::Certificate => RetryRule::Never,
            Self::Other => RetryRule::FetchError,
        }
    }

    /// Reads the chain of causes; the innermost one that says something specific wins.
    pub(crate) fn of(error: &(dyn Error + 'static)) -> Self {
        let mut cause = None;
        let mut next = Some(error);
        for _ in 0..DEEPEST_CAUSE {
            let Some(error) = next else { break };
            cause = Self::of_one(error).or(cause);
            next = inner_of_io(error).or_else(|| error.source());
        }
        cause.unwrap_or(Self::Other)
    }

    fn of_one(error: &(dyn Error + 'static)) -> Option<Self> {
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return Some(match tls {
                rustls::Error::InvalidCertificate(_) => Self::Certificate,
                _ => Self::Tls,
            });
        }
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return match io.kind() {
                io::ErrorKind::ConnectionRefused => Some(Self::Refused),
                io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe => Some(Self::Reset),
                io::ErrorKind::TimedOut => Some(Self::TimedOut),
                io::ErrorKind::UnexpectedEof => Some(Self::ClosedEarly),
                _ => None,
            };
        }
        // The types of hyper and its resolver are not ours to name; their words are stable.
        let text = error.to_string();
        if text.contains("dns error") {
            Some(Self::NameNotFound)
        } else if text.contains("before message completed") || text.contains("unexpected EOF") {
            Some(Self::ClosedEarly)
        } else {
            None
        }
    }
}

/// `io::Error::source` skips the error that it wraps.
fn inner_of_io<'error>(
    error: &'error (dyn Error + 'static),
) -> Option<&'error (dyn Error + 'static)> {
    let io = error.downcast_ref::<io::Error>()?;
    io.get_ref().map(|inner| inner as &(dyn Error + 'static))
}

impl fmt::Display for NetworkCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "the connection was refused",
            Self::Reset => "the connection was reset",
            Self::TimedOut => "the server did not answer in time",
            Self::Stalled => "the reply stalled",
            Self::ClosedEarly => "the connection closed before the reply ended",
            Self::NameNotFound => "the name of the server was not found",
            Self::Tls => "the secure connection broke",
            Self::Certificate => "the server's certificate is not trusted",
            Self::Other => "the connection failed",
        })
    }
}
