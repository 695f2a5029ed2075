//! Wire order, and containment.
//!
//! tower-lsp calls the service in the order of the wire but runs what it returns side by side, so
//! two edits handled in async code may swap. Everything whose order matters therefore happens
//! synchronously inside `call`: it is posted to the room before the next message is even read.
//! All other handlers become tasks, where neither a panic nor a long computation reaches the
//! connection.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_workspace::Input;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::PollSemaphore;
use tokio_util::task::AbortOnDropHandle;
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Response};
use tracing::{error, warn};

use crate::connection::Connection;
use crate::methods;

/// How many ordered messages of one door may wait for its room.
const PLACES: usize = 256;

/// How many requests of one client may be unanswered at a time. One more is refused, so that the
/// edits behind it are still read.
pub(crate) const IN_FLIGHT: usize = 1024;

/// `ServerCancelled` of the language server protocol: the client may try again.
const SERVER_CANCELLED: i64 = -32802;

/// Wraps the language server so that order and life hold.
pub(crate) struct Ordered<S> {
    inner: S,
    connection: Arc<Connection>,
    places: PollSemaphore,
    /// Taken in `poll_ready`, used by the next `call`.
    place: Option<OwnedSemaphorePermit>,
    in_flight: Arc<Semaphore>,
}

impl<S> Ordered<S> {
    pub(crate) fn new(inner: S, connection: Arc<Connection>) -> Self {
        Self {
            inner,
            connection,
            places: PollSemaphore::new(Arc::new(Semaphore::new(PLACES))),
            place: None,
            in_flight: Arc::new(Semaphore::new(IN_FLIGHT)),
        }
    }
}

type Reply<E> = Result<Option<Response>, E>;

impl<S> Service<Request> for Ordered<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Reply<S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        ready!(self.inner.poll_ready(cx))?;
        if self.place.is_none() {
            self.place = ready!(self.places.poll_acquire(cx));
        }
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match methods::ordered(request.method()) {
            Some(method) => {
                let asked = request.id().cloned();
                let name = request.method().to_owned();
                self.post(method, request);
                let reply = asked.map(|id| Response::from_error(id, not_a_request(&name)));
                Box::pin(async { Ok(reply) })
            }
            None if request.method() == "shutdown" => self.answer_now(request),
            None => {
                self.note(&request);
                self.spawn(readable(request))
            }
        }
    }
}

impl<S> Ordered<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    /// Does the ordered work of a notification, here and now.
    fn post(&mut self, method: methods::OrderedMethod, request: Request) {
        if !self.is_initialized() {
            warn!(method = request.method(), "dropped: not initialized");
            return;
        }
        let (name, _, params) = request.into_parts();
        let params = params.unwrap_or_default();
        let connection = &self.connection;
        let input = match catch_unwind(AssertUnwindSafe(|| method(connection, params))) {
            Ok(Ok(input)) => input,
            Ok(Err(_)) => {
                // What exactly is wrong quotes the parameters, and those hold what people type.
                warn!(method = &*name, "the parameters do not fit");
                Some(Input::MessagesLost(connection.door))
            }
            Err(_) => {
                error!(method = &*name, "a handler panicked");
                Some(Input::MessagesLost(connection.door))
            }
        };
        self.tell(input);
    }

    /// What a request says besides asking. It has an order, too.
    fn note(&mut self, request: &Request) {
        let observe = methods::observed(request.method());
        let (Some(observe), Some(params)) = (observe, request.params()) else {
            return;
        };
        // Its handler says so if it makes no sense.
        let input = observe(&self.connection, params).filter(|_| self.is_initialized());
        self.tell(input);
    }

    fn is_initialized(&self) -> bool {
        self.connection.entered.get().is_some()
    }

    fn tell(&mut self, input: Option<Input>) {
        let Some(entered) = self.connection.entered.get() else {
            return;
        };
        match (input, self.place.take()) {
            (Some(input), Some(place)) => entered.inbox.post_in(place, input),
            (Some(input), None) => entered.inbox.post(input),
            (None, place) => self.place = place,
        }
    }

    /// Runs a handler that never waits, so that an `exit` right behind it cannot cancel it.
    fn answer_now(&mut self, request: Request) -> BoxFuture<'static, Reply<S::Error>> {
        let mut handler = Box::pin(self.inner.call(request));
        match handler.as_mut().now_or_never() {
            Some(reply) => Box::pin(async { reply }),
            None => handler,
        }
    }

    /// Runs a handler as a task of its own. It ends with the connection.
    fn spawn(&mut self, request: Request) -> BoxFuture<'static, Reply<S::Error>> {
        let id = request.id().cloned();
        let name = request.method().to_owned();
        let permit = match (&id, Arc::clone(&self.in_flight).try_acquire_owned()) {
            (Some(id), Err(_)) => {
                let refused = Response::from_error(id.clone(), too_many_requests());
                return Box::pin(async { Ok(Some(refused)) });
            }
            (None, _) => None,
            (Some(_), Ok(permit)) => Some(permit),
        };
        let handler = match catch_unwind(AssertUnwindSafe(|| self.inner.call(request))) {
            Ok(handler) => AbortOnDropHandle::new(tokio::spawn(handler)),
            Err(_) => return Box::pin(async move { Ok(panicked(&name, id)) }),
        };
        Box::pin(async move {
            let outcome = handler.await;
            drop(permit);
            match outcome {
                Ok(reply) => reply,
                Err(_) => Ok(panicked(&name, id)),
            }
        })
    }
}

fn readable(request: Request) -> Request {
    let (name, id, params) = request.into_parts();
    let request = Request::build(name.clone());
    let request = match params {
        Some(mut params) => {
            methods::make_readable(&name, &mut params);
            request.params(params)
        }
        None => request,
    };
    match id {
        Some(id) => request.id(id).finish(),
        None => request.finish(),
    }
}

fn panicked(method: &str, id: Option<tower_lsp::jsonrpc::Id>) -> Option<Response> {
    error!(method, "a handler panicked");
    let error = Error {
        code: ErrorCode::InternalError,
        message: format!("`{method}` ran into an internal error; the log has the details").into(),
        data: None,
    };
    Some(Response::from_error(id?, error))
}

fn not_a_request(method: &str) -> Error {
    Error {
        code: ErrorCode::InvalidRequest,
        message: format!("`{method}` is a notification; it was taken as one").into(),
        data: None,
    }
}

fn too_many_requests() -> Error {
    Error {
        code: ErrorCode::ServerError(SERVER_CANCELLED),
        message: format!("{IN_FLIGHT} requests are waiting for an answer already").into(),
        data: None,
    }
}
