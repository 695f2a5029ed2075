//! One file per method.
//!
//! A method whose order matters is a plain function from its parameters to what the room is told;
//! `ordered` finds it by name. All others are async handlers.

use pollux_workspace::Input;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp::LspServiceBuilder;

use crate::connection::Connection;
use crate::protocol::method;
use crate::server::Server;
use crate::uri;

mod base_text;
pub(crate) mod code_action;
pub(crate) mod code_lens;
mod did_change;
mod did_change_watched_files;
mod did_change_workspace_folders;
mod did_close;
mod did_open;
mod did_rename_files;
mod did_save;
mod document;
mod editor_answer;
mod editor_state;
pub(crate) mod execute_command;
pub(crate) mod initialize;
pub(crate) mod initialized;
mod messages_lost;
mod progress;
mod review;
mod session;
mod snapshot;
mod turn_files;
mod turn_text;

pub(crate) use did_change::Change;
pub(crate) use messages_lost::METHOD as MESSAGES_LOST;
pub(crate) use progress::Progress;
pub(crate) use session::Following;
pub(crate) use session::{SESSION_RESTORE, SessionRestoreParams};

/// Turns the parameters of a notification into what the room is told, if anything.
pub(crate) type OrderedMethod = fn(&Connection, Value) -> Result<Option<Input>, serde_json::Error>;

pub(crate) fn ordered(method: &str) -> Option<OrderedMethod> {
    Some(match method {
        "textDocument/didOpen" => did_open::read,
        "textDocument/didChange" => did_change::read,
        "textDocument/didSave" => did_save::read,
        "textDocument/didClose" => did_close::read,
        "workspace/didChangeWorkspaceFolders" => did_change_workspace_folders::read,
        "workspace/didRenameFiles" => did_rename_files::read,
        "workspace/didChangeWatchedFiles" => did_change_watched_files::read,
        "window/workDoneProgress/cancel" => progress::read_cancel,
        method::EDITOR_STATE => editor_state::read,
        method::EDITOR_ANSWER => editor_answer::read,
        messages_lost::METHOD => messages_lost::read,
        _ => return None,
    })
}

/// What a request says of where the person is.
pub(crate) type Observed = fn(&Connection, &Value) -> Option<Input>;

pub(crate) fn observed(method: &str) -> Option<Observed> {
    match method {
        "textDocument/codeAction" => Some(code_action::observe),
        _ => None,
    }
}

/// Adds the methods that tower-lsp does not know.
pub(crate) fn register(builder: LspServiceBuilder<Server>) -> LspServiceBuilder<Server> {
    builder
        .custom_method(method::SNAPSHOT, snapshot::handle)
        .custom_method(method::DOCUMENT, document::handle)
        .custom_method(method::REVIEW, review::list::handle)
        .custom_method(method::SESSION_START, session::start::handle)
        .custom_method(method::SESSION_RESUME, session::resume::handle)
        .custom_method(method::SESSION_LIST, session::list::handle)
        .custom_method(method::SESSION_DELETE, session::delete::handle)
        .custom_method(method::SESSION_RENAME, session::rename::handle)
        .custom_method(method::SESSION_FOLLOW, session::follow::handle)
        .custom_method(method::SESSION_UNFOLLOW, session::follow::stop)
        .custom_method(SESSION_RESTORE, session::restore::handle)
        .custom_method(method::PROMPT_QUEUE, session::prompt::queue)
        .custom_method(method::PROMPT_STEER, session::prompt::steer)
        .custom_method(
            method::PROMPT_ATTACHMENTS,
            session::prompt_attachments::handle,
        )
        .custom_method(method::PROMPT_UNQUEUE, session::queue::remove)
        .custom_method(method::PROMPT_EDIT, session::queue::edit)
        .custom_method(method::PROMPT_MOVE, session::queue::shift)
        .custom_method(method::QUEUE_RELEASE, session::queue::release)
        .custom_method(method::TURN_CANCEL, session::turn_cancel::handle)
        .custom_method(method::RETRY_NOW, session::retry_now::handle)
        .custom_method(method::CALL_STOP, session::call_stop::handle)
        .custom_method(method::EDIT_DECIDE, session::edit_decide::handle)
        .custom_method(method::APPROVAL_ANSWER, session::approval_answer::handle)
        .custom_method(method::MODE_SET, session::mode_set::handle)
        .custom_method(method::MODEL_LIST, session::model_list::handle)
        .custom_method(method::MODEL_SET, session::model_set::handle)
        .custom_method(method::TOOL_OUTPUT, session::tool_output::handle)
        .custom_method(method::CONTEXT_SHOW, session::context_show::handle)
        .custom_method(method::COMMAND_LIST, session::command_list::handle)
        .custom_method(method::MENTION_SEARCH, session::mention_search::handle)
        .custom_method(method::BASE_TEXT, base_text::handle)
        .custom_method(method::TURN_FILES, turn_files::handle)
        .custom_method(method::TURN_TEXT, turn_text::handle)
}

/// Makes a request readable for the strict types of the library. They refuse URIs that editors do use, and `null` for
/// no arguments.
pub(crate) fn make_readable(method: &str, params: &mut Value) {
    match method {
        "initialize" => initialize::escape_roots(params),
        "textDocument/codeAction" | "textDocument/codeLens" => {
            if let Some(Value::String(uri)) = params.pointer_mut("/textDocument/uri") {
                *uri = uri::escaped(uri);
            }
        }
        "workspace/executeCommand" => {
            if let Some(params) = params.as_object_mut()
                && params.get("arguments").is_some_and(Value::is_null)
            {
                params.remove("arguments");
            }
        }
        _ => {}
    }
}

fn parse<T: DeserializeOwned>(params: Value) -> Result<T, serde_json::Error> {
    serde_json::from_value(params)
}
