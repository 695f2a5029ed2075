use std::sync::Arc;

use pollux_agent::api::{AvoidedUntil, CallId, FinishReason, FunctionCall, TurnId};

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

#[test]
fn calls_and_tokens_of_a_sub_agent_count_and_are_told_apart() {
    let args = json!({ "agent_name": "scout" }).as_object().cloned();
    let started = |id: &str, name: &str, args: Option<Map<_, _>>| Event::ToolStarted {
        call: FunctionCall {
            id: CallId::new(id),
            name: name.to_owned(),
            args: args.unwrap_or_default(),
            signature: None,
        },
        title: String::new(),
        parent: None,
    };
    let finished = |id: &str| Event::ToolEnded {
        call: CallId::new(id),
        outcome: ToolOutcome::Cancelled,
        report: Arc::default(),
    };
    let used = Event::UtilityUsed {
        task: "scout".to_owned(),
        model: "small".to_owned(),
        usage: Usage {
            total_tokens: 7,
            ..Usage::default()
        },
    };
    let mut stats = Stats::new();
    for event in [
        started("a", "invoke_agent", args),
        used,
        started("b", "read_file", None),
        finished("b"),
        finished("a"),
    ] {
        stats.count(&event);
    }
    let whole = stats.whole();
    assert_eq!(whole["tools"]["totalCalls"], 2);
    let roles = &whole["models"]["small"]["roles"];
    assert_eq!(roles["subagent"]["tokens"]["total"], 7, "{whole}");
}
