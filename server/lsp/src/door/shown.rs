//! What a host has put on the editor's screen and a dead host cannot take away again.
//!
//! The next host knows what is pending, not what the editor still shows of the last one. So marks, questions and
//! progress are taken back by the door when a host dies; the next one sends what holds.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::memory::notification;
use crate::protocol::method;

const DIAGNOSTICS: &str = "textDocument/publishDiagnostics";
const QUESTION: &str = "window/showMessageRequest";
const PROGRESS: &str = "$/progress";

/// Shown where a question of the dead host stood.
const QUESTION_ENDED: &str =
    "Pollux was restarted, and its question is closed: nothing was run or changed.";

/// The type of a message that is a warning.
const WARNING: u8 = 2;

/// What the editor shows.
#[derive(Default)]
pub(super) struct Shown {
    /// The files with marks, by the method that put them there and their URI.
    files: BTreeMap<(Marks, String), String>,
    /// Requests that wait for a button, by their ids as JSON.
    questions: BTreeSet<String>,
    /// Work that is shown, by its tokens as JSON.
    progress: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Marks {
    Hunks,
    Diagnostics,
}

/// As much of either message as is needed here.
#[derive(Deserialize)]
struct Params<'a> {
    uri: String,
    #[serde(default)]
    path: String,
    #[serde(default, borrow)]
    hunks: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    comments: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    diagnostics: Vec<&'a RawValue>,
}

/// As much of `$/progress` as is needed here.
#[derive(Deserialize)]
struct Progress<'a> {
    #[serde(borrow)]
    token: &'a RawValue,
    value: ProgressValue,
}

#[derive(Deserialize)]
struct ProgressValue {
    kind: String,
}

impl Shown {
    /// Keeps account of a request of the host. `method` and `id` are JSON.
    pub(super) fn note_request(&mut self, method: &RawValue, id: &RawValue) {
        if method.get().trim_matches('"') == QUESTION {
            self.questions.insert(id.get().to_owned());
        }
    }

    /// The editor has answered a request of the host. `id` is JSON.
    pub(super) fn note_reply(&mut self, id: &str) {
        self.questions.remove(id);
    }

    fn note_progress(&mut self, params: &RawValue) {
        let Ok(Progress { token, value }) = serde_json::from_str(params.get()) else {
            return;
        };
        match value.kind.as_str() {
            "end" => self.progress.remove(token.get()),
            _ => self.progress.insert(token.get().to_owned()),
        };
    }

    /// Keeps account of a message of the host. `method` is JSON.
    pub(super) fn note(&mut self, method: &RawValue, params: &RawValue) {
        let marks = match method.get().trim_matches('"') {
            method::HUNKS => Marks::Hunks,
            DIAGNOSTICS => Marks::Diagnostics,
            PROGRESS => return self.note_progress(params),
            _ => return,
        };
        let Ok(params) = serde_json::from_str::<Params<'_>>(params.get()) else {
            return;
        };
        let file = (marks, params.uri);
        let marked = [&params.hunks, &params.comments, &params.diagnostics];
        if marked.iter().all(|marks| marks.is_empty()) {
            self.files.remove(&file);
        } else {
            self.files.insert(file, params.path);
        }
    }

    /// The messages that leave no mark behind.
    pub(super) fn take_back(&mut self) -> Vec<Vec<u8>> {
        let files = std::mem::take(&mut self.files).into_iter();
        let messages = files.map(|((marks, uri), path)| match marks {
            Marks::Hunks => notification(
                method::HUNKS,
                &json!({ "uri": uri, "path": path, "version": null, "revision": 0, "hunks": [] }),
            ),
            Marks::Diagnostics => {
                notification(DIAGNOSTICS, &json!({ "uri": uri, "diagnostics": [] }))
            }
        });
        let mut messages: Vec<Vec<u8>> = messages.collect();
        for token in std::mem::take(&mut self.progress) {
            let token: Value = serde_json::from_str(&token).unwrap_or_default();
            let end = json!({ "token": token, "value": { "kind": "end" } });
            messages.push(notification(PROGRESS, &end));
        }
        let questions = std::mem::take(&mut self.questions);
        let was_asked = !questions.is_empty();
        for id in questions {
            let id: Value = serde_json::from_str(&id).unwrap_or_default();
            messages.push(notification("$/cancelRequest", &json!({ "id": id })));
        }
        if was_asked {
            let ended = json!({ "type": WARNING, "message": QUESTION_ENDED });
            messages.push(notification("window/showMessage", &ended));
        }
        messages
    }
}

#[cfg(test)]
mod tests;
