//! Systems without a sandbox: nothing can be prepared, so nothing that asks for one starts.

use std::io;
use std::path::PathBuf;

use super::{InForce, SandboxProfile};
use crate::refused::RefusedAccess;

const WHY: &str = "there is no sandbox for this system yet";

pub(crate) enum Confinement {}

impl Confinement {
    pub(crate) fn prepare(_: &SandboxProfile) -> Result<Confinement, String> {
        Err(WHY.to_owned())
    }

    pub(crate) fn in_force(&self) -> InForce {
        match *self {}
    }

    pub(crate) fn enter(self) -> io::Result<()> {
        match self {}
    }
}

pub(crate) struct Writable {
    pub(crate) scratch: PathBuf,
    pub(crate) terminal: Option<PathBuf>,
}

pub(crate) enum ReadOnly {}

impl ReadOnly {
    pub(crate) fn prepare(writable: Writable) -> Result<(ReadOnly, NotifierSource), String> {
        let _unused = (writable.scratch, writable.terminal);
        Err(WHY.to_owned())
    }

    pub(crate) fn enter(self) -> io::Result<()> {
        match self {}
    }
}

pub(crate) enum NotifierSource {}

impl NotifierSource {
    pub(crate) fn in_force(&self) -> InForce {
        match *self {}
    }

    pub(crate) fn take(self) -> Option<Notifier> {
        match self {}
    }
}

pub(crate) enum Notifier {}

impl Notifier {
    pub(crate) fn run(&self, _: impl FnMut(RefusedAccess)) {
        match *self {}
    }
}
