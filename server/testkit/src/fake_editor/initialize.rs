//! What the editor says about itself when it connects.

use serde_json::{Map, Value, json};

use crate::mirror_buffer::PositionEncoding;

/// The parts of `initialize` that tests vary. The default is the poorest client the protocol
/// allows, so that what a test relies on is written in the test.
#[derive(Debug, Clone, Default)]
pub struct InitializeOptions {
    /// URIs of the workspace folders; none means a window without a folder.
    pub roots: Vec<String>,
    /// In the client's order of preference; empty leaves the capability out, which means UTF-16.
    pub position_encodings: Vec<PositionEncoding>,
    /// Laid over the capabilities that follow from the fields above; `null` takes one away.
    pub capabilities: Value,
    pub process_id: Option<u32>,
    pub initialization_options: Option<Value>,
    /// `clientInfo.name`; empty leaves `clientInfo` out.
    pub client_name: String,
}

impl InitializeOptions {
    pub(super) fn into_params(self) -> Value {
        let mut capabilities = json!({});
        if !self.position_encodings.is_empty() {
            let general = json!({ "general": { "positionEncodings": self.position_encodings } });
            overlay(&mut capabilities, &general);
        }
        if !self.roots.is_empty() {
            overlay(
                &mut capabilities,
                &json!({ "workspace": { "workspaceFolders": true } }),
            );
        }
        overlay(&mut capabilities, &self.capabilities);

        let folders: Vec<Value> = self.roots.iter().map(|uri| workspace_folder(uri)).collect();
        let mut params = json!({
            "processId": self.process_id,
            "rootUri": self.roots.first(),
            "capabilities": capabilities,
            "workspaceFolders": if folders.is_empty() { Value::Null } else { json!(folders) },
        });
        if let Some(options) = self.initialization_options {
            params["initializationOptions"] = options;
        }
        if !self.client_name.is_empty() {
            params["clientInfo"] = json!({ "name": self.client_name });
        }
        params
    }
}

/// A workspace folder named after the last part of its URI.
pub fn workspace_folder(uri: &str) -> Value {
    let name = uri.trim_end_matches('/').rsplit('/').next();
    json!({ "uri": uri, "name": name.unwrap_or(uri) })
}

/// JSON Merge Patch (RFC 7396), except that a `null` patch as a whole changes nothing.
fn overlay(target: &mut Value, patch: &Value) {
    let Value::Object(entries) = patch else {
        assert!(patch.is_null(), "capabilities are an object, not {patch}");
        return;
    };
    merge(target, entries);
}

fn merge(target: &mut Value, entries: &Map<String, Value>) {
    if !target.is_object() {
        *target = json!({});
    }
    for (key, value) in entries {
        match value {
            Value::Null => {
                let object = target.as_object_mut().expect("made an object above");
                object.remove(key);
            }
            Value::Object(inner) => merge(&mut target[key], inner),
            other => target[key] = other.clone(),
        }
    }
}
