use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::agents::{AgentResult, AgentRun, AgentTools};
use crate::{Journal, Voices};

fn at(mode: ApprovalMode, topic: Option<&str>) -> String {
    of("gemini-2.5-pro", mode, topic)
}

fn instructions() -> SystemInstructions {
    SystemInstructions {
        state: SystemState::default(),
        switches: Switches::default(),
        replacement: None,
        memory: MemoryTexts {
            global: "the person's rules".to_owned(),
            ..MemoryTexts::default()
        },
        plans_folder: PathBuf::from("/plans/here"),
        agents: None,
    }
}

fn of(model: &str, mode: ApprovalMode, topic: Option<&str>) -> String {
    instructions().text(&PromptState {
        mode,
        topic: topic.map(str::to_owned),
        model: model.to_owned(),
    })
}

#[test]
fn the_prompt_follows_the_mode_and_the_topic() {
    let default = at(ApprovalMode::Default, None);
    assert!(default.contains("the person's rules"));
    assert_eq!(at(ApprovalMode::AutoEdit, None), default);
    let plan = at(ApprovalMode::Plan, None);
    assert!(plan.contains("/plans/here") && !default.contains("/plans/here"));
    assert_ne!(at(ApprovalMode::Yolo, None), default);
    let topical = at(ApprovalMode::Default, Some("Uploads"));
    assert_eq!(topical, format!("{default}\n\n[Active Topic: Uploads]"));
}

#[test]
fn a_session_that_goes_on_with_another_model_has_that_models_instructions() {
    let older = of("gemini-2.5-pro", ApprovalMode::Default, None);
    let newer = of("gemini-3-pro-preview", ApprovalMode::Default, None);
    assert_ne!(older, newer);
}

/// Whoever is asked says who is there.
#[derive(Default)]
struct Listed(Mutex<Vec<&'static str>>);

impl Agents for Listed {
    fn offered(&self) -> Vec<Arc<AgentDefinition>> {
        let names = self.0.lock().unwrap();
        let described = |name: &&str| {
            Arc::new(AgentDefinition {
                name: (*name).to_owned(),
                display_name: None,
                description: format!("about {name}"),
                instructions: String::new(),
                query: String::new(),
                input: "query".to_owned(),
                tools: AgentTools::All,
                result: AgentResult::Text,
                max_turns: 1,
                max_time: Duration::ZERO,
            })
        };
        names.iter().map(described).collect()
    }

    fn voices(&self, _: &AgentDefinition) -> Option<Arc<dyn Voices>> {
        None
    }

    fn fact(&self, _: &str) -> Option<String> {
        None
    }

    fn journal(&self, _: &AgentRun<'_>) -> Box<dyn Journal> {
        unreachable!("nobody runs here")
    }
}

#[test]
fn the_model_is_told_of_the_agents_that_are_there_now_and_that_it_can_ask() {
    let agents = Arc::new(Listed(Mutex::new(vec!["scout"])));
    let with_tools = |tools: &[&str]| {
        let shared: Arc<dyn Agents> = Arc::clone(&agents) as Arc<dyn Agents>;
        SystemInstructions {
            state: SystemState {
                tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
                ..SystemState::default()
            },
            switches: Switches::default(),
            replacement: None,
            memory: MemoryTexts::default(),
            plans_folder: PathBuf::new(),
            agents: Some(shared),
        }
    };
    let now = PromptState {
        mode: ApprovalMode::Default,
        topic: None,
        model: "gemini-3-pro-preview".to_owned(),
    };
    let able = with_tools(&["invoke_agent"]);
    assert!(able.text(&now).contains("- scout: about scout\n"));
    agents.0.lock().unwrap().push("mole");
    assert!(able.text(&now).contains("- mole: about mole\n"));
    let unable = with_tools(&["read_file"]);
    assert!(!unable.text(&now).contains("scout"));
}

#[test]
fn what_people_wrote_down_can_be_told_without_the_rest() {
    let memory = instructions().memory();
    assert!(memory.contains("the person's rules"), "{memory}");
    assert!(at(ApprovalMode::Default, None).ends_with(&memory));
}
