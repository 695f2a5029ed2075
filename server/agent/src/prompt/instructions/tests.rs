use super::*;

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

#[test]
fn what_people_wrote_down_can_be_told_without_the_rest() {
    let memory = instructions().memory();
    assert!(memory.contains("the person's rules"), "{memory}");
    assert!(at(ApprovalMode::Default, None).ends_with(&memory));
}
