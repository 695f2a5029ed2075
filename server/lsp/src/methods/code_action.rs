//! `textDocument/codeAction`: the review for clients that have no plugin.

use pollux_workspace::{DocumentKey, FileReview, HunkState, Input, Reviews, ShownHunk};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOptions, CodeActionOrCommand,
    CodeActionParams, CodeActionResponse, Command, Diagnostic, Range, WorkDoneProgressOptions,
};

use crate::connection::Connection;
use crate::protocol::{self, command_name as command};
use crate::reviewing::is_pending;
use crate::server::Server;
use crate::uri::document_key;

#[cfg(test)]
mod tests;

/// Below this are the kinds of all actions that are not about one hunk.
const SOURCE: &str = "source.pollux";

pub(super) fn options() -> CodeActionOptions {
    CodeActionOptions {
        code_action_kinds: Some(vec![
            CodeActionKind::QUICKFIX,
            CodeActionKind::from(SOURCE.to_owned()),
        ]),
        work_done_progress_options: WorkDoneProgressOptions::default(),
        resolve_provider: Some(false),
    }
}

/// Clients ask what can be done where their cursor is, whenever it moves. Those that ask for actions of one kind do so
/// before they save or format, and mean the whole file.
pub(super) fn observe(connection: &Connection, params: &Value) -> Option<Input> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        text_document: Identifier,
        range: protocol::Range,
        #[serde(default)]
        context: Context,
    }
    #[derive(Deserialize)]
    struct Identifier {
        uri: String,
    }
    #[derive(Default, Deserialize)]
    struct Context {
        only: Option<Vec<String>>,
    }
    let asked = Params::deserialize(params).ok()?;
    if asked.context.only.is_some_and(|only| !only.is_empty()) {
        return None;
    }
    let uri = asked.text_document.uri;
    Some(Input::AskedAbout {
        door: connection.door,
        key: document_key(&uri),
        uri,
        range: asked.range.into(),
    })
}

pub(crate) async fn handle(
    server: &Server,
    params: CodeActionParams,
) -> Result<Option<CodeActionResponse>> {
    let connection = &server.connection;
    let snapshot = connection.snapshot(None).await?;
    let asked = Asked {
        uri: params.text_document.uri.as_str(),
        key: document_key(params.text_document.uri.as_str()),
        range: params.range,
        context: &params.context,
    };
    let actions = offered(&snapshot.reviews, &asked);
    if actions.is_empty() {
        return Ok(None);
    }
    let literal = connection.traits().takes_code_actions;
    let put = |action: CodeAction| match (literal, action.command) {
        // An older client takes commands and nothing around them.
        (false, Some(command)) => CodeActionOrCommand::Command(command),
        (_, command) => CodeActionOrCommand::CodeAction(CodeAction { command, ..action }),
    };
    Ok(Some(actions.into_iter().map(put).collect()))
}

/// What the client wants actions for.
struct Asked<'a> {
    uri: &'a str,
    key: DocumentKey,
    range: Range,
    context: &'a CodeActionContext,
}

/// The actions for a place, those for the hunks under it first.
fn offered(reviews: &Reviews, asked: &Asked<'_>) -> Vec<CodeAction> {
    let file = reviews
        .files
        .get(&asked.key)
        .filter(|file| is_pending(file));
    let mut actions = match file {
        Some(file) => {
            let mut actions = for_hunks(file, asked);
            actions.extend(for_file(asked));
            actions.extend(for_everything());
            actions
        }
        // Nothing is pending here. Only somebody who asks for our own kinds wants to hear of other files.
        None if asks_for_ours(asked.context) && anything(reviews) => for_everything(),
        None if asks_for_ours(asked.context) => Vec::new(),
        None => return Vec::new(),
    };
    if anything(reviews) {
        actions.extend(for_going(asked));
    }
    if reviews.undo.is_some() {
        let kind = source("undo");
        let title = "Pollux: Undo the last decision";
        actions.push(action(title, kind, command::REVIEW_UNDO, json!({})));
    }
    actions.retain(|action| is_wanted(action, asked.context));
    actions
}

fn for_hunks(file: &FileReview, asked: &Asked<'_>) -> Vec<CodeAction> {
    let touched: Vec<_> = file
        .hunks
        .iter()
        .enumerate()
        .filter(|(_, hunk)| touches(hunk, asked.range))
        .collect();
    let mut actions = Vec::new();
    for (index, hunk) in &touched {
        let argument = json!({ "uri": asked.uri, "revision": file.revision, "index": index });
        // Several hunks under one selection must not look the same.
        let which = match touched.len() {
            1 => "this hunk".to_owned(),
            _ => format!("the hunk in line {}", hunk.lines.start + 1),
        };
        let choices = match hunk.state {
            HunkState::Conflict => [
                (
                    format!("Pollux: Keep my version of {which}"),
                    command::CONFLICT_MINE,
                ),
                (
                    format!("Pollux: Take Pollux's version of {which}"),
                    command::CONFLICT_THEIRS,
                ),
            ],
            HunkState::Pending | HunkState::Edited | HunkState::Proposed => [
                (format!("Pollux: Keep {which}"), command::HUNK_KEEP),
                (format!("Pollux: Reject {which}"), command::HUNK_REJECT),
            ],
        };
        for (title, name) in choices {
            let mut action = action(&title, CodeActionKind::QUICKFIX, name, argument.clone());
            action.diagnostics = ours(asked.context, hunk);
            actions.push(action);
        }
    }
    actions
}

fn for_file(asked: &Asked<'_>) -> Vec<CodeAction> {
    let argument = json!({ "uri": asked.uri });
    vec![
        action(
            "Pollux: Keep all in this file",
            source("keepFile"),
            command::FILE_KEEP,
            argument.clone(),
        ),
        action(
            "Pollux: Reject all in this file",
            source("rejectFile"),
            command::FILE_REJECT,
            argument,
        ),
    ]
}

fn for_everything() -> Vec<CodeAction> {
    vec![
        action(
            "Pollux: Keep everything",
            source("keepAll"),
            command::ALL_KEEP,
            json!({}),
        ),
        action(
            "Pollux: Reject everything",
            source("rejectAll"),
            command::ALL_REJECT,
            json!({}),
        ),
    ]
}

fn for_going(asked: &Asked<'_>) -> Vec<CodeAction> {
    let argument = json!({ "uri": asked.uri, "line": asked.range.start.line });
    vec![
        action(
            "Pollux: Next pending hunk",
            source("next"),
            command::HUNK_NEXT,
            argument.clone(),
        ),
        action(
            "Pollux: Previous pending hunk",
            source("previous"),
            command::HUNK_PREVIOUS,
            argument,
        ),
    ]
}

fn anything(reviews: &Reviews) -> bool {
    reviews.files.values().any(|file| is_pending(file))
}

fn action(title: &str, kind: CodeActionKind, name: &str, argument: Value) -> CodeAction {
    CodeAction {
        title: title.to_owned(),
        kind: Some(kind),
        command: Some(Command {
            title: title.to_owned(),
            command: name.to_owned(),
            arguments: Some(vec![argument]),
        }),
        ..CodeAction::default()
    }
}

fn source(name: &str) -> CodeActionKind {
    CodeActionKind::from(format!("{SOURCE}.{name}"))
}

/// Whether a hunk lies under the range. Removed lines are found from the lines on either side of the gap.
fn touches(hunk: &ShownHunk, range: Range) -> bool {
    let first = range.start.line as usize;
    // A selection of whole lines ends at the start of the next one, which is not meant.
    let last = match range.end.character == 0 && range.end.line > range.start.line {
        true => range.end.line as usize - 1,
        false => range.end.line as usize,
    };
    match hunk.lines.is_empty() {
        true => first <= hunk.lines.start && hunk.lines.start <= last + 1,
        false => first < hunk.lines.end && hunk.lines.start <= last,
    }
}

/// The client's own diagnostics of this hunk, so that it can offer the action right beside them.
fn ours(context: &CodeActionContext, hunk: &ShownHunk) -> Option<Vec<Diagnostic>> {
    let of_hunk = |diagnostic: &&Diagnostic| {
        diagnostic.source.as_deref() == Some("pollux")
            && diagnostic.range.start.line as usize == hunk.lines.start
    };
    let found: Vec<_> = context
        .diagnostics
        .iter()
        .filter(of_hunk)
        .cloned()
        .collect();
    (!found.is_empty()).then_some(found)
}

fn is_wanted(action: &CodeAction, context: &CodeActionContext) -> bool {
    let (Some(only), Some(kind)) = (&context.only, &action.kind) else {
        return true;
    };
    only.iter()
        .any(|wanted| is_below(kind.as_str(), wanted.as_str()))
}

fn asks_for_ours(context: &CodeActionContext) -> bool {
    let only = context.only.as_deref().unwrap_or_default();
    only.iter().any(|wanted| is_below(wanted.as_str(), SOURCE))
}

/// Kinds are paths with dots; an empty one holds all others.
fn is_below(kind: &str, parent: &str) -> bool {
    parent.is_empty()
        || kind
            .strip_prefix(parent)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
