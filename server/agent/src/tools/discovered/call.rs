use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value};

use super::{OUTPUT_LIMIT, PREFIX};
use crate::tools::tool::Waiting;
use crate::tools::toolset::WAIT_FOR_PREVIOUS;
use crate::tools::{Desk, ErrorKind, Tool, ToolError, ToolOutput};
use crate::{Completeness, Program, Programs, Ran};

/// Characters of an output that a model is shown.
const LONGEST_OUTPUT: usize = 1_000_000;

/// One tool of the project.
pub(super) struct DiscoveredTool {
    name: String,
    declared: ToolDeclaration,
    /// The call command, then the name that the program knows.
    argv: Vec<String>,
    programs: Arc<dyn Programs>,
}

impl DiscoveredTool {
    pub(super) fn new(
        declared: ToolDeclaration,
        mut argv: Vec<String>,
        programs: Arc<dyn Programs>,
    ) -> Self {
        argv.push(declared.name.clone());
        Self {
            name: format!("{PREFIX}{}", declared.name),
            declared,
            argv,
            programs,
        }
    }
}

impl Tool for DiscoveredTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: self.name.clone(),
            ..self.declared.clone()
        }
    }

    fn title(&self, _: &Map<String, Value>) -> String {
        format!("{} (of the project)", self.declared.name)
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            if self.argv.len() < 2 {
                let told = "the project declares this tool but has no `tools.callCommand`";
                return Err(ToolError::new(ErrorKind::Discovered, told));
            }
            // The program has never heard of it.
            let mut args = desk.call.args.clone();
            args.shift_remove(WAIT_FOR_PREVIOUS);
            let input = Value::Object(args).to_string();
            let running = self.programs.run(Program {
                argv: &self.argv,
                folder: &desk.config.root,
                input: &input,
                output_limit: OUTPUT_LIMIT,
                variables: None,
                time_limit: None,
            });
            let ran = match desk.or_cancelled(running).await? {
                Ok(ran) => ran,
                Err(error) => {
                    return Err(failed(desk, &Ran::default(), Some(error.to_string())));
                }
            };
            let overflow = (ran.output == Completeness::Cut)
                .then(|| format!("it printed more than {OUTPUT_LIMIT} bytes"));
            if overflow.is_some() || ran.code != Some(0) || !ran.stderr.is_empty() {
                return Err(failed(desk, &ran, overflow));
            }
            let told = desk.untrusted(&shortened(&ran.stdout));
            Ok(ToolOutput::text(told, "done"))
        }
        .boxed()
    }
}

/// Everything that is known about a call that went wrong, a line each.
fn failed(desk: &Desk<'_>, ran: &Ran, error: Option<String>) -> ToolError {
    let or_empty = |text: &str| match text.is_empty() {
        true => "(empty)".to_owned(),
        false => desk.untrusted(&shortened(text)),
    };
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "(none)".to_owned());
    let told = format!(
        "Stdout: {}\nStderr: {}\nError: {}\nExit Code: {}\nSignal: {}",
        or_empty(&ran.stdout),
        or_empty(&ran.stderr),
        or_none(error.clone()),
        or_none(ran.code.map(|code| code.to_string())),
        or_none(ran.signal.map(|signal| signal.to_string())),
    );
    let first_line = ran.stderr.lines().next().map(str::to_owned);
    let shown = error
        .or(first_line)
        .unwrap_or_else(|| "the program ended badly".to_owned());
    ToolError::new(ErrorKind::Discovered, told).shown_as(shown)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_OUTPUT) {
        Some((cut, _)) => format!("{}... [truncated]", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}
