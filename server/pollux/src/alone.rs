//! Door and host in one process, over a pipe in memory.

use std::io;

use pollux_lsp::door::Connect;
use pollux_workspace::{DoorContext, DoorId};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use crate::services::Services;

pub(crate) struct Alone {
    pub(crate) context: DoorContext,
}

impl Connect for Alone {
    type Reader = ReadHalf<DuplexStream>;
    type Writer = WriteHalf<DuplexStream>;

    async fn connect(&mut self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (door, host) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(host);
        let context = self.context.clone();
        let host = Services::new().lsp();
        tokio::spawn(async move {
            pollux_lsp::serve(reader, writer, host, DoorId::new(1), context).await;
        });
        Ok(tokio::io::split(door))
    }
}
