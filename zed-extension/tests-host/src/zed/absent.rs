//! The rest of Zed's interfaces, which the extension has no business with. It must import them, and gets nothing from them.

use wasmtime::component::Resource;

use super::Zed;
use crate::world::zed::extension::{
    common, context_server, dap, lsp, nodejs, process, slash_command,
};
use crate::world::{HostKeyValueStore, HostProject, KeyValueStore, Project};

const NOT_HERE: &str = "an editor that starts a language server has no part in this";

impl common::Host for Zed {}
impl context_server::Host for Zed {}
impl lsp::Host for Zed {}
impl slash_command::Host for Zed {}

impl dap::Host for Zed {
    fn resolve_tcp_template(
        &mut self,
        _template: dap::TcpArgumentsTemplate,
    ) -> Result<dap::TcpArguments, String> {
        Err(NOT_HERE.to_owned())
    }
}

/// Needs the capability `process:exec`, which the extension does not ask for.
impl process::Host for Zed {
    fn run_command(&mut self, _command: process::Command) -> Result<process::Output, String> {
        Err(NOT_HERE.to_owned())
    }
}

impl nodejs::Host for Zed {
    fn node_binary_path(&mut self) -> Result<String, String> {
        Err(NOT_HERE.to_owned())
    }

    fn npm_package_latest_version(&mut self, _package: String) -> Result<String, String> {
        Err(NOT_HERE.to_owned())
    }

    fn npm_package_installed_version(
        &mut self,
        _package: String,
    ) -> Result<Option<String>, String> {
        Err(NOT_HERE.to_owned())
    }

    fn npm_install_package(&mut self, _package: String, _version: String) -> Result<(), String> {
        Err(NOT_HERE.to_owned())
    }
}

impl HostProject for Zed {
    fn worktree_ids(&mut self, _project: Resource<Project>) -> Vec<u64> {
        Vec::new()
    }

    fn drop(&mut self, _project: Resource<Project>) -> wasmtime::Result<()> {
        Ok(())
    }
}

impl HostKeyValueStore for Zed {
    fn insert(
        &mut self,
        _store: Resource<KeyValueStore>,
        _key: String,
        _value: String,
    ) -> Result<(), String> {
        Err(NOT_HERE.to_owned())
    }

    fn drop(&mut self, _store: Resource<KeyValueStore>) -> wasmtime::Result<()> {
        Ok(())
    }
}
