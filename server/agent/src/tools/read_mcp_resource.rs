//! `read_mcp_resource`: what a server has under an address.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::run_shell_command::cut_text;
use super::server_tools::Means;
use super::tool::Waiting;
use super::{Desk, ErrorKind, Tool, ToolError, ToolOutput};
use crate::{Offering, ServerContent, ServerResource};

pub(super) const NAME: &str = "read_mcp_resource";

pub(super) struct ReadMcpResource(pub(super) Means);

impl Tool for ReadMcpResource {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description:
                "Reads a resource of an MCP server. `list_mcp_resources` says which there are."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "uri": { "type": "string", "description": "Its address, or `server:address`." },
                },
                "required": ["uri"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let uri = args.get("uri").and_then(Value::as_str);
        format!("Read {}", uri.unwrap_or("a resource"))
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let uri = desk.params().string("uri")?;
            let resource = self.0.servers.offering().resource(uri).ok_or_else(|| {
                ToolError::new(
                    ErrorKind::Server,
                    format!(
                        "There is no resource {uri}. `list_mcp_resources` says which there are."
                    ),
                )
            })?;
            let read = desk.or_cancelled(self.0.servers.read(&resource)).await?;
            let content =
                read.map_err(|failure| ToolError::new(ErrorKind::Server, failure.to_string()))?;
            let mut told = Vec::new();
            for piece in content {
                match piece {
                    ServerContent::Text(text) => {
                        let longest = self.0.longest_output;
                        let text = match longest > 0 && text.chars().count() > longest {
                            true => cut_text(&text, longest, None),
                            false => text,
                        };
                        told.push(desk.untrusted(&text));
                    }
                    ServerContent::Data { shown, .. } => told.push(shown),
                    ServerContent::Link { .. } | ServerContent::Unknown(_) => {}
                }
            }
            let summary = format!("{} of {}", resource.name, resource.server);
            Ok(ToolOutput::text(told.join("\n"), summary))
        }
        .boxed()
    }
}

impl Offering {
    /// The resource that `server:address` or a bare address means.
    pub(crate) fn resource(&self, named: &str) -> Option<Arc<ServerResource>> {
        let is_meant = |resource: &&Arc<ServerResource>| {
            let rest = named.strip_prefix(resource.server.as_str());
            resource.uri == named
                || rest.and_then(|rest| rest.strip_prefix(':')) == Some(&resource.uri)
        };
        self.resources.iter().find(is_meant).cloned()
    }
}
