//! `read_background_output`: the last lines of a command in the background.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::shell_setup::ShellSetup;
use super::{Desk, ErrorKind, Tool, ToolError, ToolOutput};

const LINES: usize = 100;
const LONGEST_DELAY: usize = 60_000;

pub(super) struct ReadBackgroundOutput(pub(super) Arc<ShellSetup>);

impl Tool for ReadBackgroundOutput {
    fn name(&self) -> &str {
        "read_background_output"
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: self.name().to_owned(),
            description: "Reads the last lines that a background command of this session printed."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pid": { "type": "integer", "minimum": 1 },
                    "lines": { "type": "integer", "minimum": 1, "description": "100 if left out." },
                    "delay_ms": { "type": "integer", "minimum": 0, "description": "Wait so long before reading." },
                },
                "required": ["pid"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let pid = args.get("pid").map(Value::to_string);
        format!("Read the output of {}", pid.unwrap_or_default())
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let params = desk.params();
            let pid = params.number("pid").unwrap_or_default();
            let lines = params.number("lines").unwrap_or(LINES);
            let delay = params.number("delay_ms").unwrap_or_default().min(LONGEST_DELAY);
            let delay = Duration::from_millis(u64::try_from(delay).unwrap_or_default());
            desk.or_cancelled(tokio::time::sleep(delay)).await?;
            let background = self.0.background.lock().await;
            let read = u32::try_from(pid).ok().and_then(|pid| background.read(pid, lines));
            let Some(text) = read else {
                let told = format!(
                    "no background command of this session has the PID {pid}; list_background_processes tells which \
                     there are"
                );
                return Err(ToolError::new(ErrorKind::ExecutionFailed, told));
            };
            let summary = format!("{} lines", text.lines().count());
            Ok(ToolOutput::text(desk.untrusted(&text), summary))
        }
        .boxed()
    }
}
