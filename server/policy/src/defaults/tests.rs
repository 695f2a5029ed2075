use super::*;

#[test]
fn the_shipped_rules_have_no_problems() {
    for file in shipped() {
        let loaded = crate::load(&file);
        assert_eq!(loaded.problems, [], "{}", file.source);
        assert!(
            loaded.rules.len() + loaded.checkers.len() > 0,
            "{}",
            file.source
        );
    }
}

/// They are compiled late, so loading them says nothing about it.
#[test]
fn the_shipped_patterns_are_right() {
    use crate::pattern::Pattern;
    use crate::rule::Condition;

    let mut count = 0;
    for rule in shipped().flat_map(|file| crate::load(&file).rules) {
        if let Condition::Args(pattern) = &rule.condition {
            assert!(Pattern::args(pattern.text()).is_ok(), "{}", pattern.text());
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn what_is_only_shown_in_the_chat_needs_no_question() {
    use crate::engine::tests::World;
    use crate::{ApprovalMode, Decision};

    for tool in ["update_topic", "write_todos"] {
        for mode in [ApprovalMode::Default, ApprovalMode::Plan] {
            let args = serde_json::json!({});
            let world = World::shipped().mode(mode);
            assert_eq!(world.decide(tool, args.clone()), Decision::Allow, "{tool}");
            let headless = World::shipped().mode(mode).headless();
            assert_eq!(headless.decide(tool, args), Decision::Allow, "{tool}");
        }
    }
}
