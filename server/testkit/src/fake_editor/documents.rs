//! The document notifications. The editor keeps no copy: see
//! [`MirrorBuffer`](crate::MirrorBuffer) for that.

use serde_json::json;

use super::FakeEditor;
use crate::mirror_buffer::TextChange;

impl FakeEditor {
    /// `textDocument/didOpen`, with version 1.
    pub async fn open(&self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))
            .await;
    }

    /// `textDocument/didChange`; each change refers to the text that the one before it left.
    pub async fn change(&self, uri: &str, version: i32, changes: &[TextChange]) {
        let params = json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": changes,
        });
        self.notify("textDocument/didChange", params).await;
    }

    /// `textDocument/didSave`, without the text.
    pub async fn save(&self, uri: &str) {
        let params = json!({ "textDocument": { "uri": uri } });
        self.notify("textDocument/didSave", params).await;
    }

    /// `textDocument/didClose`.
    pub async fn close(&self, uri: &str) {
        let params = json!({ "textDocument": { "uri": uri } });
        self.notify("textDocument/didClose", params).await;
    }
}
