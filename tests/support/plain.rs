//! An editor that knows the language server protocol and nothing of Pollux: it shows diagnostics and runs code actions.

use std::collections::BTreeMap;

use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions, RequestId};
use pollux_testkit::{MirrorBuffer, PositionEncoding, TextChange};
use serde_json::{Value, json};

use super::{in_root, snapshot};

/// What such an editor says about itself; questions of the agent are not what it is about here.
pub(crate) fn plain_in(root: &str) -> InitializeOptions {
    InitializeOptions {
        capabilities: json!({
            "textDocument": { "codeAction": { "codeActionLiteralSupport": {
                "codeActionKind": { "valueSet": ["quickfix", "source"] },
            }}},
            "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } },
            "experimental": { "pollux": { "approvals": true } },
        }),
        ..in_root(root)
    }
}

/// The diagnostics the editor shows, by URI.
#[derive(Default)]
pub(crate) struct Marks(BTreeMap<String, Vec<Value>>);

impl Marks {
    /// Reads what is published until the marks are as wanted.
    pub(crate) async fn until(&mut self, editor: &FakeEditor, wanted: impl Fn(&Self) -> bool) {
        while !wanted(self) {
            let published = editor
                .expect_notification("textDocument/publishDiagnostics")
                .await;
            self.take(&published);
        }
    }

    fn take(&mut self, published: &Value) {
        let uri = published["uri"].as_str().unwrap().to_owned();
        let diagnostics = published["diagnostics"].as_array().unwrap().clone();
        for diagnostic in &diagnostics {
            // Nothing is wrong with a file that waits for a decision.
            assert_eq!(diagnostic["severity"], 3, "{diagnostic}");
            assert_eq!(diagnostic["source"], "pollux", "{diagnostic}");
        }
        match diagnostics.is_empty() {
            true => self.0.remove(&uri),
            false => self.0.insert(uri, diagnostics),
        };
    }

    pub(crate) fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    pub(crate) fn of(&self, uri: &str) -> &[Value] {
        self.0.get(uri).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The titles and commands that are offered for a line.
pub(crate) async fn actions(editor: &FakeEditor, uri: &str, line: u64) -> Vec<Value> {
    let place = json!({ "line": line, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri },
        "range": { "start": place, "end": place },
        "context": { "diagnostics": [] },
    });
    let offered = editor.request("textDocument/codeAction", params).await;
    match offered.unwrap() {
        Value::Array(actions) => actions,
        Value::Null => Vec::new(),
        other => panic!("no list of actions: {other}"),
    }
}

/// The command of the action with this title, at this line.
pub(crate) async fn offered(editor: &FakeEditor, uri: &str, line: u64, title: &str) -> Value {
    let actions = actions(editor, uri, line).await;
    let found = actions.iter().find(|action| action["title"] == title);
    let found = found.unwrap_or_else(|| panic!("no `{title}` in line {line}: {actions:#?}"));
    found["command"].clone()
}

/// Runs a command as an editor does, and returns what it says.
pub(crate) async fn run(editor: &FakeEditor, command: &Value) -> String {
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    let result = editor.request("workspace/executeCommand", params).await;
    let result = result.unwrap_or_else(|error| panic!("{command}: {error}"));
    result["message"].as_str().unwrap().to_owned()
}

/// Chooses an action by its title.
pub(crate) async fn choose(editor: &FakeEditor, uri: &str, line: u64, title: &str) -> String {
    let command = offered(editor, uri, line, title).await;
    run(editor, &command).await
}

pub(crate) async fn review(editor: &FakeEditor) -> Value {
    editor.request("pollux/review", json!({})).await.unwrap()
}

/// Waits until the review is as wanted: what a command sets on its way takes a moment to arrive.
pub(crate) async fn review_where(editor: &FakeEditor, wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let before = snapshot(editor).await;
        let now = review(editor).await;
        if wanted(&now) {
            return now;
        }
        let after = json!({ "afterRevision": before["revision"] });
        editor.request("pollux/snapshot", after).await.unwrap();
    }
}

/// Waits until so many hunks of a file are pending.
pub(crate) async fn pending_in(editor: &FakeEditor, path: &str, count: usize) {
    let hunks = |file: &Value| file["hunks"].as_array().unwrap().len();
    review_where(editor, |review| {
        let files = review["files"].as_array().unwrap();
        let file = files.iter().find(|file| file["path"] == path);
        file.map(hunks).unwrap_or_default() == count
    })
    .await;
}

/// A file that is open in the editor, which makes the edits it is asked for.
pub(crate) struct OpenFile {
    pub(crate) uri: String,
    pub(crate) buffer: MirrorBuffer,
    version: i32,
}

impl OpenFile {
    pub(crate) async fn open(editor: &FakeEditor, uri: &str, text: &str) -> Self {
        editor.open(uri, "text", text).await;
        Self {
            uri: uri.to_owned(),
            buffer: MirrorBuffer::new(text, PositionEncoding::Utf16),
            version: 1,
        }
    }

    /// The person types.
    pub(crate) async fn edit(&mut self, editor: &FakeEditor, change: TextChange) {
        self.buffer.apply(&change);
        self.version += 1;
        editor.change(&self.uri, self.version, &[change]).await;
    }

    /// Makes the next edit the server asks for, if it is meant for the text as it is.
    pub(crate) async fn obey(&mut self, editor: &FakeEditor) {
        let asked = editor.expect_request("workspace/applyEdit").await;
        self.make(editor, asked).await;
    }

    /// The same for one that it was asked for earlier.
    pub(crate) async fn make(&mut self, editor: &FakeEditor, (id, params): (RequestId, Value)) {
        let version = &params["edit"]["documentChanges"][0]["textDocument"]["version"];
        if *version != self.version {
            let refused = json!({ "applied": false, "failureReason": "the text has changed" });
            return editor.respond(&id, refused).await;
        }
        self.make_silently(editor, &params).await;
        editor.respond(&id, json!({ "applied": true })).await;
    }

    /// Makes an edit that fits, and does not say so.
    pub(crate) async fn make_silently(&mut self, editor: &FakeEditor, params: &Value) {
        let change = &params["edit"]["documentChanges"][0];
        assert_eq!(change["textDocument"]["uri"], self.uri.as_str());
        let edits: Vec<TextChange> = change["edits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edit| {
                let range = serde_json::from_value(edit["range"].clone()).unwrap();
                TextChange {
                    range: Some(range),
                    text: edit["newText"].as_str().unwrap().to_owned(),
                }
            })
            .collect();
        self.buffer.apply_simultaneously(&edits);
        self.version += 1;
        let whole = TextChange {
            range: None,
            text: self.buffer.text().to_owned(),
        };
        editor.change(&self.uri, self.version, &[whole]).await;
    }
}
