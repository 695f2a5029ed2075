//! What an editor has told its server, kept so that another host can be told the same.

use std::collections::BTreeMap;

use pollux_text::{Buffer, Edit, PositionEncoding};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::message::{Kind, Message};
use crate::methods::{Change, MESSAGES_LOST};
use crate::protocol::{Range, method};

/// Changes are folded into their text when they have grown to this, or to half of the text.
const FOLD_AT: usize = 16 * 1024;

/// Messages about workspace folders that are kept as they came; more of them become one.
const MOST_FOLDER_MESSAGES: usize = 256;

/// The memory of one door. Texts are compressed: they are read only after a crash.
#[derive(Default)]
pub(super) struct Memory {
    initialize: Option<Vec<u8>>,
    initialized: Option<Vec<u8>>,
    /// Messages that change the workspace folders; rare and short.
    folders: Vec<Vec<u8>>,
    /// The last value of each field of `pollux/editorState`.
    editor: Map<String, Value>,
    documents: BTreeMap<String, Remembered>,
    encoding: PositionEncoding,
}

struct Remembered {
    language: String,
    /// The version of `text`.
    version: i32,
    /// The version after the last change.
    latest: i32,
    /// Nothing when it can no longer be known; the new host then asks the editor for it.
    text: Option<Packed>,
    /// What changed since, in order.
    changes: Vec<Edit>,
    changed_bytes: usize,
}

struct Packed {
    bytes: Box<[u8]>,
    length: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    text_document: Item,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    uri: String,
    #[serde(default)]
    language_id: String,
    version: i32,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    text_document: Identifier,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Saved {
    text_document: Identifier,
    text: Option<String>,
}

#[derive(Deserialize)]
struct Identifier {
    uri: String,
    version: Option<i32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    text_document: Identifier,
    content_changes: Vec<Change>,
}

impl Memory {
    /// Remembers a message of the editor before it goes to the host.
    pub(super) fn note(&mut self, message: &mut Message) {
        let Kind::Call { method, params, .. } = &mut message.kind else {
            return;
        };
        let body = &message.body;
        // Whoever looks at the message after this has no use for its parameters.
        let params = std::mem::take(params);
        match method.as_str() {
            "initialize" if self.initialize.is_none() => self.initialize = Some(body.to_vec()),
            "initialized" => self.initialized = Some(body.to_vec()),
            "workspace/didChangeWorkspaceFolders" => {
                self.folders.push(body.to_vec());
                if self.folders.len() > MOST_FOLDER_MESSAGES {
                    self.folders = vec![merged(&self.folders)];
                }
            }
            method::EDITOR_STATE => {
                if let Value::Object(fields) = params {
                    self.editor.extend(fields);
                }
            }
            "textDocument/didOpen" => {
                let named = uri_in(&params);
                match serde_json::from_value(params) {
                    Ok(Opened { text_document }) => {
                        self.documents
                            .insert(text_document.uri.clone(), text_document.into());
                    }
                    Err(_) => self.change_lost(named.as_deref()),
                }
            }
            "textDocument/didChange" => self.changed(params),
            "textDocument/didSave" => self.saved(params),
            "textDocument/didClose" => {
                if let Ok(Named { text_document }) = serde_json::from_value(params) {
                    self.documents.remove(&text_document.uri);
                }
            }
            _ => {}
        }
    }

    /// Positions in later changes count in this unit; the host's reply to `initialize` says so.
    pub(super) fn agreed_on(&mut self, encoding: PositionEncoding) {
        self.encoding = encoding;
    }

    /// A message of the editor could not be read. It may have been a change to any text.
    pub(super) fn messages_lost(&mut self) {
        for document in self.documents.values_mut() {
            document.forget();
        }
    }

    /// The parameters of a change could not be read. Without a URI it may have been a change to any text.
    fn change_lost(&mut self, uri: Option<&str>) {
        let Some(uri) = uri else {
            return self.messages_lost();
        };
        if let Some(document) = self.documents.get_mut(uri) {
            document.forget();
        }
    }

    /// The host did not take it; the editor may try another.
    pub(super) fn initialize_was_refused(&mut self) {
        self.initialize = None;
    }

    pub(super) fn initialize(&self) -> Option<&[u8]> {
        self.initialize.as_deref()
    }

    /// Everything a new host is to be told once it has answered `initialize`.
    pub(super) fn retell(&self) -> Vec<Vec<u8>> {
        let mut messages = Vec::new();
        messages.extend(self.initialized.clone());
        messages.extend(self.folders.iter().cloned());
        let mut lost = false;
        for (uri, document) in &self.documents {
            let text = document.text.as_ref().and_then(Packed::unpack);
            lost |= text.is_none();
            messages.push(notification(
                "textDocument/didOpen",
                &json!({ "textDocument": {
                    "uri": uri,
                    "languageId": document.language,
                    "version": document.version,
                    "text": text.unwrap_or_default(),
                }}),
            ));
            if !document.changes.is_empty() {
                let changes: Vec<Value> = document.changes.iter().map(as_change).collect();
                messages.push(notification(
                    "textDocument/didChange",
                    &json!({
                        "textDocument": { "uri": uri, "version": document.latest },
                        "contentChanges": changes,
                    }),
                ));
            }
        }
        if lost {
            messages.push(notification(MESSAGES_LOST, &json!({})));
        }
        if !self.editor.is_empty() {
            let fields = Value::Object(self.editor.clone());
            messages.push(notification(method::EDITOR_STATE, &fields));
        }
        messages
    }

    /// The saved text is the whole text, and shorter to remember than how it came about.
    fn saved(&mut self, params: Value) {
        if let Ok(Saved {
            text_document,
            text: Some(text),
        }) = serde_json::from_value(params)
            && let Some(document) = self.documents.get_mut(&text_document.uri)
        {
            document.replace(&text);
        }
    }

    fn changed(&mut self, params: Value) {
        let named = uri_in(&params);
        let Ok(Changed {
            text_document,
            content_changes,
        }) = serde_json::from_value(params)
        else {
            return self.change_lost(named.as_deref());
        };
        let Some(document) = self.documents.get_mut(&text_document.uri) else {
            return;
        };
        document.latest = text_document.version.unwrap_or(document.latest);
        for change in content_changes {
            let edit = Edit::from(change);
            if document.text.is_none() {
                // Nothing but a whole text brings it back in step.
                if let Edit::Replace(text) = &edit {
                    document.replace(text);
                }
                continue;
            }
            document.changed_bytes += weight(&edit);
            document.changes.push(edit);
        }
        let length = document.text.as_ref().map_or(0, |text| text.length);
        if document.changed_bytes > FOLD_AT.max(length / 2) {
            document.fold(self.encoding);
        }
    }
}

impl Remembered {
    fn replace(&mut self, text: &str) {
        self.text = Some(Packed::new(text));
        self.forget_changes();
    }

    /// The text is not known any more.
    fn forget(&mut self) {
        self.text = None;
        self.forget_changes();
    }

    fn forget_changes(&mut self) {
        self.version = self.latest;
        self.changes.clear();
        self.changed_bytes = 0;
    }

    /// Makes the changes part of the text. What does not fit is forgotten with it.
    fn fold(&mut self, encoding: PositionEncoding) {
        let changes = std::mem::take(&mut self.changes);
        self.changed_bytes = 0;
        self.version = self.latest;
        let unpacked = self.text.take().and_then(|text| text.unpack());
        let whole = changes
            .iter()
            .rposition(|edit| matches!(edit, Edit::Replace(_)));
        let fitting = changes.get(whole.unwrap_or_default()..).unwrap_or_default();
        let mut buffer = match (unpacked, whole) {
            (Some(text), _) => Buffer::from(text.as_str()),
            (None, Some(_)) => Buffer::default(),
            (None, None) => return,
        };
        if buffer.apply(fitting, encoding).is_ok() {
            self.text = Some(Packed::new(&buffer.to_string()));
        }
    }
}

/// What several changes of the workspace folders come to.
fn merged(messages: &[Vec<u8>]) -> Vec<u8> {
    let (mut added, mut removed) = (Map::new(), Map::new());
    for message in messages {
        let message: Value = serde_json::from_slice(message).unwrap_or_default();
        let folders = |kind: &str| {
            let folders = message.pointer(&format!("/params/event/{kind}"));
            let folders = folders.and_then(Value::as_array).cloned();
            let named = |folder: Value| Some((folder.get("uri")?.as_str()?.to_owned(), folder));
            folders.unwrap_or_default().into_iter().filter_map(named)
        };
        for (uri, folder) in folders("removed") {
            if added.remove(&uri).is_none() {
                removed.insert(uri, folder);
            }
        }
        for (uri, folder) in folders("added") {
            if removed.remove(&uri).is_none() {
                added.insert(uri, folder);
            }
        }
    }
    let event = json!({
        "added": added.into_values().collect::<Vec<_>>(),
        "removed": removed.into_values().collect::<Vec<_>>(),
    });
    let params = json!({ "event": event });
    notification("workspace/didChangeWorkspaceFolders", &params)
}

/// The document that parameters are about, whatever else is in them.
fn uri_in(params: &Value) -> Option<String> {
    let uri = params.get("textDocument")?.get("uri")?.as_str()?;
    Some(uri.to_owned())
}

/// What an edit costs to remember, about.
fn weight(edit: &Edit) -> usize {
    let (Edit::Splice { text, .. } | Edit::Replace(text)) = edit;
    size_of::<Edit>() + text.len()
}

/// An edit in the protocol's words again.
fn as_change(edit: &Edit) -> Value {
    match edit {
        Edit::Splice { range, text } => json!({ "range": Range::from(*range), "text": text }),
        Edit::Replace(text) => json!({ "text": text }),
    }
}

impl From<Item> for Remembered {
    fn from(item: Item) -> Self {
        Self {
            language: item.language_id,
            version: item.version,
            latest: item.version,
            text: Some(Packed::new(&item.text)),
            changes: Vec::new(),
            changed_bytes: 0,
        }
    }
}

impl Packed {
    fn new(text: &str) -> Self {
        Self {
            bytes: lz4_flex::compress(text.as_bytes()).into_boxed_slice(),
            length: text.len(),
        }
    }

    fn unpack(&self) -> Option<String> {
        let bytes = lz4_flex::decompress(&self.bytes, self.length).ok()?;
        String::from_utf8(bytes).ok()
    }
}

pub(super) fn notification(method: &str, params: &Value) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
        .to_string()
        .into_bytes()
}

#[cfg(test)]
mod tests;
