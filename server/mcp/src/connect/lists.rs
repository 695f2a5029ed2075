//! The lists of a server, entry by entry: one that cannot be read must not cost the others.
//!
//! The library reads a list as a whole or not at all. Where it gives up, the same list is asked for once more and taken
//! apart here.

#[cfg(test)]
mod tests;

use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, JsonObject, ListPromptsRequest, ListResourcesRequest, ListToolsRequest,
    PaginatedRequestParams, Prompt, Resource, ServerResult, Tool,
};
use rmcp::service::{Peer, ServiceError};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// One page of a list.
#[derive(Debug)]
pub(super) struct Page<T> {
    pub(super) entries: Vec<T>,
    /// The names of entries that cannot be read, with the reason.
    pub(super) broken: Vec<(String, String)>,
    /// How to ask for the next page.
    pub(super) next: Option<String>,
}

type Answer<T> = Result<Page<T>, ServiceError>;
type At = Option<PaginatedRequestParams>;

pub(super) async fn tools(peer: &Peer<RoleClient>, at: At) -> Answer<Tool> {
    match peer.list_tools(at.clone()).await {
        Ok(read) => Ok(whole(read.tools, read.next_cursor)),
        Err(ServiceError::UnexpectedResponse) => {
            let request = ClientRequest::ListToolsRequest(ListToolsRequest {
                method: Default::default(),
                params: at,
                extensions: Default::default(),
            });
            asked_again(peer, request, "tools", tool).await
        }
        Err(error) => Err(error),
    }
}

pub(super) async fn prompts(peer: &Peer<RoleClient>, at: At) -> Answer<Prompt> {
    match peer.list_prompts(at.clone()).await {
        Ok(read) => Ok(whole(read.prompts, read.next_cursor)),
        Err(ServiceError::UnexpectedResponse) => {
            let request = ClientRequest::ListPromptsRequest(ListPromptsRequest {
                method: Default::default(),
                params: at,
                extensions: Default::default(),
            });
            asked_again(peer, request, "prompts", entry).await
        }
        Err(error) => Err(error),
    }
}

pub(super) async fn resources(peer: &Peer<RoleClient>, at: At) -> Answer<Resource> {
    match peer.list_resources(at.clone()).await {
        Ok(read) => Ok(whole(read.resources, read.next_cursor)),
        Err(ServiceError::UnexpectedResponse) => {
            let request = ClientRequest::ListResourcesRequest(ListResourcesRequest {
                method: Default::default(),
                params: at,
                extensions: Default::default(),
            });
            asked_again(peer, request, "resources", entry).await
        }
        Err(error) => Err(error),
    }
}

fn whole<T>(entries: Vec<T>, next: Option<String>) -> Page<T> {
    Page {
        entries,
        broken: Vec::new(),
        next,
    }
}

async fn asked_again<T>(
    peer: &Peer<RoleClient>,
    request: ClientRequest,
    key: &str,
    read: fn(Value) -> Result<T, String>,
) -> Answer<T> {
    match peer.send_request(request).await? {
        ServerResult::CustomResult(answer) => {
            apart(answer.0, key, read).ok_or(ServiceError::UnexpectedResponse)
        }
        _ => Err(ServiceError::UnexpectedResponse),
    }
}

/// Nothing where there is no list at all.
fn apart<T>(mut answer: Value, key: &str, read: fn(Value) -> Result<T, String>) -> Option<Page<T>> {
    let next = answer.get("nextCursor").and_then(Value::as_str);
    let next = next.map(str::to_owned);
    let Some(Value::Array(list)) = answer.get_mut(key).map(Value::take) else {
        return None;
    };
    let mut page = whole(Vec::new(), next);
    for entry in list {
        let name = entry.get("name").and_then(Value::as_str);
        let name = name.unwrap_or("(nameless)").to_owned();
        match read(entry) {
            Ok(entry) => page.entries.push(entry),
            Err(reason) => page.broken.push((name, reason)),
        }
    }
    Some(page)
}

fn entry<T: DeserializeOwned>(entry: Value) -> Result<T, String> {
    serde_json::from_value(entry).map_err(|error| error.to_string())
}

/// A tool without a schema takes nothing. Whatever else is wrong about it counts only if it is of use here.
fn tool(mut listed: Value) -> Result<Tool, String> {
    let mut field = |name: &str| listed.get_mut(name).map(Value::take).unwrap_or_default();
    let schema = match field("inputSchema") {
        Value::Null => JsonObject::new(),
        Value::Object(schema) => schema,
        _ => return Err("its schema is no object".to_owned()),
    };
    let Value::String(name) = field("name") else {
        return Err("it has no name".to_owned());
    };
    let mut kept = Map::from_iter([
        ("name".to_owned(), Value::String(name)),
        ("inputSchema".to_owned(), Value::Object(schema)),
    ]);
    if let description @ Value::String(_) = field("description") {
        kept.insert("description".to_owned(), description);
    }
    let annotations = field("annotations");
    if entry::<rmcp::model::ToolAnnotations>(annotations.clone()).is_ok() {
        kept.insert("annotations".to_owned(), annotations);
    }
    entry(Value::Object(kept))
}
