//! What the door of a client remembers of its conversation, so that a host that dies can be replaced.
//!
//! Clients of the newest version begin without a handshake and listen by a request that stays open; that one is asked
//! again. What the others follow is followed again, and they are told that it may have changed meanwhile.

use std::collections::BTreeSet;

use pollux_door::{Keep, Memory, Message};
use serde::Deserialize;
use serde_json::{Value, json};

/// One conversation with a client.
#[derive(Debug, Default)]
pub struct DoorMemory {
    initialize: Option<Vec<u8>>,
    initialized: Option<Vec<u8>>,
    /// The addresses that the client follows.
    followed: BTreeSet<String>,
    /// So many requests were made here.
    requests: u64,
}

#[derive(Deserialize)]
struct Followed {
    uri: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled {
    request_id: Value,
}

impl Memory for DoorMemory {
    fn heard(&mut self, message: &Message<'_>) -> Keep {
        match message.method() {
            Some("initialize" | "subscriptions/listen") => Keep::ForTheNextHost,
            Some("resources/subscribe" | "resources/unsubscribe") => Keep::UntilAnswered,
            Some("notifications/initialized") => {
                self.initialized = Some(message.line.to_vec());
                Keep::Nothing
            }
            _ => Keep::Nothing,
        }
    }

    fn taken_back(&self, message: &Message<'_>) -> Option<String> {
        if message.method() != Some("notifications/cancelled") {
            return None;
        }
        let Cancelled { request_id } = message.params()?;
        Some(request_id.to_string())
    }

    fn answered(&mut self, request: &Message<'_>, _: &Message<'_>) {
        match (request.method(), request.params()) {
            (Some("initialize"), _) => self.initialize = Some(request.line.to_vec()),
            (Some("resources/subscribe"), Some(Followed { uri })) => {
                self.followed.insert(uri);
            }
            (Some("resources/unsubscribe"), Some(Followed { uri })) => {
                self.followed.remove(&uri);
            }
            _ => {}
        }
    }

    fn retell(&mut self) -> Vec<Vec<u8>> {
        let Some(initialize) = self.initialize.clone() else {
            return Vec::new();
        };
        let mut lines = vec![initialize];
        lines.extend(self.initialized.clone());
        for uri in &self.followed {
            self.requests += 1;
            let id = format!("pollux door {}", self.requests);
            let follow = json!({ "jsonrpc": "2.0", "id": id, "method": "resources/subscribe", "params": { "uri": uri } });
            lines.push(line(&follow));
        }
        lines
    }

    fn retold(&mut self, request: &Message<'_>, _: &Message<'_>) -> Vec<Vec<u8>> {
        let news = match (request.method(), request.params()) {
            (Some("resources/subscribe"), Some(Followed { uri })) => {
                json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": { "uri": uri } })
            }
            (Some("initialize"), _) if self.initialized.is_some() => {
                json!({ "jsonrpc": "2.0", "method": "notifications/resources/list_changed" })
            }
            _ => return Vec::new(),
        };
        vec![line(&news)]
    }
}

fn line(message: &Value) -> Vec<u8> {
    message.to_string().into_bytes()
}

#[cfg(test)]
mod tests;
