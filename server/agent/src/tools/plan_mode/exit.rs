//! `exit_plan_mode`: the plan goes to the person, who has it carried out or changed.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use pollux_policy::{ApprovalMode, Presence};
use serde_json::{Map, Value, json};

use super::super::params::Params;
use super::super::{Asks, Consent, Desk, ErrorKind, Tool, ToolError, ToolOutput};
use super::{PlanFile, PlansFolder};
use crate::api::{Answer, Subject};

pub(super) const NAME: &str = "exit_plan_mode";

pub(in crate::tools) struct ExitPlanMode(pub(in crate::tools) PlansFolder);

impl ExitPlanMode {
    fn plan(&self, desk: &Desk<'_>) -> Result<PlanFile, ToolError> {
        let spelled = desk.params().string("plan_filename")?;
        self.0.find(&desk.config.root, spelled)
    }
}

impl Tool for ExitPlanMode {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Shows the finished plan to the person and asks whether to carry it out."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "plan_filename": {
                        "type": "string",
                        "description": "The plan's file in the plans folder, such as feature.md.",
                    },
                },
                "required": ["plan_filename"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let plan = Params::new(args).optional_string("plan_filename");
        format!("Show the plan {}", plan.unwrap_or_default())
            .trim_end()
            .to_owned()
    }

    fn is_offered(&self, mode: ApprovalMode) -> bool {
        mode == ApprovalMode::Plan
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        self.plan(desk).map(drop)
    }

    fn asks<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<Asks, ToolError>> {
        async {
            let plan = self.plan(desk)?;
            let text = self.0.read(desk, &plan).await?;
            let path = plan.place;
            Ok(Asks::Person(Subject::Plan { path, text }))
        }
        .boxed()
    }

    fn denied(&self, feedback: Option<&str>) -> ToolError {
        let told = match feedback {
            None => "The person did not approve the plan.".to_owned(),
            Some(feedback) => format!(
                "The person did not approve the plan. They say: {feedback}\nChange the plan, then call {NAME} again."
            ),
        };
        ToolError::denied(told, feedback)
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let plan = self.plan(desk)?;
            // Nobody may have looked at it yet, and it may be gone since they did.
            self.0.read(desk, &plan).await?;
            let mode = mode_after(desk)?;
            desk.set_mode(mode).await;
            let text = format!(
                "The plan is approved. Read {} and carry it out as written.{}",
                plan.place.display(),
                asking(mode)
            );
            Ok(ToolOutput::text(text, "approved"))
        }
        .boxed()
    }
}

fn mode_after(desk: &Desk<'_>) -> Result<ApprovalMode, ToolError> {
    let gate = &desk.config.gate;
    let mode = match (&desk.consent, gate.presence()) {
        (Consent::Answered(Answer::CarryOut(ApprovalMode::Plan)), _) => ApprovalMode::Default,
        (Consent::Answered(Answer::CarryOut(mode)), _) => *mode,
        (Consent::Answered(_), _) => ApprovalMode::Default,
        (_, Presence::Interactive) => ApprovalMode::Default,
        // Nobody could approve the steps one by one.
        (_, Presence::Headless) => ApprovalMode::Yolo,
    };
    match gate.may_enter(mode) {
        true => Ok(mode),
        false => Err(ToolError::new(
            ErrorKind::PolicyViolation,
            "the plan cannot be carried out in that mode: the folder is not trusted",
        )),
    }
}

fn asking(mode: ApprovalMode) -> &'static str {
    match mode {
        ApprovalMode::Plan | ApprovalMode::Default => " Changes are asked about one by one.",
        ApprovalMode::AutoEdit => " Edits are not asked about.",
        ApprovalMode::Yolo => " Nothing is asked about.",
    }
}
