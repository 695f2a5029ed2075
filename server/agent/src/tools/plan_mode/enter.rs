//! `enter_plan_mode`: look around and write a plan before anything is changed.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use pollux_policy::ApprovalMode;
use serde_json::{Map, Value, json};

use super::super::params::Params;
use super::super::{Asks, Desk, Tool, ToolError, ToolOutput};
use super::PlansFolder;
use crate::api::Subject;

pub(super) const NAME: &str = "enter_plan_mode";

pub(in crate::tools) struct EnterPlanMode(pub(in crate::tools) PlansFolder);

impl Tool for EnterPlanMode {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Switches to plan mode, where you read and write a plan but change nothing else. For large \
                          or unclear tasks."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "reason": { "type": "string", "description": "Why, in one sentence for the person." },
                },
            }),
        }
    }

    fn title(&self, _: &Map<String, Value>) -> String {
        "Plan first".to_owned()
    }

    fn is_offered(&self, mode: ApprovalMode) -> bool {
        mode != ApprovalMode::Plan
    }

    fn asks<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<Asks, ToolError>> {
        let reason = Params::new(&desk.call.args).optional_string("reason");
        let reason = reason.unwrap_or_default().to_owned();
        async { Ok(Asks::Person(Subject::EnterPlan { reason })) }.boxed()
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            desk.set_mode(ApprovalMode::Plan).await;
            let folder = self.0.place(&desk.config.root);
            let text = format!(
                "You are in plan mode now. Write the plan as a .md file in {}, then call exit_plan_mode.",
                folder.display()
            );
            Ok(ToolOutput::text(text, "planning"))
        }
        .boxed()
    }
}
