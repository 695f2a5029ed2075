use std::time::Duration;

use serde_json::{Map, Value};

use super::matching::Matcher;

/// As the twin has it.
const PATIENCE: Duration = Duration::from_secs(60);
/// Older files keep these beside the events.
const FORMER_SETTINGS: [&str; 3] = ["enabled", "disabled", "notifications"];

/// What hooks can be told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    BeforeTool,
    AfterTool,
    BeforeAgent,
    AfterAgent,
    BeforeModel,
    AfterModel,
    BeforeToolSelection,
    SessionStart,
    SessionEnd,
    PreCompress,
    Notification,
}

impl HookEvent {
    const ALL: [Self; 11] = [
        Self::BeforeTool,
        Self::AfterTool,
        Self::BeforeAgent,
        Self::AfterAgent,
        Self::BeforeModel,
        Self::AfterModel,
        Self::BeforeToolSelection,
        Self::SessionStart,
        Self::SessionEnd,
        Self::PreCompress,
        Self::Notification,
    ];

    /// As settings and hooks spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::BeforeTool => "BeforeTool",
            Self::AfterTool => "AfterTool",
            Self::BeforeAgent => "BeforeAgent",
            Self::AfterAgent => "AfterAgent",
            Self::BeforeModel => "BeforeModel",
            Self::AfterModel => "AfterModel",
            Self::BeforeToolSelection => "BeforeToolSelection",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::PreCompress => "PreCompress",
            Self::Notification => "Notification",
        }
    }
}

/// The hooks that settings name, in the order in which they are run.
#[derive(Clone, Debug, Default)]
pub struct HookSettings {
    groups: Vec<Group>,
    problems: Vec<String>,
}

/// Hooks that belong together: one entry of an event's list.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) event: HookEvent,
    pub(super) matcher: Matcher,
    pub(super) order: Order,
    pub(super) hooks: Vec<Hook>,
}

/// Whether hooks wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Together,
    OneByOne,
}

/// One program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hook {
    name: Option<String>,
    pub(super) command: String,
    pub(super) patience: Duration,
    pub(super) variables: Vec<(String, String)>,
}

impl Hook {
    /// What people call it.
    pub(super) fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.command)
    }

    /// Two hooks with the same key are one.
    pub(super) fn key(&self) -> (&str, &str) {
        (self.name.as_deref().unwrap_or_default(), &self.command)
    }
}

impl HookSettings {
    /// Reads `hooks`, as far as `hooksConfig` has not switched it off. What cannot be read is left out, and said.
    pub fn read(hooks: Option<&Value>, config: Option<&Value>) -> Self {
        let mut settings = Self::default();
        let switch = config.and_then(|config| config.get("enabled"));
        if switch.and_then(Value::as_bool) == Some(false) {
            return settings;
        }
        let disabled = config.and_then(|config| config.get("disabled"));
        let disabled: Vec<&str> = disabled
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        for (name, groups) in hooks.and_then(Value::as_object).into_iter().flatten() {
            if FORMER_SETTINGS.contains(&name.as_str()) {
                continue;
            }
            let Some(event) = HookEvent::ALL
                .into_iter()
                .find(|event| event.name() == name)
            else {
                settings.problem(format!("`hooks.{name}` is no event that hooks are told of"));
                continue;
            };
            for group in groups.as_array().into_iter().flatten() {
                settings.group(event, group, &disabled);
            }
        }
        settings
    }

    /// What was left out, a sentence each.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    pub(super) fn groups(&self, event: HookEvent) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |group| group.event == event)
    }

    fn group(&mut self, event: HookEvent, group: &Value, disabled: &[&str]) {
        let Some(listed) = group.get("hooks").and_then(Value::as_array) else {
            let name = event.name();
            return self.problem(format!("an entry of `hooks.{name}` has no list of hooks"));
        };
        let mut hooks = Vec::new();
        for hook in listed {
            match hook.as_object().ok_or("is no object").and_then(read_hook) {
                Ok(hook) if disabled.contains(&hook.label()) => {}
                Ok(hook) => hooks.push(hook),
                Err(what) => self.problem(format!("a hook of `hooks.{}` {what}", event.name())),
            }
        }
        if hooks.is_empty() {
            return;
        }
        let matcher = group.get("matcher").and_then(Value::as_str);
        self.groups.push(Group {
            event,
            matcher: Matcher::read(event, matcher.unwrap_or_default()),
            order: match group.get("sequential").and_then(Value::as_bool) {
                Some(true) => Order::OneByOne,
                Some(false) | None => Order::Together,
            },
            hooks,
        });
    }

    fn problem(&mut self, problem: String) {
        self.problems.push(problem);
    }
}

fn read_hook(hook: &Map<String, Value>) -> Result<Hook, &'static str> {
    let text = |name: &str| hook.get(name).and_then(Value::as_str);
    if text("type") != Some("command") {
        return Err("is not of the type `command`");
    }
    let command = text("command").filter(|command| !command.trim().is_empty());
    let patience = hook.get("timeout").and_then(Value::as_u64);
    let variables = hook.get("env").and_then(Value::as_object);
    Ok(Hook {
        name: text("name").map(str::to_owned),
        command: command.ok_or("has no command")?.to_owned(),
        patience: patience.map_or(PATIENCE, Duration::from_millis),
        variables: variables
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect(),
    })
}
