//! Tools that do as they are told.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, pending};
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};
use tokio::sync::Barrier;

use crate::tools::{Asks, Desk, ErrorKind, TailCall, Tool, ToolError, ToolOutput};

/// A tool for a test.
pub(crate) struct TestTool {
    pub(crate) name: &'static str,
    pub(crate) does: Does,
    pub(crate) log: Log,
}

/// What it does when it is run.
pub(crate) enum Does {
    Nothing,
    /// Waits until so many have come.
    Meet(Arc<Barrier>),
    /// Never ends.
    Hang,
    Fail,
    PanicWhenChecked,
    PanicWhenAsked,
    PanicAtOnce,
    PanicLater,
    /// Has another tool called instead.
    Pass(&'static str),
    /// Has itself called again, as often as its argument says.
    Chain,
}

/// Which tools have run, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn text(&self) -> String {
        self.0.lock().unwrap().join(", ")
    }

    fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl TestTool {
    pub(crate) fn new(name: &'static str, does: Does) -> Self {
        Self::logging(name, does, &Log::default())
    }

    pub(crate) fn logging(name: &'static str, does: Does, log: &Log) -> Self {
        let log = log.clone();
        Self { name, does, log }
    }

    async fn act(&self, desk: &Desk<'_>) -> Result<ToolOutput, ToolError> {
        match &self.does {
            Does::Meet(barrier) => {
                barrier.wait().await;
            }
            Does::Hang => desk.or_cancelled(pending()).await?,
            Does::Fail => return Err(ToolError::new(ErrorKind::ExecutionFailed, "it never works")),
            Does::PanicLater => panic!("a fault in a tool"),
            Does::Pass(name) => {
                return Ok(ToolOutput::tail(TailCall {
                    name: (*name).to_owned(),
                    args: desk.call.args.clone(),
                }));
            }
            Does::Chain => {
                if let Some(left) = desk.params().number("left").filter(|left| *left > 0) {
                    let args = json!({ "left": left - 1 }).as_object().unwrap().clone();
                    let name = self.name.to_owned();
                    return Ok(ToolOutput::tail(TailCall { name, args }));
                }
            }
            Does::Nothing | Does::PanicWhenChecked | Does::PanicWhenAsked | Does::PanicAtOnce => {}
        }
        Ok(ToolOutput::text(format!("{} is done", self.name), "done"))
    }
}

impl Tool for TestTool {
    fn name(&self) -> &str {
        self.name
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: self.name.to_owned(),
            description: "For a test.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "left": { "type": "integer", "minimum": 0 } },
            }),
        }
    }

    fn title(&self, _: &Map<String, Value>) -> String {
        format!("Try {}", self.name)
    }

    fn check(&self, _: &Desk<'_>) -> Result<(), ToolError> {
        match self.does {
            Does::PanicWhenChecked => panic!("a fault in a tool"),
            _ => Ok(()),
        }
    }

    fn asks<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<Asks, ToolError>> {
        if matches!(self.does, Does::PanicWhenAsked) {
            panic!("a fault in a tool");
        }
        let arguments = serde_json::to_string(&desk.call.args).unwrap();
        async { Ok(Asks::Person(crate::api::Subject::Other { arguments })) }.boxed()
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.log.add(format!("{} {}", self.name, desk.call.id));
        if matches!(self.does, Does::PanicAtOnce) {
            panic!("a fault in a tool");
        }
        self.act(desk).boxed()
    }
}
