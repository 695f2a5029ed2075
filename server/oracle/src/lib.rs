//! The execution oracle: every command that the policy calls read-only is run, and what it does is compared with that.
//!
//! There is nothing here but tests. Commands run in a throwaway folder without confinement; a seccomp notifier watches
//! each program they start and each file, socket and signal they reach for, records it, and refuses what changes
//! something. Linux alone has that.
#![cfg(target_os = "linux")]

#[cfg(test)]
mod everyday;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod judge;
#[cfg(test)]
mod notifier;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod runner;
#[cfg(test)]
mod script;
#[cfg(test)]
mod second_parser;
#[cfg(test)]
mod table;

/// The view of the disk that the binary judges with.
#[cfg(test)]
#[path = "../../pollux/src/policy/view.rs"]
mod view;
