//! Door and host in one process, over a pipe in memory.

use std::io;
use std::sync::{Arc, OnceLock};

use pollux_door::Connect;
use pollux_mcp::companion::Companions;
use pollux_workspace::{DoorContext, DoorId};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use crate::services::Services;

pub(crate) struct Alone {
    pub(crate) context: DoorContext,
    /// To be hidden when the process ends, which waits for no task.
    pub(crate) companions: Arc<OnceLock<Companions>>,
}

impl Connect for Alone {
    type Reader = ReadHalf<DuplexStream>;
    type Writer = WriteHalf<DuplexStream>;

    async fn connect(&mut self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (door, host) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(host);
        let context = self.context.clone();
        let services = Services::new(None);
        let _only_once = self.companions.set(services.companions.clone());
        tokio::spawn(async move {
            let host = services.lsp();
            pollux_lsp::serve(reader, writer, host, DoorId::new(1), context).await;
        });
        Ok(tokio::io::split(door))
    }
}
