//! What a host has put on the editor's screen and a dead host cannot take away again.
//!
//! The next host knows what is pending, not what the editor still shows of the last one. So marks are taken back by
//! the door when a host dies; the next one sends what holds.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::memory::notification;
use crate::protocol::method;

const DIAGNOSTICS: &str = "textDocument/publishDiagnostics";

/// The files with marks, by the method that put them there and their URI.
#[derive(Default)]
pub(super) struct Shown {
    files: BTreeMap<(Marks, String), String>,
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

impl Shown {
    /// Keeps account of a message of the host. `method` is JSON.
    pub(super) fn note(&mut self, method: &RawValue, params: &RawValue) {
        let marks = match method.get().trim_matches('"') {
            method::HUNKS => Marks::Hunks,
            DIAGNOSTICS => Marks::Diagnostics,
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
        messages.collect()
    }
}

#[cfg(test)]
mod tests;
