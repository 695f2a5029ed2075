//! `authenticate`: a key from the client, or one that is there already.

use agent_client_protocol_schema::v1::{AuthenticateRequest, AuthenticateResponse, Error};
use pollux_workspace::Which;
use serde_json::Value;

use crate::connection::Connection;
use crate::failure::{self, invalid};

pub(super) const API_KEY: &str = "gemini-api-key";

/// Where clients put a key.
pub(super) const KEY_MEMBER: &str = "api-key";

pub(super) async fn handle(
    connection: &Connection,
    params: AuthenticateRequest,
) -> Result<AuthenticateResponse, Error> {
    if &*params.method_id.0 != API_KEY {
        let reason = format!("there is no way to authenticate as {}", params.method_id.0);
        return Err(invalid(reason));
    }
    match params.meta.as_ref().and_then(|meta| meta.get(KEY_MEMBER)) {
        None | Some(Value::Null) => {}
        Some(Value::String(key)) if !key.trim().is_empty() => {
            // For this door only, and in memory only.
            connection.set_variable("GEMINI_API_KEY", key.trim());
        }
        Some(_) => return Err(invalid("a key is a text that is not empty")),
    }
    let folder = connection.context().folder;
    let request = connection.request(folder, Which::New);
    let can_answer = connection.host.sessions.can_answer(request).await;
    can_answer.map_err(failure::of_session)?;
    connection.log_in();
    Ok(AuthenticateResponse::new())
}
