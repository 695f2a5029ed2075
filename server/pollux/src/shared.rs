//! The host that all doors of a person share, and the way to it. Needs local sockets.

mod connect;
pub(crate) mod foreign_edits;
mod hello;
mod host;
mod patience;
mod runtime;

pub(crate) use connect::Shared;
pub(crate) use hello::{DoorKind, Port, hear};
pub(crate) use host::{GRACE, run};
pub(crate) use runtime::Runtime;

use pollux_workspace::DoorContext;

use crate::doctor::HostReport;

/// How the host is, if there is one. None is started for this.
pub(crate) async fn ask_host(
    runtime: &Runtime,
    context: &DoorContext,
) -> std::io::Result<Option<HostReport>> {
    let Ok(stream) = std::os::unix::net::UnixStream::connect(&runtime.socket) else {
        return Ok(None);
    };
    let entered = connect::enter(stream, hello::DoorKind::Doctor, context.clone()).await;
    let (welcome, _, _) = entered?;
    Ok(Some(welcome))
}
