use super::*;

fn at(mode: ApprovalMode, topic: Option<&str>) -> String {
    let instructions = SystemInstructions {
        state: SystemState::default(),
        switches: Switches::default(),
        replacement: None,
        memory: MemoryTexts {
            global: "the person's rules".to_owned(),
            ..MemoryTexts::default()
        },
        plans_folder: PathBuf::from("/plans/here"),
    };
    instructions.text(&PromptState {
        mode,
        topic: topic.map(str::to_owned),
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
