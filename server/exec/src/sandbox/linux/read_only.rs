//! The confinement of a command that only reads.
//!
//! Landlock refuses every write outside of the scratch folder. The filter refuses what landlock
//! does not know, and the network. A notifier in the guard sees each refused call, so that the
//! attempt can be reported; it grants nothing that landlock would not grant by itself.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::thread;

use landlock::{
    AccessFs, BitFlags, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, Scope, path_beneath_rules,
};
use libc::sock_filter;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use super::filter::{self, Detection};
use super::notifier::{self, Notifier};
use super::{KNOWN, is_enforced};
use crate::sandbox::{InForce, ReadOnlySupport};

/// What can be written besides the scratch folder and the command's own terminal.
const SINKS: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// What a read-only command may write.
#[derive(Debug, Clone)]
pub(crate) struct Writable {
    pub(crate) scratch: PathBuf,
    /// The device of its terminal.
    pub(crate) terminal: Option<PathBuf>,
}

impl Writable {
    pub(super) fn contains(&self, path: &Path) -> bool {
        path.starts_with(&self.scratch)
            || self.terminal.as_deref() == Some(path)
            || SINKS.iter().any(|sink| Path::new(sink) == path)
    }
}

/// The confinement, ready to be entered by the process that becomes the shell.
pub(crate) struct ReadOnly {
    rules: RulesetCreated,
    notifying: Vec<sock_filter>,
    silent: Vec<sock_filter>,
    sender: OwnedFd,
}

/// The guard's end, from which it takes the notifier once the shell has started.
pub(crate) struct NotifierSource {
    receiver: OwnedFd,
    writable: Writable,
    landlock: i32,
}

impl ReadOnly {
    pub(crate) fn prepare(mut writable: Writable) -> Result<(ReadOnly, NotifierSource), String> {
        let words = |error: io::Error| error.to_string();
        writable.scratch = writable.scratch.canonicalize().map_err(words)?;
        let unknown = || "the filter does not know this processor".to_owned();
        let (sender, receiver) = socketpair(
            AddressFamily::UNIX,
            SocketType::DGRAM,
            SocketFlags::CLOEXEC | SocketFlags::NONBLOCK,
            None,
        )
        .map_err(|error| words(error.into()))?;
        let landlock = version().ok_or_else(|| "this kernel has no landlock".to_owned())?;
        let confinement = ReadOnly {
            rules: rules(&writable).map_err(|error| error.to_string())?,
            notifying: filter::program(Detection::Notified).ok_or_else(unknown)?,
            silent: filter::program(Detection::None).ok_or_else(unknown)?,
            sender,
        };
        let source = NotifierSource {
            receiver,
            writable,
            landlock,
        };
        Ok((confinement, source))
    }

    /// Confines this process, for good. An error means that it must not go on.
    ///
    /// From the filter on it may make no call that is watched: the guard answers only after the
    /// shell has started.
    pub(crate) fn enter(self) -> io::Result<()> {
        let status = self.rules.restrict_self().map_err(io::Error::other)?;
        if !is_enforced(&status) {
            return Err(io::Error::other("landlock is not in force"));
        }
        match notifier::install_with_listener(&self.notifying) {
            Ok(listener) => send(&self.sender, &listener),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                notifier::install(&self.silent)
            }
            Err(error) => Err(error),
        }
    }
}

impl NotifierSource {
    pub(crate) fn in_force(&self) -> InForce {
        InForce::ReadOnly {
            landlock: self.landlock,
        }
    }

    /// `None` if the kernel could not give us one.
    pub(crate) fn take(self) -> Option<Notifier> {
        let listener = receive(&self.receiver).ok()??;
        Some(Notifier::new(listener, self.writable))
    }
}

fn send(through: &OwnedFd, file: &OwnedFd) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [file.as_fd()];
    control.push(SendAncillaryMessage::ScmRights(&files));
    sendmsg(
        through,
        &[io::IoSlice::new(&[0])],
        &mut control,
        SendFlags::NOSIGNAL,
    )?;
    Ok(())
}

fn receive(from: &OwnedFd) -> io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut nothing = [0];
    recvmsg(
        from,
        &mut [io::IoSliceMut::new(&mut nothing)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    let files = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    Ok(files)
}

/// Versions of landlock below the one we know enforce what they know; the filter covers the rest:
/// emptying (version 3) and signals and abstract sockets (version 6). Only commands to devices
/// (version 5) are left to the list in the filter.
fn rules(writable: &Writable) -> Result<RulesetCreated, landlock::RulesetError> {
    let write = AccessFs::from_write(KNOWN);
    let terminal = writable.terminal.iter().map(PathBuf::as_path);
    Ruleset::default()
        .handle_access(write)?
        .scope(Scope::Signal)?
        .scope(Scope::AbstractUnixSocket)?
        .create()?
        .add_rules(path_beneath_rules(SINKS, write & devices()))?
        .add_rules(path_beneath_rules(terminal, write & devices()))?
        .add_rules(path_beneath_rules([&writable.scratch], write))
}

fn devices() -> BitFlags<AccessFs> {
    AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev
}

/// Of the kernel's landlock; found without entering anything.
fn version() -> Option<i32> {
    let version = notifier::landlock_version();
    (version > 0).then_some(version)
}

/// Tries it out in a thread that ends right away.
pub(crate) fn support() -> ReadOnlySupport {
    let tried = thread::spawn(|| {
        let scratch = std::env::temp_dir();
        let nothing = Writable {
            scratch,
            terminal: None,
        };
        let (confinement, source) = ReadOnly::prepare(nothing)?;
        let status = confinement.rules.restrict_self();
        let status = status.map_err(|error| error.to_string())?;
        check_landlock(&status)?;
        let words = |error: io::Error| error.to_string();
        match notifier::install_with_listener(&confinement.notifying) {
            Ok(_) => {}
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                notifier::install(&confinement.silent).map_err(words)?;
            }
            Err(error) => return Err(words(error)),
        }
        Ok(source.landlock)
    });
    match tried.join() {
        Ok(Ok(landlock)) => ReadOnlySupport::Confined { landlock },
        Ok(Err(why)) => ReadOnlySupport::NotConfined { why },
        Err(_) => ReadOnlySupport::NotConfined {
            why: "it could not be tried".to_owned(),
        },
    }
}

fn check_landlock(status: &RestrictionStatus) -> Result<(), String> {
    if is_enforced(status) {
        return Ok(());
    }
    Err(match status.landlock {
        LandlockStatus::NotEnabled => "landlock is not enabled in this kernel".to_owned(),
        _ => "this kernel has no landlock".to_owned(),
    })
}
