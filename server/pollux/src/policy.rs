//! The policy of a folder: its rule files on disk, the gate that a session asks, and `pollux policy`.

mod command;
mod files;
mod gate;
mod saving;
mod view;

#[cfg(test)]
mod tests;

pub(crate) use command::{PolicyArgs, run};
pub(crate) use files::{Loading, PolicyFiles};
pub(crate) use gate::PolicyGate;
pub(crate) use view::{CommandEnvironment, DiskView};
