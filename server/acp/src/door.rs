//! What the door of a client remembers of its conversation, so that a host that dies can be replaced.
//!
//! The client is told nothing again: it has seen what was said. It learns what has ended with the host, and how its
//! sessions stand in the new one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, CLIENT_METHOD_NAMES, PROTOCOL_LEVEL_METHOD_NAMES,
};
use pollux_door::{Keep, Memory, Message};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::options::MODE;

/// What the first line for another host is about: how the client stood with the one before. A notification.
pub(crate) const BEFORE: &str = "_pollux/before";

/// In `_meta` of a session that is resumed: the client has it, so it is begun where nothing of it was recorded.
pub(crate) const AGAIN: &str = "pollux/again";

/// How a client stood with a host that has died.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Before {
    /// The last question of that host. A late answer to it is no answer to one of the next host.
    pub(crate) asked: i64,
    pub(crate) logged_out: bool,
}

/// One conversation with a client.
#[derive(Debug, Default)]
pub struct DoorMemory {
    initialize: Option<Vec<u8>>,
    access: Access,
    sessions: BTreeMap<String, Opened>,
    /// What the client is asked at this moment, by the ids of the requests as JSON.
    questions: BTreeSet<String>,
    /// The last of them, open or not.
    asked: i64,
    /// The calls that it shows as not over yet, each with its session.
    calls: BTreeSet<(String, String)>,
    /// So many requests were made here.
    requests: u64,
}

/// Whether the client has said who it is.
#[derive(Debug, Default)]
enum Access {
    #[default]
    AsStarted,
    /// By this request.
    Authenticated(Map<String, Value>),
    LoggedOut,
}

/// A session that the client has.
#[derive(Debug)]
struct Opened {
    /// What is needed to resume it.
    params: Map<String, Value>,
    /// What the client has set: the method and its parameters, by what they are about.
    settings: BTreeMap<String, (&'static str, Map<String, Value>)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TakenBack<'a> {
    #[serde(borrow)]
    request_id: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    #[serde(borrow)]
    update: Call<'a>,
}

/// As much of an update as tells whether a call goes on.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call<'a> {
    #[serde(default, borrow)]
    tool_call_id: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    status: Option<Cow<'a, str>>,
}

/// How a session stands that was resumed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resumed {
    modes: Option<Modes>,
    config_options: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Modes {
    current_mode_id: String,
}

#[derive(Deserialize)]
struct Refused {
    message: String,
}

impl Memory for DoorMemory {
    fn heard(&mut self, message: &Message<'_>) -> Keep {
        let names = AGENT_METHOD_NAMES;
        let Some(method) = message.method() else {
            if let Some(id) = message.id() {
                self.questions.remove(&id);
            }
            return Keep::Nothing;
        };
        let remembered = [
            names.authenticate,
            names.logout,
            names.session_new,
            names.session_load,
            names.session_resume,
            names.session_close,
            names.session_delete,
            names.session_set_mode,
            names.session_set_config_option,
        ];
        if method == names.initialize {
            Keep::ForTheNextHost
        } else if remembered.contains(&method) {
            Keep::UntilAnswered
        } else {
            Keep::Nothing
        }
    }

    fn answered(&mut self, request: &Message<'_>, answer: &Message<'_>) {
        let names = AGENT_METHOD_NAMES;
        let method = request.method().unwrap_or_default();
        let params: Map<String, Value> = request.params().unwrap_or_default();
        if method == names.initialize {
            self.initialize = Some(request.line.to_vec());
        } else if method == names.authenticate {
            self.access = Access::Authenticated(params);
        } else if method == names.logout {
            self.access = Access::LoggedOut;
        } else if method == names.session_new {
            if let Some(Named { session_id }) = answer.result() {
                self.opened(session_id, params);
            }
        } else if let Some(Named { session_id }) = request.params() {
            if method == names.session_load || method == names.session_resume {
                self.opened(session_id, params);
            } else if method == names.session_set_mode {
                self.set(&session_id, MODE, names.session_set_mode, params);
            } else if method == names.session_set_config_option {
                let about = params.get("configId").and_then(Value::as_str);
                let about = about.unwrap_or_default().to_owned();
                self.set(&session_id, &about, names.session_set_config_option, params);
            } else {
                self.sessions.remove(&session_id);
            }
        }
    }

    fn told(&mut self, message: &Message<'_>) {
        if let Some(id) = message.id() {
            self.asked = self.asked.max(id.parse().unwrap_or_default());
            self.questions.insert(id);
        } else if message.method() == Some(PROTOCOL_LEVEL_METHOD_NAMES.cancel_request) {
            if let Some(TakenBack { request_id }) = message.params() {
                self.questions.remove(request_id.get());
            }
        } else if let Some(Update { session_id, update }) = message.params()
            && let Some(call) = update.tool_call_id
        {
            let call = (session_id.into_owned(), call.into_owned());
            match update.status.as_deref() {
                Some("completed" | "failed") => self.calls.remove(&call),
                Some(_) => self.calls.insert(call),
                None => false,
            };
        }
    }

    fn lost(&mut self) -> Vec<Vec<u8>> {
        let questions = std::mem::take(&mut self.questions).into_iter().map(|id| {
            let id: Value = serde_json::from_str(&id).unwrap_or_default();
            let method = PROTOCOL_LEVEL_METHOD_NAMES.cancel_request;
            line(&json!({ "jsonrpc": "2.0", "method": method, "params": { "requestId": id } }))
        });
        let calls = std::mem::take(&mut self.calls);
        let calls = calls.into_iter().map(|(session, call)| {
            let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": call, "status": "failed" });
            updated(&session, &update)
        });
        questions.chain(calls).collect()
    }

    fn reason_of_loss(&self, method: &str) -> &'static str {
        if method == AGENT_METHOD_NAMES.session_prompt {
            "the host ended during this turn, and another has its place; what arrived is kept. \
             Send \"continue\" to go on"
        } else {
            "the host ended before it had answered, and another has its place; ask again"
        }
    }

    fn retell(&mut self) -> Vec<Vec<u8>> {
        let names = AGENT_METHOD_NAMES;
        let Some(initialize) = self.initialize.clone() else {
            return Vec::new();
        };
        let mut requests = Vec::new();
        if let Access::Authenticated(params) = &self.access {
            requests.push((names.authenticate, params.clone()));
        }
        for opened in self.sessions.values() {
            requests.push((names.session_resume, opened.params.clone()));
            requests.extend(opened.settings.values().cloned());
        }
        let before = Before {
            asked: self.asked,
            logged_out: matches!(self.access, Access::LoggedOut),
        };
        let before = json!({ "jsonrpc": "2.0", "method": BEFORE, "params": before });
        let mut lines = vec![line(&before), initialize];
        for (method, params) in requests {
            self.requests += 1;
            let id = format!("pollux door {}", self.requests);
            lines.push(line(
                &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }),
            ));
        }
        lines
    }

    fn retold(&mut self, request: &Message<'_>, answer: &Message<'_>) -> Vec<Vec<u8>> {
        if request.method() != Some(AGENT_METHOD_NAMES.session_resume) {
            return Vec::new();
        }
        let Some(Named { session_id }) = request.params() else {
            return Vec::new();
        };
        if let Some(Refused { message }) = answer.error() {
            self.sessions.remove(&session_id);
            // What else is said there is for somebody at a command line.
            let reason = message.lines().next().unwrap_or_default();
            let text = format!("This session could not be opened again: {reason}.");
            let content = json!({ "type": "text", "text": text });
            let update = json!({ "sessionUpdate": "agent_message_chunk", "content": content });
            return vec![updated(&session_id, &update)];
        }
        // Another window may have set it otherwise, and that is gone.
        let Some(Resumed {
            modes,
            config_options,
        }) = answer.result()
        else {
            return Vec::new();
        };
        let mode = modes.map(|modes| {
            json!({ "sessionUpdate": "current_mode_update", "currentModeId": modes.current_mode_id })
        });
        let options = config_options
            .map(|list| json!({ "sessionUpdate": "config_option_update", "configOptions": list }));
        let updates = mode.into_iter().chain(options);
        updates
            .map(|update| updated(&session_id, &update))
            .collect()
    }
}

impl DoorMemory {
    fn opened(&mut self, session: String, mut params: Map<String, Value>) {
        params.insert("sessionId".to_owned(), Value::from(session.as_str()));
        let meta = params.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert(AGAIN.to_owned(), Value::Bool(true));
        }
        // Loaded once more, it is as it was set before.
        let settings = self.sessions.remove(&session).map(|opened| opened.settings);
        let opened = Opened {
            params,
            settings: settings.unwrap_or_default(),
        };
        self.sessions.insert(session, opened);
    }

    /// The newest word counts, by whichever method it came.
    fn set(
        &mut self,
        session: &str,
        about: &str,
        method: &'static str,
        params: Map<String, Value>,
    ) {
        if let Some(opened) = self.sessions.get_mut(session) {
            opened.settings.insert(about.to_owned(), (method, params));
        }
    }
}

fn line(message: &Value) -> Vec<u8> {
    message.to_string().into_bytes()
}

fn updated(session: &str, update: &Value) -> Vec<u8> {
    let params = json!({ "sessionId": session, "update": update });
    let method = CLIENT_METHOD_NAMES.session_update;
    line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

#[cfg(test)]
mod tests;
