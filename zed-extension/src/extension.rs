//! What Zed asks of an extension.

use zed_extension_api::serde_json::Value;
use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, Command, Extension, LanguageServerId, Worktree};

use crate::command::{self, PROGRAM};
use crate::install;

pub(crate) struct Pollux;

impl Extension for Pollux {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> zed::Result<Command> {
        let binary = LspSettings::for_worktree(server.as_ref(), worktree)?.binary;
        let program = match command::configured(binary.as_ref()) {
            Some(path) => path,
            None => match worktree.which(PROGRAM) {
                Some(path) => path,
                None => install::program(server).map_err(|missing| missing.to_string())?,
            },
        };
        Ok(command::to_run(program, binary))
    }

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> zed::Result<Option<Value>> {
        Ok(LspSettings::for_worktree(server.as_ref(), worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> zed::Result<Option<Value>> {
        Ok(LspSettings::for_worktree(server.as_ref(), worktree)?.settings)
    }
}
