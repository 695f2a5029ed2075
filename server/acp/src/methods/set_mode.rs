//! `session/set_mode`

use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    Error, ErrorCode, SetSessionModeRequest, SetSessionModeResponse,
};

use crate::attached::Attached;
use crate::connection::Connection;
use crate::failure::{self, invalid};
use crate::options;

pub(super) async fn handle(
    connection: &Connection,
    params: SetSessionModeRequest,
) -> Result<SetSessionModeResponse, Error> {
    let attached = connection.attached(&params.session_id.0)?;
    set(&attached, &params.mode_id.0).await?;
    Ok(SetSessionModeResponse::new())
}

/// Sets a mode, if the session may be in it.
pub(super) async fn set(attached: &Arc<Attached>, id: &str) -> Result<(), Error> {
    let Some(mode) = options::mode(id) else {
        return Err(invalid(format!("there is no mode {id}")));
    };
    match attached.want_mode(mode)?.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(refusal)) => Err(failure::said(
            ErrorCode::InvalidRequest,
            refusal.to_string(),
        )),
        Err(_) => Err(attached.gone()),
    }
}
