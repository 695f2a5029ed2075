//! `session/set_config_option`: answered with everything that can be set, as it is then.

use agent_client_protocol_schema::v1::{
    Error, SetSessionConfigOptionRequest, SetSessionConfigOptionResponse,
};
use pollux_workspace::Which;

use super::set_mode;
use crate::connection::Connection;
use crate::failure::{self, invalid};
use crate::options::{MODE, MODEL};

pub(super) async fn handle(
    connection: &Connection,
    params: SetSessionConfigOptionRequest,
) -> Result<SetSessionConfigOptionResponse, Error> {
    let attached = connection.attached(&params.session_id.0)?;
    let Some(value) = params.value.as_value_id() else {
        return Err(invalid("this is chosen from a list"));
    };
    let value = &*value.0;
    let options = match &*params.config_id.0 {
        MODE => {
            set_mode::set(&attached, value).await?;
            attached.options()
        }
        MODEL => {
            let mut request = connection.request(attached.live.folder.clone(), Which::New);
            request.model = Some(value.to_owned());
            let sessions = &connection.host.sessions;
            let set = sessions.set_model(&attached.live, request).await;
            set.map_err(failure::of_session)?;
            attached.change_options(|options| value.clone_into(&mut options.model))
        }
        other => return Err(invalid(format!("there is no option {other}"))),
    };
    Ok(SetSessionConfigOptionResponse::new(options.list()))
}
