//! Asks the client to watch the files under review, where it can: one that is not open may change behind its review.
//!
//! Only those, because an editor that watches everything reports every file a build writes.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use pollux_workspace::Snapshot;
use serde_json::{Value, json};
use tower_lsp::Client;
use tower_lsp::ls_types::request::{RegisterCapability, UnregisterCapability};
use tower_lsp::ls_types::{Registration, RegistrationParams, Unregistration, UnregistrationParams};
use tracing::debug;

use super::place::shown_path;
use crate::connection::Connection;
use crate::outbound;

const ID: &str = "pollux-reviewed";
const METHOD: &str = "workspace/didChangeWatchedFiles";

/// A turn that edits many files is one change of what is watched.
const PACE: Duration = Duration::from_secs(1);

/// Above so many files it costs an editor less to watch all of them.
const MOST: usize = 200;

/// Keeps the client watching what is under review.
pub(super) async fn run(connection: &Connection, client: &Client) {
    if !connection.traits().watches_files {
        return;
    }
    let mut watched = BTreeSet::new();
    while let Ok(mut moves) = connection.follow_reviews().await {
        loop {
            moves.mark_unchanged();
            let Ok(snapshot) = connection.snapshot(None).await else {
                return;
            };
            let wanted = patterns(&snapshot);
            drop(snapshot);
            if wanted != watched {
                watch(connection, client, &watched, &wanted).await;
                watched = wanted;
            }
            if moves.changed().await.is_err() {
                break;
            }
            tokio::time::sleep(PACE).await;
        }
    }
}

async fn watch(
    connection: &Connection,
    client: &Client,
    watched: &BTreeSet<String>,
    wanted: &BTreeSet<String>,
) {
    if !watched.is_empty() {
        let params = UnregistrationParams {
            unregisterations: vec![Unregistration {
                id: ID.to_owned(),
                method: METHOD.to_owned(),
            }],
        };
        if let Err(error) =
            outbound::request::<UnregisterCapability>(connection, client, params).await
        {
            debug!(%error, "the client goes on watching files");
        }
    }
    if wanted.is_empty() {
        return;
    }
    let watchers: Vec<Value> = wanted
        .iter()
        .map(|pattern| json!({ "globPattern": pattern }))
        .collect();
    let params = RegistrationParams {
        registrations: vec![Registration {
            id: ID.to_owned(),
            method: METHOD.to_owned(),
            register_options: Some(json!({ "watchers": watchers })),
        }],
    };
    if let Err(error) = outbound::request::<RegisterCapability>(connection, client, params).await {
        debug!(%error, "the client does not watch the files under review");
    }
}

fn patterns(snapshot: &Snapshot) -> BTreeSet<String> {
    let files = &snapshot.reviews.files;
    match files.len() {
        0..=MOST => files.values().map(|file| pattern(&file.path)).collect(),
        _ => BTreeSet::from(["**/*".to_owned()]),
    }
}

/// A pattern for one file. Characters that mean something in a pattern cannot be escaped in all editors, and any one
/// character stands for them too.
pub(super) fn pattern(path: &Path) -> String {
    let special = |character: char| match character {
        '*' | '?' | '[' | ']' | '{' | '}' | '!' | ',' | '\\' => '?',
        plain => plain,
    };
    let path: String = shown_path(path).chars().map(special).collect();
    format!("**/{}", path.trim_start_matches('/'))
}
