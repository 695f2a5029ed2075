//! A web server on loopback that only programs of its owner can use.
//!
//! It knows no protocol: who passes the [`Guard`] is answered by an [`Endpoint`]. Whatever a stranger can make it do is
//! bounded: connections, headers, the time a head or a body may take, the size of a body.

mod body;
mod guard;
mod presence;
mod token;

#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{debug, warn};

pub(crate) use body::{Body, LARGEST, json, read, refused_by_length, said, streamed};
pub(crate) use guard::Guard;
pub(crate) use presence::{OpenStream, Presence};
pub(crate) use token::Token;

pub(crate) type Reply = Response<Body>;

/// An agent has three or four at a time.
const MOST_CONNECTIONS: usize = 64;

/// How long a head may take. Nobody types one.
const HEAD: Duration = Duration::from_secs(10);

/// Of a whole head.
const LARGEST_HEAD: usize = 32 * 1024;

/// How long streams get to say their last when the server ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// Answers whoever has passed the guard.
pub(crate) trait Endpoint: Send + Sync + 'static {
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Reply> + Send;
}

/// A port of this machine that nobody listens on yet.
#[derive(Debug)]
pub(crate) struct Loopback {
    listener: TcpListener,
    guard: Guard,
}

impl Loopback {
    /// Takes any free port.
    pub(crate) async fn bind(token: Token) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let guard = Guard::new(port, token);
        Ok(Self { listener, guard })
    }

    /// The same, but an `Origin` that is this port itself may come in, as the protocol wants it. Without a token every
    /// program of this machine may.
    pub(crate) async fn bind_for_pages_of_ours(token: Option<Token>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let guard = Guard::for_pages_of_ours(port, token);
        Ok(Self { listener, guard })
    }

    pub(crate) fn port(&self) -> u16 {
        self.guard.port()
    }

    /// Serves until it is stopped. Streams are then left to end by themselves, for a moment: one that is cut makes
    /// its client believe in a fault.
    pub(crate) async fn serve(self, endpoint: Arc<impl Endpoint>, stop: CancellationToken) {
        let guard = Arc::new(self.guard);
        let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let connections = TaskTracker::new();
        let cut = CancellationToken::new();
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = self.listener.accept() => accepted,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                // Out of files, most likely: what is open goes on working.
                Err(error) => {
                    warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                debug!("too many connections; one more is closed");
                continue;
            };
            // Small messages that somebody waits for.
            let _best_effort = stream.set_nodelay(true);
            let guard = Arc::clone(&guard);
            let endpoint = Arc::clone(&endpoint);
            let (stop, cut) = (stop.clone(), cut.clone());
            connections.spawn(async move {
                tokio::select! {
                    () = connection(stream, guard, endpoint, stop) => {}
                    () = cut.cancelled() => {}
                }
                drop(place);
            });
        }
        connections.close();
        if tokio::time::timeout(FAREWELL, connections.wait())
            .await
            .is_err()
        {
            cut.cancel();
        }
    }
}

async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    guard: Arc<Guard>,
    endpoint: Arc<impl Endpoint>,
    stop: CancellationToken,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let guard = Arc::clone(&guard);
        let endpoint = Arc::clone(&endpoint);
        async move {
            let reply = match guard.check(&request) {
                Ok(()) => endpoint.answer(request).await,
                Err(refused) => *refused,
            };
            Ok::<_, Infallible>(reply)
        }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_header_size(LARGEST_HEAD);
    let mut serving = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let served = tokio::select! {
        served = serving.as_mut() => served,
        () = stop.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = served {
        debug!(%error, "a connection broke");
    }
}
