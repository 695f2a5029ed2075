//! What every door of a host shares.

use std::path::PathBuf;
use std::sync::Arc;

use pollux_lsp::Host;
use pollux_workspace::{Configuration, ConfigurationSource, DoorContext, Rooms};

#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) rooms: Arc<Rooms>,
}

impl Services {
    pub(crate) fn new() -> Self {
        Self {
            rooms: Arc::new(Rooms::new(Arc::new(SettingsFiles))),
        }
    }

    pub(crate) fn lsp(&self) -> Host {
        Host {
            rooms: Arc::clone(&self.rooms),
            doctor: Arc::new(|_, _| String::new()),
        }
    }
}

struct SettingsFiles;

impl ConfigurationSource for SettingsFiles {
    fn load(&self, _: &[PathBuf], _: &DoorContext, _: Option<bool>) -> Configuration {
        Configuration::default()
    }
}
