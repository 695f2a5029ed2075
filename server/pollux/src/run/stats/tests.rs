use std::sync::Arc;

use pollux_agent::api::{AvoidedUntil, FinishReason, TurnId};

use super::*;

fn ended(tokens: u64) -> Event {
    Event::AnswerEnded {
        reason: FinishReason::Stop,
        usage: Usage {
            total_tokens: tokens,
            ..Usage::default()
        },
        context_window: None,
    }
}

#[test]
fn tokens_go_to_the_model_that_used_them() {
    let started = Event::TurnStarted {
        turn: TurnId(1),
        prompt: "go".to_owned(),
        model: "guessed".to_owned(),
        attachments: Arc::default(),
    };
    let chosen = Event::ModelChosen {
        model: "chosen".to_owned(),
        reason: "agent-router/classifier".to_owned(),
        thinking: pollux_agent::Thinking::default(),
    };
    let routed = Event::UtilityUsed {
        task: "classifier".to_owned(),
        model: "small".to_owned(),
        usage: Usage {
            total_tokens: 3,
            ..Usage::default()
        },
    };
    let changed = Event::ModelChanged {
        from: "chosen".to_owned(),
        to: "spare".to_owned(),
        reason: "busy".to_owned(),
        avoided_until: AvoidedUntil::NextTurn,
    };
    let mut stats = Stats::new();
    for event in [started, routed, chosen, ended(10), changed, ended(5)] {
        stats.count(&event);
    }
    let line = stats.line();
    assert_eq!(line["total_tokens"], 18);
    let of = |model: &str| line["models"][model]["total_tokens"].as_u64();
    assert_eq!(
        ["guessed", "chosen", "spare", "small"].map(of),
        [None, Some(10), Some(5), Some(3)]
    );
    let whole = stats.whole();
    let roles = &whole["models"]["small"]["roles"];
    assert_eq!(roles["utility_router"]["tokens"]["total"], 3, "{whole}");
}
