//! Landlock for files, a seccomp filter for the network.
//!
//! Landlock alone could only refuse TCP. The filter refuses to make a socket of any kind; pairs,
//! which programs use to talk to their own children, are another call.

mod calls;
mod filter;
mod notifier;
mod read_only;

use std::collections::BTreeMap;
use std::io;
use std::thread;

use landlock::{
    ABI, AccessFs, BitFlags, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use super::{FileSupport, InForce, Network, NetworkSupport, Readable, SandboxProfile, Support};

pub(crate) use self::read_only::{
    NotifierSource, ReadOnly, Writable, support as read_only_support,
};

/// The newest interface whose every right was tried with the tools that must keep working. Older
/// kernels enforce what they know of it.
const KNOWN: ABI = ABI::V6;

/// Devices that lead nowhere, and the terminal. Without the first, `>/dev/null` fails.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// A sandbox that is ready to be entered.
pub(crate) struct Confinement {
    rules: RulesetCreated,
    filter: Option<BpfProgram>,
    landlock: i32,
}

impl Confinement {
    pub(crate) fn prepare(profile: &SandboxProfile) -> Result<Confinement, String> {
        // Tried and not looked up, so that what is reported holds.
        let support = probe();
        let landlock = match support.files {
            FileSupport::Landlock { version, .. } => version,
            FileSupport::None { why } => return Err(why),
        };
        let filter = match (profile.network, support.network) {
            (Network::Allowed, _) => None,
            (Network::Denied, NetworkSupport::Seccomp) => Some(no_sockets()?),
            (Network::Denied, NetworkSupport::None { why }) => return Err(why),
        };
        Ok(Confinement {
            rules: rules(profile).map_err(|error| error.to_string())?,
            filter,
            landlock,
        })
    }

    pub(crate) fn in_force(&self) -> InForce {
        let landlock = self.landlock;
        match self.filter {
            Some(_) => InForce::FilesAndNetwork { landlock },
            None => InForce::Files { landlock },
        }
    }

    /// Confines this process, for good. An error means that it must not go on.
    pub(crate) fn enter(self) -> io::Result<()> {
        let status = self.rules.restrict_self().map_err(io::Error::other)?;
        if !is_enforced(&status) {
            return Err(io::Error::other("landlock is not in force"));
        }
        match self.filter {
            Some(filter) => seccompiler::apply_filter(&filter).map_err(io::Error::other),
            None => Ok(()),
        }
    }
}

fn is_enforced(status: &RestrictionStatus) -> bool {
    status.no_new_privs && status.ruleset != RulesetStatus::NotEnforced
}

fn rules(profile: &SandboxProfile) -> Result<RulesetCreated, landlock::RulesetError> {
    let write = AccessFs::from_write(KNOWN);
    let read = AccessFs::from_read(KNOWN);
    let handled = match profile.readable {
        Readable::Everything => write,
        Readable::Only(_) => read | write,
    };
    let mut rules = Ruleset::default()
        .handle_access(handled)?
        // Neither the guard nor a stranger can be signalled from inside.
        .scope(Scope::Signal)?;
    if profile.network == Network::Denied {
        rules = rules.scope(Scope::AbstractUnixSocket)?;
    }
    let mut rules = rules
        .create()?
        .add_rules(path_beneath_rules(DEVICES, handled & devices()))?
        .add_rules(path_beneath_rules(&profile.writable, handled))?;
    if let Readable::Only(paths) = &profile.readable {
        rules = rules.add_rules(path_beneath_rules(paths, read))?;
    }
    Ok(rules)
}

/// Reading, writing and setting them up; making and removing none.
fn devices() -> BitFlags<AccessFs> {
    AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::IoctlDev
}

/// Refuses every call that makes a socket. The ring of asynchronous calls goes too: it can make
/// sockets without the filter seeing them.
fn no_sockets() -> Result<BpfProgram, String> {
    let mut calls = vec![libc::SYS_socket, libc::SYS_io_uring_setup];
    if cfg!(target_arch = "x86_64") {
        /// Set in the numbers of the same calls in another, nearly extinct convention.
        const X32: libc::c_long = 0x4000_0000;
        let again: Vec<_> = calls.iter().map(|call| call | X32).collect();
        calls.extend(again);
    }
    let refused: BTreeMap<i64, _> = calls.into_iter().map(|call| (call, Vec::new())).collect();
    let architecture = TargetArch::try_from(std::env::consts::ARCH)
        .map_err(|_| "the filter does not know this processor".to_owned())?;
    SeccompFilter::new(
        refused,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EACCES.unsigned_abs()),
        architecture,
    )
    .and_then(BpfProgram::try_from)
    .map_err(|error| error.to_string())
}

pub(super) fn probe() -> Support {
    // Both bind only the thread that asks for them, and end with it.
    let lost = "it could not be tried";
    let files = thread::spawn(probe_files)
        .join()
        .unwrap_or_else(|_| FileSupport::None {
            why: lost.to_owned(),
        });
    let network = thread::spawn(probe_network)
        .join()
        .unwrap_or_else(|_| NetworkSupport::None {
            why: lost.to_owned(),
        });
    Support { files, network }
}

fn probe_files() -> FileSupport {
    let nothing = SandboxProfile {
        writable: Vec::new(),
        readable: Readable::Everything,
        network: Network::Denied,
    };
    let status = rules(&nothing).and_then(RulesetCreated::restrict_self);
    let why = match status {
        Ok(status) if is_enforced(&status) => match status.landlock {
            LandlockStatus::Available {
                effective_abi,
                kernel_abi,
            } => {
                return FileSupport::Landlock {
                    version: kernel_abi.unwrap_or(effective_abi as i32),
                    gaps: gaps(effective_abi),
                };
            }
            LandlockStatus::NotEnabled => "landlock is not enabled in this kernel".to_owned(),
            LandlockStatus::NotImplemented => "this kernel has no landlock".to_owned(),
        },
        Ok(status) => match status.landlock {
            LandlockStatus::NotEnabled => "landlock is not enabled in this kernel".to_owned(),
            _ => "this kernel has no landlock".to_owned(),
        },
        Err(error) => error.to_string(),
    };
    FileSupport::None { why }
}

fn gaps(version: ABI) -> Vec<&'static str> {
    let mut gaps = Vec::new();
    if version < ABI::V3 {
        gaps.push("emptying a file");
    }
    if version < ABI::V5 {
        gaps.push("commands to devices");
    }
    if version < ABI::V6 {
        gaps.push("signals to other processes");
    }
    gaps
}

fn probe_network() -> NetworkSupport {
    use std::os::unix::net::UnixDatagram;

    let applied = no_sockets()
        .and_then(|filter| seccompiler::apply_filter(&filter).map_err(|error| error.to_string()));
    let why = match applied {
        Err(why) => why,
        Ok(()) => match UnixDatagram::unbound() {
            Err(error) if error.raw_os_error() == Some(libc::EACCES) => {
                return NetworkSupport::Seccomp;
            }
            _ => "the filter was accepted and does not filter".to_owned(),
        },
    };
    NetworkSupport::None { why }
}
