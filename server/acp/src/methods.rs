//! One file per method.

mod authenticate;
mod initialize;
mod logout;
mod servers;
mod session_close;
mod session_delete;
mod session_list;
mod session_load;
mod session_new;
mod session_prompt;
mod session_resume;
mod set_config_option;
mod set_mode;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, CancelNotification, CancelRequestNotification, Error, ErrorCode, McpServer,
    Meta, PROTOCOL_LEVEL_METHOD_NAMES, RequestId,
};
use pollux_agent::Thinking;
use pollux_agent::api::Op;
use pollux_workspace::{LiveSession, SessionRequest, SessionWishes, Which, WithoutKey};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::timeout;
use tracing::debug;

use crate::attached::{Attached, Beginning};
use crate::connection::Connection;
use crate::door::{AGAIN, BEFORE};
use crate::failure::{self, invalid};
use crate::options::Options;

/// A session that does not end at once is opened as it is.
const PATIENCE: Duration = Duration::from_secs(5);

/// What came of a request.
pub(crate) enum Done {
    Response(Box<RawValue>),
    /// A session is shown from here on, and whoever shows it answers.
    Session(Arc<Attached>, Beginning),
}

/// Requests whose effect has an order relative to others. Nothing is waited for. The response is there, or comes later;
/// no result at all for every other request.
pub(crate) fn in_order(
    connection: &Connection,
    id: &RequestId,
    method: &str,
    params: &RawValue,
) -> Option<Result<Option<Box<RawValue>>, Error>> {
    if method == AGENT_METHOD_NAMES.initialize {
        let response = read(params).and_then(|params| initialize::handle(connection, params));
        return Some(response.and_then(|response| written(&response)).map(Some));
    }
    if connection.client.capabilities().is_none() {
        let first = failure::said(ErrorCode::InvalidRequest, "`initialize` comes first");
        return Some(Err(first));
    }
    if method == AGENT_METHOD_NAMES.session_prompt {
        let sent = read(params).and_then(|params| session_prompt::handle(connection, id, params));
        return Some(sent.map(|()| None));
    }
    None
}

/// All other requests.
pub(crate) async fn call(
    connection: &Arc<Connection>,
    id: &RequestId,
    method: &str,
    params: &RawValue,
) -> Result<Done, Error> {
    let names = AGENT_METHOD_NAMES;
    let connection: &Connection = connection;
    if method == names.session_new {
        session_new::handle(connection, id, read(params)?).await
    } else if method == names.session_load {
        session_load::handle(connection, id, read(params)?).await
    } else if method == names.session_resume {
        session_resume::handle(connection, id, read(params)?).await
    } else if method == names.session_list {
        done(session_list::handle(connection, read(params)?).await?)
    } else if method == names.session_delete {
        done(session_delete::handle(connection, read(params)?).await?)
    } else if method == names.session_close {
        done(session_close::handle(connection, read(params)?).await?)
    } else if method == names.session_set_mode {
        done(set_mode::handle(connection, read(params)?).await?)
    } else if method == names.session_set_config_option {
        done(set_config_option::handle(connection, read(params)?).await?)
    } else if method == names.authenticate {
        done(authenticate::handle(connection, read(params)?).await?)
    } else if method == names.logout {
        done(logout::handle(connection, read(params)?).await?)
    } else {
        Err(failure::said(
            ErrorCode::MethodNotFound,
            format!("there is no method {method}"),
        ))
    }
}

/// Whether a request changes something that its client need not see done.
pub(crate) fn outlives_client(method: &str) -> bool {
    let names = AGENT_METHOD_NAMES;
    [
        names.session_delete,
        names.session_close,
        names.session_set_mode,
        names.session_set_config_option,
        names.authenticate,
        names.logout,
    ]
    .contains(&method)
}

/// What needs no answer, and gets none when it makes no sense.
pub(crate) fn notice(connection: &Connection, method: &str, params: &RawValue) {
    if method == AGENT_METHOD_NAMES.session_cancel {
        let Ok(CancelNotification { session_id, .. }) = read(params) else {
            return;
        };
        if let Ok(attached) = connection.attached(&session_id.0) {
            attached.stop();
        }
    } else if method == PROTOCOL_LEVEL_METHOD_NAMES.cancel_request {
        if let Ok(CancelRequestNotification { request_id, .. }) = read(params) {
            connection.give_up(&request_id);
        }
    } else if method == BEFORE {
        if let Ok(before) = read(params) {
            connection.goes_on(&before);
        }
    } else {
        debug!(method, "not known");
    }
}

fn read<T: DeserializeOwned>(params: &RawValue) -> Result<T, Error> {
    serde_json::from_str(params.get())
        .map_err(|error| invalid(format!("the parameters cannot be read: {error}")))
}

fn written(response: &impl Serialize) -> Result<Box<RawValue>, Error> {
    to_raw_value(response).map_err(|_| Error::internal_error())
}

fn done(response: impl Serialize) -> Result<Done, Error> {
    written(&response).map(Done::Response)
}

/// The folder that a client names, by its one true name.
fn folder(path: &Path) -> Result<PathBuf, Error> {
    if !path.is_absolute() {
        let reason = format!("{} is no absolute path", path.display());
        return Err(invalid(reason));
    }
    let missing = |_| invalid(format!("{} is not there", path.display()));
    let real = path.canonicalize().map_err(missing)?;
    match real.is_dir() {
        true => Ok(real),
        false => Err(invalid(format!("{} is no folder", path.display()))),
    }
}

fn folders(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    paths.iter().map(|path| folder(path)).collect()
}

/// What a client wants of a session besides its folder.
fn wishes(places: &[PathBuf], servers: &[McpServer]) -> Result<SessionWishes, Error> {
    Ok(SessionWishes {
        without_key: WithoutKey::Refused,
        places: folders(places)?,
        servers: servers::entries(servers)?,
        thinking: Thinking::AsConfigured,
    })
}

/// Whether the client had the session with a host that has died since.
fn which(id: &str, meta: Option<&Meta>) -> Which {
    match meta.and_then(|meta| meta.get(AGAIN)) {
        Some(Value::Bool(true)) => Which::Again(id.to_owned()),
        _ => Which::Recorded(id.to_owned()),
    }
}

/// A session that is recorded, or that another door has opened.
async fn recorded(
    connection: &Connection,
    which: Which,
    cwd: &Path,
    wishes: SessionWishes,
) -> Result<Arc<Attached>, Error> {
    let id = match &which {
        // Nothing begins here for whoever has logged out; what was begun goes on.
        Which::Again(id) => id,
        Which::Recorded(id) => {
            connection.check_logged_in()?;
            id
        }
        Which::New => return Err(Error::internal_error()),
    };
    let folder = folder(cwd)?;
    // The sessions' own names for a session are for people; a client means exactly one.
    if id == "latest" || id.parse::<u64>().is_ok() {
        return Err(failure::no_session(id));
    }
    let which = match connection.host.sessions.get(id) {
        Some(live) if !live.has(&wishes) => {
            close_if_idle(connection, &live).await;
            // Nothing may have been said in it, and it is there all the same.
            Which::Again(id.clone())
        }
        Some(_) | None => which,
    };
    let request = SessionRequest {
        wishes: wishes.clone(),
        ..connection.request(folder, which)
    };
    let opened = connection.host.sessions.open(request).await;
    let live = opened.map_err(failure::of_session)?;
    Ok(attach(connection, live, wishes).await)
}

/// A session that has other folders and servers than this client brings is closed, so that it is opened again with those:
/// what a client names is the whole list. One that somebody else shows or that is at work stays as it is.
async fn close_if_idle(connection: &Connection, live: &Arc<LiveSession>) {
    let own = connection.attached(live.id.as_str()).ok();
    let own = own.filter(|own| Arc::ptr_eq(&own.live, live));
    let others = live.followers() - usize::from(own.is_some()).min(live.followers());
    if others > 0 || live.is_running() || own.as_ref().is_some_and(|own| own.has_prompts()) {
        return;
    }
    if live.handle.submit(Op::Close).await.is_ok() {
        let _goes_on_ending = timeout(PATIENCE, live.ended()).await;
    }
}

/// What a client is told that comes to a session without getting all it wants of it.
fn shortcoming(attached: &Attached, wishes: &SessionWishes) -> Option<String> {
    (!attached.live.has(wishes)).then(|| {
        "This session is open in another window, with other folders or MCP servers than this client brings. \
         To have exactly these, close it there and load it again."
            .to_owned()
    })
}

/// Takes a session in, with what can be set about it.
async fn attach(
    connection: &Connection,
    live: Arc<LiveSession>,
    wishes: SessionWishes,
) -> Arc<Attached> {
    if let Ok(attached) = connection.attached(live.id.as_str())
        && Arc::ptr_eq(&attached.live, &live)
    {
        return attached;
    }
    let request = connection.request(live.folder.clone(), Which::New);
    let models = connection.host.sessions.models(request).await;
    let options = Options::of(&live, models);
    let attached = Attached::new(live, wishes, options);
    connection.attach(&attached);
    attached
}
