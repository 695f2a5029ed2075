//! What a guard is to do, as arguments: they carry any path and need no format of their own.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::sandbox::{Network, Readable, SandboxProfile};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) teletype: Teletype,
    pub(crate) sandbox: Option<SandboxProfile>,
    /// The scratch folder of a command that can only read. Comes instead of a sandbox.
    pub(crate) read_only: Option<PathBuf>,
    /// What the shell is given to run.
    pub(crate) script: OsString,
}

/// Whether the output is a terminal that the command is to be in charge of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Teletype {
    Controlling,
    None,
}

const TERMINAL: &str = "--terminal";
const SANDBOX: &str = "--sandbox";
const OFFLINE: &str = "--offline";
const WRITABLE: &str = "--writable";
const READABLE: &str = "--readable";
const READABLE_LIST: &str = "--readable-list";
const READ_ONLY: &str = "--read-only";
const SCRIPT: &str = "--script";

impl Order {
    pub(crate) fn to_arguments(&self) -> Vec<OsString> {
        let mut arguments = Vec::new();
        if self.teletype == Teletype::Controlling {
            arguments.push(TERMINAL.into());
        }
        if let Some(profile) = &self.sandbox {
            arguments.push(SANDBOX.into());
            if profile.network == Network::Denied {
                arguments.push(OFFLINE.into());
            }
            for path in &profile.writable {
                arguments.extend([WRITABLE.into(), path.into()]);
            }
            if let Readable::Only(paths) = &profile.readable {
                arguments.push(READABLE_LIST.into());
                for path in paths {
                    arguments.extend([READABLE.into(), path.into()]);
                }
            }
        }
        if let Some(scratch) = &self.read_only {
            arguments.extend([READ_ONLY.into(), scratch.into()]);
        }
        arguments.extend([SCRIPT.into(), self.script.clone()]);
        arguments
    }

    /// `None` for anything that [`Order::to_arguments`] does not write: whoever guards must not
    /// guess.
    pub(crate) fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Option<Order> {
        let mut arguments = arguments.into_iter();
        let mut teletype = Teletype::None;
        let mut sandbox: Option<SandboxProfile> = None;
        let mut read_only = None;
        loop {
            let argument = arguments.next()?;
            match argument.to_str()? {
                TERMINAL => teletype = Teletype::Controlling,
                SANDBOX => {
                    sandbox = Some(SandboxProfile {
                        writable: Vec::new(),
                        readable: Readable::Everything,
                        network: Network::Allowed,
                    });
                }
                OFFLINE => sandbox.as_mut()?.network = Network::Denied,
                WRITABLE => sandbox
                    .as_mut()?
                    .writable
                    .push(PathBuf::from(arguments.next()?)),
                READABLE_LIST => sandbox.as_mut()?.readable = Readable::Only(Vec::new()),
                READABLE => match &mut sandbox.as_mut()?.readable {
                    Readable::Only(paths) => paths.push(PathBuf::from(arguments.next()?)),
                    Readable::Everything => return None,
                },
                READ_ONLY => read_only = Some(PathBuf::from(arguments.next()?)),
                SCRIPT => {
                    let script = arguments.next()?;
                    let order = Order {
                        teletype,
                        sandbox,
                        read_only,
                        script,
                    };
                    return arguments.next().is_none().then_some(order);
                }
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests;
