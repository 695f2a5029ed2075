//! `logout`: the key that is kept goes, and nothing begins here before somebody authenticates again.

use agent_client_protocol_schema::v1::{Error, LogoutRequest, LogoutResponse};

use crate::connection::Connection;
use crate::failure;

pub(super) async fn handle(
    connection: &Connection,
    _: LogoutRequest,
) -> Result<LogoutResponse, Error> {
    connection.log_out();
    let forgotten = connection.host.sessions.forget_key(connection.context());
    forgotten.await.map_err(failure::of_session)?;
    Ok(LogoutResponse::new())
}
