//! `invoke_agent`: a job is done by a sub-agent, which has a conversation of its own.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use pollux_policy::ApprovalMode;
use serde_json::{Map, Value, json};

use super::tool::Waiting;
use super::{Desk, Tool, ToolError, ToolOutput};
use crate::agents::{AgentDefinition, Agents, Assignment};

pub(super) const NAME: &str = "invoke_agent";
/// Characters of a job that people are shown in one line.
const LONGEST_TITLE: usize = 100;

pub(super) struct InvokeAgent(pub(super) Arc<dyn Agents>);

impl InvokeAgent {
    fn agent(&self, args: &Map<String, Value>) -> Option<Arc<AgentDefinition>> {
        let name = args.get("agent_name")?.as_str()?;
        let mut agents = self.0.offered().into_iter();
        agents.find(|agent| agent.name == name)
    }
}

impl Tool for InvokeAgent {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Has a sub-agent do a job by itself. Returns its result.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "agent_name": {
                        "type": "string",
                        "description": "One of the available sub-agents.",
                    },
                    "prompt": {
                        "type": "string",
                        "description": "The whole job: the sub-agent knows nothing else of this conversation.",
                    },
                },
                "required": ["agent_name", "prompt"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let text = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default();
        let agent = self.agent(args);
        let name = agent.as_deref().map(AgentDefinition::shown_name);
        let name = name.unwrap_or_else(|| text("agent_name"));
        let job = text("prompt")
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty());
        let job: String = job
            .unwrap_or_default()
            .chars()
            .take(LONGEST_TITLE)
            .collect();
        match job.is_empty() {
            true => name.to_owned(),
            false => format!("{name}: {job}"),
        }
    }

    fn is_offered(&self, _: ApprovalMode) -> bool {
        !self.0.offered().is_empty()
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        if self.agent(&desk.call.args).is_some() {
            return Ok(());
        }
        let wanted = desk.params().string("agent_name")?;
        let known = self.0.offered();
        let known: Vec<&str> = known.iter().map(|agent| agent.name.as_str()).collect();
        let told = format!(
            "Subagent '{wanted}' not found. There are: {}.",
            known.join(", ")
        );
        Err(ToolError::invalid(told))
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let job = desk.params().string("prompt")?;
            // It may have gone since the call was checked.
            let gone = || ToolError::invalid("that sub-agent is not there any more");
            let agent = self.agent(&desk.call.args).ok_or_else(gone)?;
            let assignment = Assignment {
                agents: &*self.0,
                agent: &agent,
                job,
            };
            assignment.carry_out(desk).await
        }
        .boxed()
    }
}
