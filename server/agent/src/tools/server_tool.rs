//! A tool of a server: called through whoever knows the server, its result marked as somebody else's words.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{Part, ToolDeclaration};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::run_shell_command::cut_text;
use super::server_tools::Means;
use super::shell_setup::ShellSetup;
use super::tool::Waiting;
use super::toolset::WAIT_FOR_PREVIOUS;
use super::{Desk, ErrorKind, Tool, ToolError, ToolOutput};
use crate::{CallEvent, ServerContent, ServerResult, ServerTool, ServerVerdict};

/// Of what a server tells while it works. What nobody has looked at by then is left out.
const WAITING_EVENTS: usize = 16;
/// Bytes that a result may have in all, with whatever its pieces add up to.
const LONGEST_RESULT: usize = 1_000_000;
/// Characters of what a server says about a call that failed, and of the call.
const LONGEST_ERROR: usize = 20_000;
/// Letters of images and the like in one result.
const LARGEST_DATA: usize = 20 * 1024 * 1024;
/// Characters of a summary for the person.
const LONGEST_SUMMARY: usize = 2_000;

pub(super) struct OutsideTool {
    pub(super) tool: Arc<ServerTool>,
    pub(super) means: Means,
}

impl Tool for OutsideTool {
    fn name(&self) -> &str {
        &self.tool.name
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: self.tool.name.clone(),
            description: self.tool.description.clone(),
            parameters: self.tool.parameters.clone(),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let ServerTool { tool, server, .. } = &*self.tool;
        match args.get("command").and_then(Value::as_str) {
            Some(command) => command.to_owned(),
            None => format!("{tool} ({server} MCP Server)"),
        }
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn outside(&self) -> Option<&Arc<ServerTool>> {
        Some(&self.tool)
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let result = self.call(desk).await?;
            match result.verdict {
                ServerVerdict::Fine => Ok(self.output(desk, result).await),
                ServerVerdict::Error => Err(self.error(desk, &result)),
            }
        }
        .boxed()
    }
}

impl OutsideTool {
    async fn call(&self, desk: &Desk<'_>) -> Result<ServerResult, ToolError> {
        // The server has never heard of it.
        let mut args = desk.call.args.clone();
        args.shift_remove(WAIT_FOR_PREVIOUS);
        let (events, mut happening) = mpsc::channel(WAITING_EVENTS);
        let mut calling = self.means.servers.call(&self.tool, &args, events);
        let watched = async {
            loop {
                tokio::select! {
                    biased;
                    Some(event) = happening.recv() => self.hear(desk, event).await?,
                    result = &mut calling => {
                        // What was told before the result is shown before it.
                        while let Ok(event) = happening.try_recv() {
                            self.hear(desk, event).await?;
                        }
                        return result.map_err(|failure| {
                            ToolError::new(ErrorKind::Server, failure.to_string())
                        });
                    }
                }
            }
        };
        desk.or_cancelled(watched).await?
    }

    async fn hear(&self, desk: &Desk<'_>, event: CallEvent) -> Result<(), ToolError> {
        match event {
            CallEvent::Progressed(progress) => desk.progress(progress).await,
            CallEvent::Asked {
                message,
                questions,
                answer,
            } => {
                let reason = format!("the MCP server {} asks: {message}", self.tool.server);
                let replies = desk.ask(reason, questions).await?;
                // The server may not want to know any more.
                let _gone = answer.send(replies);
            }
        }
        Ok(())
    }

    async fn output(&self, desk: &Desk<'_>, result: ServerResult) -> ToolOutput {
        let content = self.shortened(desk, result.content).await;
        let summary = summary(&content);
        let mut told = String::new();
        let mut attachments = Vec::new();
        let mut data = 0;
        for piece in content {
            let room = LONGEST_RESULT.saturating_sub(told.len());
            let text = match piece {
                ServerContent::Text(text) => desk.untrusted(&capped(text, room)),
                ServerContent::Link { title, uri } => {
                    let link = format!("Resource Link: {title} at {uri}");
                    desk.untrusted(&capped(link, room))
                }
                ServerContent::Unknown(_) => continue,
                ServerContent::Data { note, part, .. } => {
                    data += size(&part);
                    match data <= LARGEST_DATA {
                        true => {
                            attachments.push(part);
                            note
                        }
                        false => format!("{note} It is left out, because it is too large."),
                    }
                }
            };
            if room == 0 {
                break;
            }
            if !told.is_empty() {
                told.push('\n');
            }
            told.push_str(&text);
        }
        ToolOutput {
            attachments,
            ..ToolOutput::text(told, summary)
        }
    }

    /// One text alone may be long: it is put where the model can read it piece by piece.
    async fn shortened(&self, desk: &Desk<'_>, content: Vec<ServerContent>) -> Vec<ServerContent> {
        let longest = self.means.longest_output;
        let [ServerContent::Text(text)] = content.as_slice() else {
            return content;
        };
        if longest == 0 || text.chars().count() <= longest {
            return content;
        }
        let file = match &self.means.scratch {
            Some(scratch) => {
                let name = ShellSetup::output_name(self.name(), desk.call.id.as_str());
                let written = scratch.write(&name, text).await;
                written.ok().map(|path| path.display().to_string())
            }
            None => None,
        };
        vec![ServerContent::Text(cut_text(
            text,
            longest,
            file.as_deref(),
        ))]
    }

    fn error(&self, desk: &Desk<'_>, result: &ServerResult) -> ToolError {
        let tool = &self.tool.tool;
        let said = capped(texts(&result.content), LONGEST_ERROR);
        let told = format!(
            "MCP tool '{tool}' reported an error. It was called with {} and answered:\n{}",
            capped(
                Value::Object(desk.call.args.clone()).to_string(),
                LONGEST_ERROR
            ),
            desk.untrusted(&said),
        );
        ToolError::new(ErrorKind::Server, told).shown_as(format!(
            "Error: MCP tool '{tool}' reported an error. {}",
            shown(&said)
        ))
    }
}

fn texts(content: &[ServerContent]) -> String {
    let texts = content.iter().filter_map(|piece| match piece {
        ServerContent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What the person sees of a result.
fn summary(content: &[ServerContent]) -> String {
    let lines = content.iter().map(|piece| match piece {
        ServerContent::Text(text) => text.clone(),
        ServerContent::Data { shown, .. } => shown.clone(),
        ServerContent::Link { title, uri } => format!("[Link to {title}: {uri}]"),
        ServerContent::Unknown(kind) => format!("[Unknown content type: {kind}]"),
    });
    shown(&lines.collect::<Vec<_>>().join("\n"))
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SUMMARY) {
        Some((cut, _)) => format!("{}...", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// As much of a text as there is room for.
fn capped(mut text: String, room: usize) -> String {
    if text.len() > room {
        text.truncate(text.floor_char_boundary(room));
        text.push_str("... [truncated]");
    }
    text
}

fn size(part: &Part) -> usize {
    match part {
        Part::InlineData(data) => data.data.len(),
        _ => 0,
    }
}
