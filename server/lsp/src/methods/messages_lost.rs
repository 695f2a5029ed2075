//! `$/pollux/messagesLost`: the door tells the host that it had to drop something.
//!
//! Only between door and host; an editor never sends it. A dropped message may have been an edit,
//! so every text of this door is to be asked for anew.

use pollux_workspace::Input;
use serde_json::Value;

use crate::connection::Connection;

pub(crate) const METHOD: &str = "$/pollux/messagesLost";

pub(super) fn read(connection: &Connection, _: Value) -> Result<Option<Input>, serde_json::Error> {
    Ok(Some(Input::MessagesLost(connection.door)))
}
