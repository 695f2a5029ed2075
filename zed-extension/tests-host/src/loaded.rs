//! The extension, loaded and initialised as Zed does it.

use std::env;
use std::fs;
use std::sync::LazyLock;

use anyhow::{Context, Result, anyhow};
use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Engine, Store};

use crate::component::packed;
use crate::world::{Command, Extension};
use crate::zed::Zed;

/// Where the built component lies.
const COMPONENT: &str = "POLLUX_ZED_COMPONENT";
const SERVER: &str = "pollux";

struct Compiled {
    engine: Engine,
    component: Component,
}

/// Compiled once for all tests: that takes longer than they do.
static COMPILED: LazyLock<Result<Compiled>> = LazyLock::new(|| {
    let engine = Engine::default();
    let component = Component::new(&engine, packed(&Loaded::built()?)?)?;
    Ok(Compiled { engine, component })
});

pub struct Loaded {
    store: Store<Zed>,
    extension: Extension,
}

impl Loaded {
    /// The component as cargo has built it.
    pub fn built() -> Result<Vec<u8>> {
        let path = env::var(COMPONENT)
            .with_context(|| format!("{COMPONENT} is not set: run `cargo xtask test`"))?;
        fs::read(&path).with_context(|| path.clone())
    }

    pub fn new(zed: Zed) -> Result<Self> {
        let Compiled { engine, component } =
            COMPILED.as_ref().map_err(|error| anyhow!("{error:#}"))?;
        let mut linker = Linker::new(engine);
        wasmtime_wasi::p2::add_to_linker_sync(&mut linker)?;
        Extension::add_to_linker::<_, HasSelf<_>>(&mut linker, |zed| zed)?;
        let mut store = Store::new(engine, zed);
        let extension = Extension::instantiate(&mut store, component, &linker)?;
        extension.call_init_extension(&mut store)?;
        Ok(Self { store, extension })
    }

    /// Closes the editor, and keeps the files that the extension has on the disk.
    pub fn into_zed(self) -> Zed {
        self.store.into_data()
    }

    pub fn zed(&mut self) -> &mut Zed {
        self.store.data_mut()
    }

    pub fn command(&mut self) -> Result<Result<Command, String>> {
        let worktree = self.store.data_mut().worktree()?;
        self.extension
            .call_language_server_command(&mut self.store, SERVER, worktree)
    }

    pub fn initialization_options(&mut self) -> Result<Result<Option<String>, String>> {
        let worktree = self.store.data_mut().worktree()?;
        self.extension.call_language_server_initialization_options(
            &mut self.store,
            SERVER,
            worktree,
        )
    }

    pub fn workspace_configuration(&mut self) -> Result<Result<Option<String>, String>> {
        let worktree = self.store.data_mut().worktree()?;
        self.extension.call_language_server_workspace_configuration(
            &mut self.store,
            SERVER,
            worktree,
        )
    }
}
