//! What a command may touch, as data; what this system can enforce; and what is in force.
//!
//! Three things are kept apart. A [`SandboxProfile`] is a wish. [`sandbox_support`] says what could
//! be had here, found out by trying. [`InForce`] is what a running command actually has. A profile
//! that cannot be enforced is refused and never weakened in silence.

#[cfg(target_os = "linux")]
mod linux;
mod seatbelt;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[cfg(target_os = "linux")]
pub(crate) use linux::{Confinement, NotifierSource, ReadOnly, Writable};

/// What a command may touch. A path covers everything below it; one that does not exist grants
/// nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxProfile {
    pub writable: Vec<PathBuf>,
    pub readable: Readable,
    pub network: Network,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readable {
    Everything,
    /// These, and what is writable. The programs a command needs are among what must be listed.
    Only(Vec<PathBuf>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    Allowed,
    /// No sockets at all but pairs: not the local network, and no local service that would do
    /// outside what may not be done in here.
    Denied,
}

impl SandboxProfile {
    /// A workspace and a folder for temporary files can be written, everything can be read, and
    /// there is no network.
    ///
    /// Caches in the home folder stay read-only: what a command puts there, others would run
    /// later. [`private_caches`] gives it caches of its own.
    pub fn for_workspace(folders: &[PathBuf], temporary: &Path) -> SandboxProfile {
        let mut writable = folders.to_vec();
        writable.push(temporary.to_owned());
        SandboxProfile {
            writable,
            readable: Readable::Everything,
            network: Network::Denied,
        }
    }
}

/// Environment for a command whose only place outside of its workspace is this folder.
pub fn private_caches(temporary: &Path) -> Vec<(String, PathBuf)> {
    vec![
        ("TMPDIR".to_owned(), temporary.to_owned()),
        ("npm_config_cache".to_owned(), temporary.join("npm")),
        ("XDG_CACHE_HOME".to_owned(), temporary.join("cache")),
    ]
}

/// What this system can enforce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    pub files: FileSupport,
    pub network: NetworkSupport,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSupport {
    /// With the version of its interface, and what that version cannot prevent.
    Landlock {
        version: i32,
        gaps: Vec<&'static str>,
    },
    None {
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkSupport {
    Seccomp,
    None { why: String },
}

impl Support {
    /// Whether a command with this profile would start.
    pub fn covers(&self, profile: &SandboxProfile) -> bool {
        matches!(self.files, FileSupport::Landlock { .. })
            && (profile.network == Network::Allowed || self.network == NetworkSupport::Seccomp)
    }
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.files {
            FileSupport::Landlock { version, gaps } => {
                write!(f, "files by landlock, version {version}")?;
                for gap in gaps {
                    write!(f, ", which does not prevent {gap}")?;
                }
            }
            FileSupport::None { why } => write!(f, "files not at all: {why}")?,
        }
        match &self.network {
            NetworkSupport::Seccomp => write!(f, "; network by seccomp"),
            NetworkSupport::None { why } => write!(f, "; network not at all: {why}"),
        }
    }
}

/// Tries out, in a thread that ends right away, what can be enforced here.
#[cfg(target_os = "linux")]
pub fn sandbox_support() -> Support {
    linux::probe()
}

#[cfg(not(target_os = "linux"))]
pub fn sandbox_support() -> Support {
    let why = "there is no sandbox for this system yet";
    Support {
        files: FileSupport::None {
            why: why.to_owned(),
        },
        network: NetworkSupport::None {
            why: why.to_owned(),
        },
    }
}

/// Whether a command that only reads can be held to that here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOnlySupport {
    /// By landlock, with the version of its interface, and a filter of system calls.
    Confined {
        landlock: i32,
    },
    NotConfined {
        why: String,
    },
}

impl fmt::Display for ReadOnlySupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadOnlySupport::Confined { landlock } => {
                write!(f, "confined by landlock, version {landlock}, and seccomp")
            }
            ReadOnlySupport::NotConfined { why } => write!(f, "not confined: {why}"),
        }
    }
}

/// Whether commands with [`CommandAccess::ReadOnly`](crate::CommandAccess::ReadOnly) are confined.
/// Tried out once per process.
pub fn read_only_support() -> ReadOnlySupport {
    static SUPPORT: OnceLock<ReadOnlySupport> = OnceLock::new();
    SUPPORT.get_or_init(try_read_only).clone()
}

#[cfg(target_os = "linux")]
fn try_read_only() -> ReadOnlySupport {
    linux::read_only_support()
}

#[cfg(not(target_os = "linux"))]
fn try_read_only() -> ReadOnlySupport {
    ReadOnlySupport::NotConfined {
        why: "there is no sandbox for this system yet".to_owned(),
    }
}

/// What holds for a command that is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InForce {
    Nothing,
    /// Landlock with this version of its interface.
    Files {
        landlock: i32,
    },
    FilesAndNetwork {
        landlock: i32,
    },
    /// It can only read.
    ReadOnly {
        landlock: i32,
    },
}

impl InForce {
    #[cfg(unix)]
    pub(crate) fn to_word(self) -> String {
        match self {
            InForce::Nothing => "nothing".to_owned(),
            InForce::Files { landlock } => format!("files:{landlock}"),
            InForce::FilesAndNetwork { landlock } => format!("files+network:{landlock}"),
            InForce::ReadOnly { landlock } => format!("read-only:{landlock}"),
        }
    }

    #[cfg(unix)]
    pub(crate) fn from_word(word: &str) -> Option<InForce> {
        let (word, landlock) = match word.split_once(':') {
            Some((word, version)) => (word, version.parse().ok()?),
            None => (word, 0),
        };
        match word {
            "nothing" => Some(InForce::Nothing),
            "files" => Some(InForce::Files { landlock }),
            "files+network" => Some(InForce::FilesAndNetwork { landlock }),
            "read-only" => Some(InForce::ReadOnly { landlock }),
            _ => None,
        }
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod unsupported;

#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) use unsupported::{Confinement, NotifierSource, ReadOnly, Writable};

#[cfg(test)]
mod tests;
