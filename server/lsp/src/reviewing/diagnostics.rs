//! `textDocument/publishDiagnostics`, for clients that have nothing else to show a hunk with.
//!
//! A pending hunk is nothing that is wrong: its severity is *information*, whatever its state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pollux_text::PositionEncoding;
use pollux_workspace::{DocumentKey, DoorId, FileReview, ShownHunk, Snapshot};
use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::notification::Notification;

use super::place::{Opened, underlined};
use super::words;
use crate::protocol::Range;

/// `DiagnosticSeverity.Information`.
const INFORMATION: u8 = 3;

pub(super) struct PublishDiagnostics;

/// With types of our own: the library's refuse URIs that editors do use.
impl Notification for PublishDiagnostics {
    type Params = Params;
    const METHOD: &'static str = "textDocument/publishDiagnostics";
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Params {
    pub(super) uri: String,
    pub(super) diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Diagnostic {
    pub(super) range: Range,
    pub(super) severity: u8,
    pub(super) source: String,
    pub(super) message: String,
}

/// What a client has been told of each file.
#[derive(Default)]
pub(super) struct Picture {
    files: BTreeMap<DocumentKey, Told>,
}

struct Told {
    review: Arc<FileReview>,
    params: Params,
}

impl Picture {
    /// What the client does not know yet. It counts as told from here on.
    pub(super) fn news(
        &mut self,
        snapshot: &Snapshot,
        door: DoorId,
        again: &BTreeSet<DocumentKey>,
    ) -> Vec<Params> {
        let reviews = &snapshot.reviews.files;
        let encoding = snapshot
            .editors
            .get(&door)
            .map_or_else(PositionEncoding::default, |editor| editor.encoding);
        let mut news = Vec::new();
        let over = self.files.extract_if(.., |key, _| {
            reviews
                .get(key)
                .is_none_or(|review| review.hunks.is_empty())
        });
        news.extend(over.map(|(_, told)| nothing(told.params.uri)));
        for (key, review) in reviews
            .iter()
            .filter(|(_, review)| !review.hunks.is_empty())
        {
            let opened = Opened::of(snapshot, door, key);
            let told = self.files.get(key);
            let renamed = told.filter(|told| told.params.uri != opened.uri);
            if let Some(told) = told
                && renamed.is_none()
                && Arc::ptr_eq(&told.review, review)
                && !again.contains(key)
            {
                continue;
            }
            // The same file under another name: the old one must not stay marked.
            news.extend(renamed.map(|told| nothing(told.params.uri.clone())));
            let params = Params {
                uri: opened.uri,
                diagnostics: review
                    .hunks
                    .iter()
                    .map(|hunk| diagnostic(hunk, encoding))
                    .collect(),
            };
            // Typing inside a hunk makes another review of it and mostly the same words.
            if told.is_none_or(|told| told.params != params) || again.contains(key) {
                news.push(params.clone());
            }
            let review = Arc::clone(review);
            self.files.insert(key.clone(), Told { review, params });
        }
        news
    }
}

fn nothing(uri: String) -> Params {
    Params {
        uri,
        diagnostics: Vec::new(),
    }
}

fn diagnostic(hunk: &ShownHunk, encoding: PositionEncoding) -> Diagnostic {
    Diagnostic {
        range: underlined(hunk, encoding),
        severity: INFORMATION,
        source: "pollux".to_owned(),
        message: words::of(hunk),
    }
}
