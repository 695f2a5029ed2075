//! What a server says of its tools, in few letters: an approval holds as long as they stay the same.

use std::fmt::Write;
use std::sync::Arc;

use pollux_agent::{SERVER_FINGERPRINT, ServerTool, TOOL_FINGERPRINT};
use rmcp::model::Tool;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Names the tool as its server describes it: words, schemas and hints.
pub(super) fn mark_tool(annotations: &mut Map<String, Value>, tool: &Tool) {
    let described = json!([
        tool.name,
        tool.title,
        tool.description,
        tool.input_schema,
        tool.output_schema,
        tool.annotations,
    ]);
    let fingerprint = Value::from(of(&described.to_string()));
    annotations.insert(TOOL_FINGERPRINT.to_owned(), fingerprint);
}

/// Names all tools of the server in each of them, for an approval of every tool.
pub(super) fn mark_server(tools: &mut [Arc<ServerTool>]) {
    let mut each: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool.annotations.get(TOOL_FINGERPRINT)?.as_str())
        .collect();
    each.sort_unstable();
    let fingerprint = of(&each.join(" "));
    for tool in tools.iter_mut().filter_map(Arc::get_mut) {
        let all = Value::from(fingerprint.as_str());
        tool.annotations.insert(SERVER_FINGERPRINT.to_owned(), all);
    }
}

fn of(text: &str) -> String {
    let mut letters = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _writing_text_succeeds = write!(letters, "{byte:02x}");
    }
    letters
}
