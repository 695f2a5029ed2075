use std::time::SystemTime;

use futures_util::future::join_all;
use pollux_exec::Variable;
use serde_json::{Map, Value};

use super::answer::{self, Answer};
use super::matching::plan;
use super::merged::{Merged, merge};
use super::settings::{Hook, HookEvent, Order};
use super::{HookSetup, Hooks, command_line};
use crate::Program;

/// Bytes of an answer. More than any answer needs, and less than hurts.
const OUTPUT_LIMIT: usize = 4 * 1024 * 1024;

/// What came of an event.
pub(super) struct Fired {
    pub(super) merged: Merged,
    /// What the person is told, a sentence or more each.
    pub(super) notices: Vec<String>,
}

impl Hooks {
    /// Tells the hooks that an event concerns, and hears them. Nothing when there are none. Dropping the future ends
    /// them.
    pub(super) async fn fire(
        &self,
        event: HookEvent,
        occasion: &str,
        input: Map<String, Value>,
    ) -> Option<Fired> {
        let setup = self.0.as_deref()?;
        let plan = plan(&setup.settings, event, occasion)?;
        let mut input = setup.input(event, input);
        let mut heard = Vec::new();
        match plan.order {
            Order::Together => {
                let running = plan.hooks.iter().map(|hook| setup.run(hook, &input));
                heard.extend(plan.hooks.iter().zip(join_all(running).await));
            }
            Order::OneByOne => {
                for hook in &plan.hooks {
                    let said = setup.run(hook, &input).await;
                    if let Ok(Some(answer)) = &said {
                        hand_on(event, answer, &mut input);
                    }
                    heard.push((hook, said));
                }
            }
        }
        let mut answers = Vec::new();
        let mut notices = Vec::new();
        for (hook, said) in heard {
            match said {
                Ok(answer) => {
                    notices.extend(answer.iter().filter_map(|answer| answer.message.clone()));
                    answers.extend(answer);
                }
                Err(why) => {
                    let (hook, event) = (hook.label(), event.name());
                    tracing::warn!(hook, event, why, "a hook failed");
                    notices.push(format!("The hook `{hook}` failed at {event}: {why}."));
                }
            }
        }
        Some(Fired {
            merged: merge(&answers),
            notices,
        })
    }
}

impl HookSetup {
    /// What every hook is told, and then what this event is about.
    fn input(&self, event: HookEvent, about: Map<String, Value>) -> Map<String, Value> {
        let transcript = self.transcript.as_deref();
        let transcript = transcript.map(|path| path.to_string_lossy().into_owned());
        let now = humantime::format_rfc3339_millis(SystemTime::now());
        let mut input = Map::new();
        let mut tell = |name: &str, value: String| {
            input.insert(name.to_owned(), value.into());
        };
        tell("session_id", self.session.clone());
        tell("transcript_path", transcript.unwrap_or_default());
        tell("cwd", self.folder.to_string_lossy().into_owned());
        tell("hook_event_name", event.name().to_owned());
        tell("timestamp", now.to_string());
        input.extend(about);
        input
    }

    async fn run(&self, hook: &Hook, input: &Map<String, Value>) -> Result<Option<Answer>, String> {
        let known = self.known();
        let command = command_line::filled(&hook.command, &known);
        let argv = ["bash".to_owned(), "-c".to_owned(), command];
        let input = serde_json::to_string(input).map_err(|error| error.to_string())?;
        let variables = self.variables(hook, &known);
        let ran = self
            .programs
            .run(Program {
                argv: &argv,
                folder: &self.folder,
                input: &input,
                output_limit: OUTPUT_LIMIT,
                variables: Some(&variables),
                time_limit: Some(hook.patience),
            })
            .await
            .map_err(|error| format!("it cannot be run: {error}"))?;
        answer::read(&ran)
    }

    /// What a command may name, and finds in its environment.
    fn known(&self) -> Vec<(&'static str, String)> {
        let folder = self.folder.to_string_lossy().into_owned();
        let mut known = vec![
            ("GEMINI_PROJECT_DIR", folder.clone()),
            ("GEMINI_CWD", folder.clone()),
            ("CLAUDE_PROJECT_DIR", folder),
            ("GEMINI_SESSION_ID", self.session.clone()),
        ];
        if let Some(plans) = &self.plans {
            let plans = plans.to_string_lossy().into_owned();
            known.push(("GEMINI_PLANS_DIR", plans));
        }
        known
    }

    /// The last word on a variable counts.
    fn variables(&self, hook: &Hook, known: &[(&str, String)]) -> Vec<Variable> {
        let mut variables = self.variables.clone();
        variables.extend(
            known
                .iter()
                .map(|(name, value)| (name.into(), value.into())),
        );
        let own = hook.variables.iter();
        variables.extend(own.map(|(name, value)| (name.into(), value.into())));
        variables
    }
}

/// What the next hook sees of what this one changed.
fn hand_on(event: HookEvent, answer: &Answer, input: &mut Map<String, Value>) {
    if event != HookEvent::BeforeTool {
        return;
    }
    let changed = answer.specific.get("tool_input").and_then(Value::as_object);
    let told = input.get_mut("tool_input").and_then(Value::as_object_mut);
    if let (Some(changed), Some(told)) = (changed, told) {
        told.extend(changed.clone());
    }
}
