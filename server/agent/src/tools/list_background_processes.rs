//! `list_background_processes`: what the session's commands have left running.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_exec::{BackgroundProcess, Exit};
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::shell_setup::ShellSetup;
use super::{Desk, Tool, ToolError, ToolOutput};

pub(super) struct ListBackgroundProcesses(pub(super) Arc<ShellSetup>);

impl Tool for ListBackgroundProcesses {
    fn name(&self) -> &str {
        "list_background_processes"
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: self.name().to_owned(),
            description: "Lists the commands of this session that run in the background."
                .to_owned(),
            parameters: json!({ "type": "object", "properties": {} }),
        }
    }

    fn title(&self, _: &Map<String, Value>) -> String {
        "List background commands".to_owned()
    }

    fn run<'a>(&'a self, _: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let processes = self.0.background.lock().await.list();
            let lines: Vec<String> = processes.iter().map(line).collect();
            let summary = match lines.len() {
                1 => "1 command".to_owned(),
                several => format!("{several} commands"),
            };
            let told = match lines.is_empty() {
                true => "No background processes.".to_owned(),
                false => lines.join("\n"),
            };
            Ok(ToolOutput::text(told, summary))
        }
        .boxed()
    }
}

fn line(process: &BackgroundProcess) -> String {
    let state = match process.ended.as_deref().map(|ended| ended.exit) {
        None => "running".to_owned(),
        Some(Exit::Code(code)) => format!("ended with exit code {code}"),
        Some(Exit::Signal(signal)) => format!("ended by signal {signal}"),
        Some(Exit::TimedOut | Exit::Killed | Exit::Lost) => "ended".to_owned(),
    };
    format!("[PID {}] {state}: {}", process.id, process.command)
}
