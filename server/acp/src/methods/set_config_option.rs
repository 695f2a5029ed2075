//! `session/set_config_option`: answered with everything that can be set, as it is then.

use agent_client_protocol_schema::v1::{
    Error, SetSessionConfigOptionRequest, SetSessionConfigOptionResponse,
};

use super::set_mode;
use crate::attached::Attached;
use crate::connection::Connection;
use crate::failure::{self, invalid};
use crate::options::{self, MODE, MODEL, Options, THINKING};

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
            let choice = |options: &mut Options| value.clone_into(&mut options.model);
            choose(connection, &attached, choice).await?
        }
        THINKING => {
            let Some(thinking) = options::thinking(value) else {
                return Err(invalid(format!("there is no way to think {value}")));
            };
            let choice = |options: &mut Options| options.thinking = thinking;
            choose(connection, &attached, choice).await?
        }
        other => return Err(invalid(format!("there is no option {other}"))),
    };
    Ok(SetSessionConfigOptionResponse::new(options.list()))
}

/// Lets this model answer from the next turn on.
async fn choose(
    connection: &Connection,
    attached: &Attached,
    choice: impl FnOnce(&mut Options),
) -> Result<Options, Error> {
    let mut request = connection.request_of(attached);
    let choosing = attached.choosing(choice);
    request.model = Some(choosing.after.model.clone());
    request.wishes.thinking = choosing.after.thinking;
    let set = connection.host.sessions.set_model(&attached.live, request);
    set.await.map_err(failure::of_session)?;
    Ok(choosing.made())
}
