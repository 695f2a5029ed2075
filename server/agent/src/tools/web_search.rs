//! `google_web_search`: a question that the model's own service answers from the web.

#[cfg(test)]
mod tests;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{Content, ModelError, ToolDeclaration};
use serde_json::{Map, Value, json};

use super::citations::{cited, counted};
use super::params::Params;
use super::{Desk, ErrorKind, Tool, ToolError, ToolOutput};
use crate::Voice;

pub(super) const NAME: &str = "google_web_search";

/// What the settings call the model that searches, and the tool that makes it search.
const ALIAS: &str = "web-search";
const SERVED_TOOL: &str = "googleSearch";

pub(super) struct WebSearch;

impl Tool for WebSearch {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Searches the web with Google. Returns an answer with its sources."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "What to look for." },
                },
                "required": ["query"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let query = Params::new(args).optional_string("query");
        format!("Search the web for {}", query.unwrap_or("nothing"))
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        match desk.params().string("query")?.trim() {
            "" => Err(ToolError::invalid("`query` must not be empty")),
            _ => Ok(()),
        }
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let query = desk.params().string("query")?;
            let failed = |error: ModelError| match error {
                ModelError::Cancelled => ToolError::cancelled(),
                error => ToolError::new(
                    ErrorKind::WebSearch,
                    format!("the web search for \"{query}\" failed: {error}"),
                ),
            };
            let voice = desk.config.voices.utility(ALIAS).map_err(failed)?;
            // Any model would answer; only one that searches answers from the web.
            if !serves(&voice, SERVED_TOOL) {
                let told = "the model that is set up cannot search the web";
                return Err(ToolError::new(ErrorKind::WebSearch, told));
            }
            let answering = desk.generate(ALIAS, voice, vec![Content::prompt(query)]);
            let answer = answering.await.map_err(failed)?;
            let text = answer.text();
            if text.trim().is_empty() {
                let told = format!("No search results or information found for query: \"{query}\"");
                return Ok(ToolOutput::text(told, "nothing found"));
            }
            let cited = cited(&text, &answer.grounding);
            Ok(ToolOutput::text(
                format!("Web search results for \"{query}\":\n\n{cited}"),
                counted(&answer.grounding.sources),
            ))
        }
        .boxed()
    }
}

/// Whether a model has this tool of its service.
pub(super) fn serves(voice: &Voice, tool: &str) -> bool {
    let tools = voice.generation.get("tools").and_then(Value::as_array);
    tools.is_some_and(|tools| tools.iter().any(|held| held.get(tool).is_some()))
}
