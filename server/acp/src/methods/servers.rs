//! MCP servers that a client gives a session, in the words of settings.

use agent_client_protocol_schema::v1::{EnvVariable, Error, HttpHeader, McpServer};
use serde_json::{Map, Value, json};

use crate::failure::invalid;

pub(super) fn entries(servers: &[McpServer]) -> Result<Map<String, Value>, Error> {
    servers.iter().map(entry).collect()
}

fn entry(server: &McpServer) -> Result<(String, Value), Error> {
    Ok(match server {
        McpServer::Stdio(server) => {
            let entry = json!({
                "command": server.command,
                "args": server.args,
                "env": variables(&server.env),
            });
            (server.name.clone(), entry)
        }
        McpServer::Http(server) => {
            let entry = json!({ "httpUrl": server.url, "headers": headers(&server.headers) });
            (server.name.clone(), entry)
        }
        McpServer::Sse(server) => {
            let entry =
                json!({ "url": server.url, "type": "sse", "headers": headers(&server.headers) });
            (server.name.clone(), entry)
        }
        _ => return Err(invalid("this kind of MCP server is not known here")),
    })
}

fn variables(variables: &[EnvVariable]) -> Map<String, Value> {
    let pair = |one: &EnvVariable| (one.name.clone(), Value::from(one.value.as_str()));
    variables.iter().map(pair).collect()
}

fn headers(headers: &[HttpHeader]) -> Map<String, Value> {
    let pair = |one: &HttpHeader| (one.name.clone(), Value::from(one.value.as_str()));
    headers.iter().map(pair).collect()
}
