use super::*;

struct Session;

impl Instructions for Session {
    fn text(&self, _: &PromptState) -> String {
        "You are the session.".to_owned()
    }

    fn memory(&self) -> String {
        "the person's rules".to_owned()
    }
}

fn told(mode: ApprovalMode) -> String {
    let instructions = AgentInstructions {
        own: "You find things.\n".to_owned(),
        session: Some(Arc::new(Session)),
    };
    instructions.text(&PromptState {
        mode,
        topic: Some("Uploads".to_owned()),
        model: "gemini-test".to_owned(),
    })
}

#[test]
fn an_agent_has_its_authors_words_and_the_persons_rules_but_not_the_sessions() {
    let told = told(ApprovalMode::Default);
    let begins = "You find things.\n\nthe person's rules\n\n# How you work\n";
    assert!(told.starts_with(begins), "{told}");
    assert!(!told.contains("You are the session."), "{told}");
    assert!(!told.contains("Uploads"), "{told}");
}

#[test]
fn an_agent_of_somebody_who_plans_is_told_so() {
    let planning = told(ApprovalMode::Plan);
    assert!(planning.contains("# Planning"), "{planning}");
    assert!(!told(ApprovalMode::Yolo).contains("# Planning"));
}
