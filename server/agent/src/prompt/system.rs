//! The system prompt: sections in a fixed order, each a text of its own in `system/`, chosen by the session's state.

mod catalogue;
mod replacement;
mod section;
mod template;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;

pub use catalogue::{MAX_DESCRIPTION_BYTES, MAX_LISTED, Skill, SubAgent};
pub use replacement::{MAX_REPLACEMENT_BYTES, SystemFile, SystemFileError, read_replacement};
pub use section::{Section, Switches};

use super::cap::{clip_with_note, collapse_blank_lines, one_line};

/// Of the whole system instruction, memory included.
pub const MAX_SYSTEM_BYTES: usize = 512 * 1024;
/// Of the topic line.
const MAX_TOPIC_BYTES: usize = 500;

/// What the system prompt depends on.
#[derive(Clone, Debug, Default)]
pub struct SystemState {
    pub mode: Mode,
    pub audience: Audience,
    pub sandbox: Sandbox,
    pub repository: Repository,
    pub hooks: Hooks,
    pub task_tracker: TaskTracker,
    pub family: ModelFamily,
    /// The names of the tools that the model may call. Sentences about other tools are left out.
    pub tools: BTreeSet<String>,
    pub sub_agents: Vec<SubAgent>,
    pub skills: Vec<Skill>,
    /// What `update_topic` set last.
    pub topic: Option<String>,
}

/// How far the agent may go without asking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Changes need approval, or edits pass without it: the text is the same.
    #[default]
    Approving,
    Plan {
        plans_folder: PathBuf,
    },
    Yolo,
}

/// Whether a person can answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    #[default]
    Interactive,
    Headless,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    #[default]
    Off,
    Confined,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repository {
    #[default]
    None,
    Git,
}

/// Whether hooks may add context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hooks {
    #[default]
    None,
    Configured,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskTracker {
    #[default]
    Off,
    On,
}

/// Older models need to be told some things twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelFamily {
    #[default]
    Modern,
    Legacy,
}

impl ModelFamily {
    /// Gemini 1 and 2 are legacy; Gemini 3 and models of other makers are modern.
    pub fn of(model: &str) -> Self {
        let generation = model.strip_prefix("gemini-");
        match generation.and_then(|rest| rest.chars().next()) {
            Some('0'..='2') => Self::Legacy,
            _ => Self::Modern,
        }
    }
}

/// The text that stands before the memory.
#[derive(Clone, Copy, Debug, Default)]
pub enum SystemBody<'a> {
    #[default]
    Sections,
    /// The text of the file that `GEMINI_SYSTEM_MD` names.
    Replaced(&'a str),
}

/// Memory that belongs into the system instruction: it must survive the compression of the conversation.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandingMemory<'a> {
    pub global: &'a str,
    pub user_project: &'a str,
}

/// The whole system instruction.
pub fn system_prompt(
    state: &SystemState,
    switches: &Switches,
    body: SystemBody<'_>,
    memory: StandingMemory<'_>,
) -> String {
    let body = match body {
        SystemBody::Sections => {
            let texts = system_sections(state, switches);
            let texts: Vec<String> = texts.into_iter().map(|(_, text)| text).collect();
            texts.join("\n\n")
        }
        SystemBody::Replaced(text) => replacement::substitute(text, state),
    };
    // The memory stays as people wrote it: their rules are to be byte-identical in every request.
    let mut prompt = collapse_blank_lines(body.trim());
    prompt.push_str(&memory_section(memory));
    if let Some(topic) = &state.topic {
        let topic = clip_with_note(&one_line(topic), MAX_TOPIC_BYTES, "...");
        prompt.push_str(&format!("\n\n[Active Topic: {topic}]"));
    }
    clip_with_note(
        &prompt,
        MAX_SYSTEM_BYTES,
        "\n[The system instruction was cut at its size limit.]",
    )
}

/// The sections that the state calls for and that are not switched off, in order.
pub fn system_sections(state: &SystemState, switches: &Switches) -> Vec<(Section, String)> {
    let wanted = Section::ALL
        .into_iter()
        .filter(|section| switches.is_on(*section));
    let texts = wanted.filter_map(|section| Some((section, section_text(section, state)?)));
    texts.filter(|(_, text)| !text.is_empty()).collect()
}

fn section_text(section: Section, state: &SystemState) -> Option<String> {
    let planning = matches!(state.mode, Mode::Plan { .. });
    let template = match section {
        Section::Preamble => include_str!("system/preamble.md"),
        Section::CoreMandates => include_str!("system/core_mandates.md"),
        Section::SubAgents => return catalogue::sub_agents(&state.sub_agents),
        Section::AgentSkills => return catalogue::skills(&state.skills),
        Section::HookContext => match state.hooks {
            Hooks::Configured => include_str!("system/hook_context.md"),
            Hooks::None => return None,
        },
        Section::PrimaryWorkflows if planning => return None,
        Section::PrimaryWorkflows => include_str!("system/primary_workflows.md"),
        Section::PlanningWorkflow => return planning_workflow(state),
        Section::TaskTracker => match state.task_tracker {
            TaskTracker::On => include_str!("system/task_tracker.md"),
            TaskTracker::Off => return None,
        },
        Section::OperationalGuidelines => include_str!("system/operational_guidelines.md"),
        Section::Sandbox => match state.sandbox {
            Sandbox::Confined => include_str!("system/sandbox.md"),
            Sandbox::Off => return None,
        },
        Section::InteractiveYoloMode => match (&state.mode, state.audience) {
            (Mode::Yolo, Audience::Interactive) => include_str!("system/interactive_yolo_mode.md"),
            _ => return None,
        },
        // Without a shell there is no git to be careful with.
        Section::Git => match state.repository {
            Repository::Git if state.tools.contains("run_shell_command") => {
                include_str!("system/git.md")
            }
            Repository::Git | Repository::None => return None,
        },
        Section::FinalReminder => match state.family {
            ModelFamily::Legacy => include_str!("system/final_reminder.md"),
            ModelFamily::Modern => return None,
        },
    };
    Some(expand(template, state))
}

fn planning_workflow(state: &SystemState) -> Option<String> {
    let Mode::Plan { plans_folder } = &state.mode else {
        return None;
    };
    let folder = one_line(&plans_folder.display().to_string());
    let text = expand(include_str!("system/planning_workflow.md"), state);
    Some(text.replace("${PlansFolder}", &folder))
}

fn expand(template: &str, state: &SystemState) -> String {
    let text = template::expand(template, |condition| match condition {
        "interactive" => state.audience == Audience::Interactive,
        "headless" => state.audience == Audience::Headless,
        tool => state.tools.contains(tool),
    });
    text.trim().to_owned()
}

pub(super) fn memory_section(memory: StandingMemory<'_>) -> String {
    let mut loaded = String::new();
    for (tag, text) in [
        ("global_context", memory.global),
        ("user_project_memory", memory.user_project),
    ] {
        if !text.is_empty() {
            loaded.push_str(&format!("<{tag}>\n{text}\n</{tag}>\n"));
        }
    }
    if loaded.is_empty() {
        return loaded;
    }
    format!("\n\n# What the person wrote down for you\n<loaded_context>\n{loaded}</loaded_context>")
}
