use std::collections::VecDeque;
use std::time::Duration;

use pollux_exec::{ServerExit, ServerProcess, ServerProgram, start_server};
use rmcp::service::ClientInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::connect::Means;
use crate::connect::catalogue::line;
use crate::connect::link::{LinkError, Service, served};
use crate::connect::listener::Listener;
use crate::connect::measured::Measured;

/// Bytes of what a server complains about that are kept.
const KEPT_ERRORS: usize = 4 * 1024;
/// How long a server that has closed its output may take to end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A running server. It ends with this.
pub(in crate::connect) struct Process {
    process: ServerProcess,
    /// The end of what it complains about, read until it is over.
    errors: AbortOnDropHandle<VecDeque<u8>>,
    over: CancellationToken,
}

pub(in crate::connect) async fn run(
    program: ServerProgram<'_>,
    means: &Means,
    listener: Listener,
) -> Result<(Service, Process), LinkError> {
    let failed = |error: pollux_exec::ServerError| LinkError::Failed(error.to_string());
    let (process, streams) = start_server(&means.guard, program).await.map_err(failed)?;
    let over = CancellationToken::new();
    let errors = tokio::spawn(tail(streams.errors, over.clone()));
    let process = Process {
        process,
        errors: AbortOnDropHandle::new(errors),
        over,
    };
    let output = Measured::new(streams.output);
    let transport = AsyncRwTransport::new_client(output, streams.input);
    match served(listener, transport).await {
        Ok(service) => Ok((service, process)),
        // Who has ended by then has said why.
        Err(
            ClientInitializeError::ConnectionClosed(_)
            | ClientInitializeError::TransportError { .. },
        ) => Err(LinkError::Failed(process.after_its_output().await)),
        Err(error) => Err(LinkError::Failed(error.to_string())),
    }
}

impl Process {
    pub(in crate::connect) async fn ended(&mut self) -> ServerExit {
        self.process.ended().await
    }

    /// Why a server says nothing any more.
    pub(in crate::connect) async fn after_its_output(mut self) -> String {
        match tokio::time::timeout(LAST_WORDS, self.process.ended()).await {
            Ok(exit) => self.last_words(exit).await,
            Err(_alive) => "it has closed its output".to_owned(),
        }
    }

    pub(in crate::connect) async fn last_words(self, exit: ServerExit) -> String {
        let how = match exit {
            ServerExit::Code(code) => format!("it ended with code {code}"),
            ServerExit::Signal(signal) => format!("signal {signal} ended it"),
            ServerExit::Unknown => "it ended".to_owned(),
        };
        self.over.cancel();
        let errors: Vec<u8> = self.errors.await.unwrap_or_default().into();
        let text = String::from_utf8_lossy(&errors);
        let mut lines = text.lines().rev().map(str::trim);
        match lines.find(|line| !line.is_empty()) {
            Some(last) => {
                tracing::debug!(errors = text.trim(), "what a server has complained about");
                format!("{how}: {}", line(last))
            }
            None => how,
        }
    }
}

/// Reads for as long as the server is there, so that it never waits for somebody to read, and then what is left.
async fn tail(mut errors: Receiver, over: CancellationToken) -> VecDeque<u8> {
    let mut tail = VecDeque::new();
    let mut piece = [0; 1024];
    loop {
        let read = tokio::select! {
            biased;
            read = errors.read(&mut piece) => read,
            () = over.cancelled() => errors.try_read(&mut piece),
        };
        let Ok(count @ 1..) = read else {
            return tail;
        };
        tail.extend(piece.get(..count).unwrap_or_default());
        let surplus = tail.len().saturating_sub(KEPT_ERRORS);
        tail.drain(..surplus);
    }
}
