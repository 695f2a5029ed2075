//! The handlers that tower-lsp knows by name. Each lives in its own file under `methods`.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, ExecuteCommandParams,
    InitializeParams, InitializeResult, InitializedParams,
};
use tower_lsp::{Client, LanguageServer};

use crate::connection::Connection;
use crate::methods;

pub(crate) struct Server {
    pub(crate) connection: Arc<Connection>,
    pub(crate) client: Client,
}

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        methods::initialize::handle(&self.connection, params)
    }

    async fn initialized(&self, _: InitializedParams) {
        methods::initialized::handle(&self.connection, &self.client).await;
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        methods::code_action::handle(self, params).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        methods::code_lens::handle(self, params).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        methods::execute_command::handle(self, params).await
    }

    async fn shutdown(&self) -> Result<()> {
        // Nothing is written late: whatever must outlive the editor is on disk already.
        Ok(())
    }
}
