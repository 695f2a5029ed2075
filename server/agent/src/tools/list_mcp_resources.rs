//! `list_mcp_resources`: what servers let be read.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::tool::Waiting;
use super::{Desk, Tool, ToolError, ToolOutput};
use crate::{ServerResource, Servers};

pub(super) const NAME: &str = "list_mcp_resources";

/// A server may have any number of resources.
const MOST: usize = 500;

pub(super) struct ListMcpResources(pub(super) Arc<dyn Servers>);

impl Tool for ListMcpResources {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Lists the resources of MCP servers: what `read_mcp_resource` can read."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "serverName": { "type": "string", "description": "Only those of this server." },
                },
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        match args.get("serverName").and_then(Value::as_str) {
            Some(server) => format!("List the resources of {server}"),
            None => "List the resources of all servers".to_owned(),
        }
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let wanted = desk.params().optional_string("serverName");
            let offering = self.0.offering();
            let all: Vec<_> = offering
                .resources
                .iter()
                .filter(|resource| wanted.is_none_or(|wanted| resource.server == wanted))
                .collect();
            if all.is_empty() {
                return Ok(ToolOutput::text("There are no resources.", "none"));
            }
            let mut told: String = all
                .iter()
                .take(MOST)
                .map(|resource| line(resource))
                .collect();
            if let Some(more @ 1..) = all.len().checked_sub(MOST) {
                told.push_str(&format!("... and {more} more\n"));
            }
            let summary = format!("{} resources", all.len());
            Ok(ToolOutput::text(desk.untrusted(told.trim_end()), summary))
        }
        .boxed()
    }
}

fn line(resource: &ServerResource) -> String {
    let ServerResource {
        server,
        uri,
        name,
        description,
        mime_type,
    } = resource;
    let mut line = format!("- {server}: {uri} | {name}");
    for more in [mime_type, description].into_iter().flatten() {
        line.push_str(" | ");
        line.extend(
            more.chars()
                .take(200)
                .map(|letter| match letter.is_control() {
                    true => ' ',
                    false => letter,
                }),
        );
    }
    line.push('\n');
    line
}
