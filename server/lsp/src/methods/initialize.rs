//! `initialize`: what both sides can do, and which room this is.

use std::collections::BTreeSet;
use std::path::PathBuf;

use pollux_agent::api::Window;
use pollux_text::PositionEncoding;
use pollux_workspace::{CompanionWish, Door, QueryKind};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{
    ClientCapabilities, CodeActionProviderCapability, CodeLensOptions, ExecuteCommandOptions,
    InitializeParams, InitializeResult, OneOf, PositionEncodingKind, SaveOptions,
    ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use super::{code_action, did_rename_files, execute_command};
use crate::connection::{ClientTraits, Connection, Entered};
use crate::protocol::InitializationOptions;
use crate::uri;

pub(crate) fn handle(
    connection: &Connection,
    mut params: InitializeParams,
) -> Result<InitializeResult> {
    let encoding = agree_on_encoding(&params.capabilities);
    let client = traits_of(&params.capabilities);
    let queries = queries_of(&params.capabilities);
    let options = options_of(params.initialization_options.take());
    let companion = match options.companion.enabled {
        true => CompanionWish::Wanted,
        false => CompanionWish::NotWanted,
    };
    let editor = params
        .client_info
        .as_ref()
        .map(|client| client.name.as_str().into());
    let window = editor.clone().map(Window);
    let roots = roots(connection, params);
    let door = Door {
        id: connection.door,
        context: connection.context.clone(),
        encoding,
        editor,
        companion,
        queries,
        outbox: connection.outbox.clone(),
    };
    let entered = Entered {
        inbox: connection.host.rooms.enter(door, roots),
        window,
        client,
    };
    if connection.entered.set(entered).is_err() {
        return Err(Error::invalid_request());
    }
    Ok(InitializeResult {
        capabilities: capabilities(encoding, client),
        server_info: Some(ServerInfo {
            name: "pollux".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..InitializeResult::default()
    })
}

/// The folder a URI names. Links are resolved, so that one folder is one room however an editor
/// came to it.
pub(super) fn root(uri: &str) -> Option<PathBuf> {
    let path = uri::file_path(uri)?;
    Some(path.canonicalize().unwrap_or(path))
}

/// Makes the folders of the parameters readable for the strict types they are parsed into.
pub(super) fn escape_roots(params: &mut Value) {
    let escape = |uri: Option<&mut Value>| {
        if let Some(Value::String(uri)) = uri {
            *uri = uri::escaped(uri);
        }
    };
    escape(params.get_mut("rootUri"));
    let folders = params
        .get_mut("workspaceFolders")
        .and_then(Value::as_array_mut);
    for folder in folders.into_iter().flatten() {
        escape(folder.get_mut("uri"));
    }
}

fn roots(connection: &Connection, params: InitializeParams) -> Vec<PathBuf> {
    let folders = params.workspace_folders.unwrap_or_default();
    let mut roots: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| root(folder.uri.as_str()))
        .collect();
    if roots.is_empty() {
        // Older clients name one folder, and a client without any works where it was started.
        #[expect(deprecated, reason = "older clients send nothing else")]
        let old = params.root_uri.and_then(|uri| root(uri.as_str()));
        let folder = &connection.context.folder;
        roots.push(old.unwrap_or_else(|| folder.canonicalize().unwrap_or_else(|_| folder.clone())));
    }
    roots
}

/// What an editor says in another way than we know counts as not said.
fn options_of(said: Option<Value>) -> InitializationOptions {
    let options = said.and_then(|said| serde_json::from_value(said).ok());
    options.unwrap_or_default()
}

/// Bytes where the client can: they are what the text is made of. Else what it prefers.
fn agree_on_encoding(capabilities: &ClientCapabilities) -> PositionEncoding {
    let offered = capabilities
        .general
        .as_ref()
        .and_then(|general| general.position_encodings.as_deref())
        .unwrap_or_default();
    if offered.contains(&PositionEncodingKind::UTF8) {
        return PositionEncoding::Utf8;
    }
    match offered.iter().find_map(known) {
        Some(encoding) => encoding,
        None => PositionEncoding::Utf16,
    }
}

fn known(kind: &PositionEncodingKind) -> Option<PositionEncoding> {
    if *kind == PositionEncodingKind::UTF16 {
        Some(PositionEncoding::Utf16)
    } else if *kind == PositionEncodingKind::UTF32 {
        Some(PositionEncoding::Utf32)
    } else {
        None
    }
}

fn traits_of(capabilities: &ClientCapabilities) -> ClientTraits {
    let workspace = capabilities.workspace.as_ref();
    let text_document = capabilities.text_document.as_ref();
    ClientTraits {
        watches_files: workspace
            .and_then(|workspace| workspace.did_change_watched_files.as_ref())
            .and_then(|watched| watched.dynamic_registration)
            .unwrap_or_default(),
        shows_progress: capabilities
            .window
            .as_ref()
            .and_then(|window| window.work_done_progress)
            .unwrap_or_default(),
        resyncs: experimental(capabilities, "/pollux/resync"),
        approves: experimental(capabilities, "/pollux/approvals"),
        hunks: experimental(capabilities, "/pollux/hunks"),
        saves: experimental(capabilities, "/pollux/save"),
        applies_edits: workspace
            .and_then(|workspace| workspace.apply_edit)
            .unwrap_or_default(),
        versions_edits: workspace
            .and_then(|workspace| workspace.workspace_edit.as_ref())
            .and_then(|edit| edit.document_changes)
            .unwrap_or_default(),
        takes_code_actions: text_document
            .and_then(|text_document| text_document.code_action.as_ref())
            .is_some_and(|code_action| code_action.code_action_literal_support.is_some()),
        shows_lenses: text_document.is_some_and(|text_document| text_document.code_lens.is_some()),
        refreshes_lenses: workspace
            .and_then(|workspace| workspace.code_lens.as_ref())
            .and_then(|code_lens| code_lens.refresh_support)
            .unwrap_or_default(),
        asks_aside: experimental(capabilities, "/pollux/asides"),
        has_terminals: experimental(capabilities, "/pollux/companion"),
        shows_documents: capabilities
            .window
            .as_ref()
            .and_then(|window| window.show_document.as_ref())
            .is_some_and(|show_document| show_document.support),
    }
}

fn experimental(capabilities: &ClientCapabilities, pointer: &str) -> bool {
    let value = experimental_value(capabilities, pointer);
    value.and_then(Value::as_bool).unwrap_or_default()
}

fn experimental_value<'client>(
    capabilities: &'client ClientCapabilities,
    pointer: &str,
) -> Option<&'client Value> {
    let experimental = capabilities.experimental.as_ref()?;
    experimental.pointer(pointer)
}

/// What the client can be asked about code. What a later version offers is not for us.
fn queries_of(capabilities: &ClientCapabilities) -> BTreeSet<QueryKind> {
    let listed = experimental_value(capabilities, "/pollux/queries").and_then(Value::as_array);
    let names = listed.into_iter().flatten().filter_map(Value::as_str);
    let kinds = names.filter_map(|name| match name {
        "definition" => Some(QueryKind::Definition),
        "references" => Some(QueryKind::References),
        "rename" => Some(QueryKind::Rename),
        _ => None,
    });
    kinds.collect()
}

fn capabilities(encoding: PositionEncoding, client: ClientTraits) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(match encoding {
            PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
            PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
            PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                // The saved text brings a file back in step for clients that cannot resync.
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(true),
                })),
                ..TextDocumentSyncOptions::default()
            },
        )),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: Some(did_rename_files::wanted()),
        }),
        // A client with a plugin shows hunks in its own way, and nothing twice.
        code_action_provider: (!client.hunks)
            .then(|| CodeActionProviderCapability::Options(code_action::options())),
        code_lens_provider: (client.shows_lenses && !client.hunks).then_some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: execute_command::names(),
            work_done_progress_options: WorkDoneProgressOptions {
                work_done_progress: Some(true),
            },
        }),
        ..ServerCapabilities::default()
    }
}
