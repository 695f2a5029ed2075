use std::sync::Arc;

use expect_test::{Expect, expect};
use pollux_agent::api::{
    Added, Approval, CommandExit, FunctionCall, Overflow, Subject, Thought, ToolOutcome,
    ToolReport, Usage,
};
use serde_json::{Value, json};

use super::*;

fn call(id: &str, name: &str, args: Value) -> FunctionCall {
    FunctionCall {
        id: CallId::new(id),
        name: name.to_owned(),
        args: args.as_object().cloned().unwrap_or_default(),
        signature: None,
    }
}

fn started(turn: u64) -> Event {
    Event::TurnStarted {
        turn: TurnId(turn),
        prompt: "do it".to_owned(),
        model: "m".to_owned(),
        attachments: Arc::default(),
    }
}

fn ended(turn: u64, outcome: TurnOutcome) -> Event {
    Event::TurnEnded {
        turn: TurnId(turn),
        outcome,
    }
}

fn text(text: &str) -> Event {
    Event::TextReceived(text.to_owned())
}

fn answered() -> Event {
    Event::AnswerEnded {
        reason: FinishReason::Stop,
        usage: Usage::default(),
        context_window: None,
    }
}

fn runs(id: &str) -> Event {
    Event::ToolStarted {
        call: call(id, "run_shell_command", json!({ "command": "ls" })),
        title: "Run ls".to_owned(),
        parent: None,
    }
}

fn asks(id: &str) -> Event {
    Event::ApprovalRequested(Arc::new(Approval {
        id: ApprovalId(1),
        call: Some(CallId::new(id)),
        tool: "run_shell_command".to_owned(),
        title: "Run ls".to_owned(),
        reason: String::new(),
        rule: None,
        subject: Subject::Command {
            command: "ls".to_owned(),
            folder: PathBuf::from("/w"),
            programs: Vec::new(),
            cautions: Vec::new(),
        },
        offers: Vec::new(),
    }))
}

fn printed(id: &str, text: &str) -> Event {
    Event::ToolPrinted {
        call: CallId::new(id),
        text: text.to_owned(),
    }
}

fn done(id: &str, output: &str) -> Event {
    done_with(id, output, None)
}

fn done_with(id: &str, output: &str, exit: Option<CommandExit>) -> Event {
    Event::ToolEnded {
        call: CallId::new(id),
        outcome: ToolOutcome::Succeeded {
            summary: "done".to_owned(),
        },
        report: Arc::new(ToolReport {
            output: output.to_owned(),
            exit,
            ..ToolReport::default()
        }),
    }
}

fn shown(told: &Told) -> String {
    match told {
        Told::Update(update) => serde_json::to_string(update).unwrap(),
        Told::Ask { call, .. } => format!("ask {}", serde_json::to_string(call).unwrap()),
        other => format!("{other:?}"),
    }
}

fn check(telling: &mut Telling, events: &[Event], expected: Expect) {
    let told: Vec<String> = events
        .iter()
        .flat_map(|event| telling.tell(event))
        .map(|told| shown(&told))
        .collect();
    expected.assert_eq(&told.join("\n"));
}

fn telling(traits: Traits) -> Telling {
    Telling::new(PathBuf::from("/w"), traits)
}

#[test]
fn a_new_message_has_a_new_id_and_pieces_of_one_share_theirs() {
    let thought = Event::ThoughtReceived(Thought {
        subject: "Plan".to_owned(),
        description: "first this".to_owned(),
    });
    let events = [
        started(1),
        thought,
        text("one"),
        text(" more"),
        answered(),
        text("two"),
        ended(1, TurnOutcome::Completed),
    ];
    check(
        &mut telling(Traits::default()),
        &events,
        expect![[r#"
        {"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"do it"},"messageId":"u1"}
        {"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"**Plan**\nfirst this"},"messageId":"t1"}
        {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"},"messageId":"a1"}
        {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" more"},"messageId":"a1"}
        {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"},"messageId":"a2"}
        TurnEnded"#]],
    );
}

#[test]
fn a_command_is_told_before_it_is_asked_about_and_shows_what_it_prints() {
    let allowed = Event::ApprovalEnded {
        approval: ApprovalId(1),
        answer: Some(pollux_agent::api::Answer::Allow),
        by: None,
    };
    let events = [
        runs("c"),
        asks("c"),
        allowed,
        printed("c", "a\n"),
        done("c", "Output: a"),
    ];
    check(
        &mut telling(Traits::default()),
        &events,
        expect![[r#"
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"Run ls","name":"run_shell_command","kind":"execute","status":"in_progress","rawInput":{"command":"ls"},"_meta":{"tool_name":"run_shell_command"}}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"pending","content":[{"type":"content","content":{"type":"text","text":"```sh\nls\n```\nin /w"}}]}
        ask {"toolCallId":"c","kind":"execute","status":"pending","title":"Run ls","content":[{"type":"content","content":{"type":"text","text":"```sh\nls\n```\nin /w"}}],"locations":[],"rawInput":{"command":"ls"}}
        Answered(ApprovalId(1))
        {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress","content":[]}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"```\na\n```"}}]}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```\nOutput: a\n```"}}],"rawOutput":{"output":"Output: a","summary":"done"}}"#]],
    );
}

#[test]
fn a_client_with_terminals_is_shown_the_command_as_one() {
    let terminals = Traits {
        terminals: true,
        ..Traits::default()
    };
    let events = [
        runs("c"),
        printed("c", "a\n"),
        done_with("c", "Output: Exit Code: 7", Some(CommandExit::Code(2))),
    ];
    check(
        &mut telling(terminals),
        &events,
        expect![[r#"
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"Run ls","name":"run_shell_command","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"c"}],"rawInput":{"command":"ls"},"_meta":{"tool_name":"run_shell_command","terminal_info":{"terminal_id":"c","cwd":"/w"}}}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"c","data":"a\n"}}}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"terminal","terminalId":"c"}],"rawOutput":{"output":"Output: Exit Code: 7","summary":"done"},"_meta":{"terminal_exit":{"terminal_id":"c","exit_code":2,"signal":null}}}"#]],
    );
}

#[test]
fn whoever_resumes_hears_of_a_call_as_a_whole_before_it_changes() {
    let mut telling = telling(Traits::default());
    telling.tell(&started(1));
    telling.tell(&runs("c"));
    telling.forget_announced();
    check(
        &mut telling,
        &[printed("c", "a\n")],
        expect![[
            r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":"Run ls","name":"run_shell_command","kind":"execute","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"```\na\n```"}}],"rawInput":{"command":"ls"},"_meta":{"tool_name":"run_shell_command"}}"#
        ]],
    );
}

#[test]
fn what_no_notice_can_tell_is_said_where_losing_it_would_hurt() {
    let fallback = Event::ModelChanged {
        from: "large".to_owned(),
        to: "small".to_owned(),
        reason: "busy".to_owned(),
        avoided_until: pollux_agent::api::AvoidedUntil::NextTurn,
    };
    check(
        &mut telling(Traits::default()),
        std::slice::from_ref(&fallback),
        expect![[
            r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"_large does not answer; small goes on: busy_"},"messageId":"a1"}"#
        ]],
    );
    let notices = Traits {
        notices: true,
        ..Traits::default()
    };
    check(
        &mut telling(notices),
        &[fallback],
        expect![[
            r#"{"sessionUpdate":"notice","severity":"warning","title":"large does not answer; small goes on","description":"busy"}"#
        ]],
    );
}

#[test]
fn a_call_that_is_cut_off_is_told_as_failed() {
    let events = [started(1), runs("c"), ended(1, TurnOutcome::Cancelled)];
    check(
        &mut telling(Traits::default()),
        &events,
        expect![[r#"
        {"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"do it"},"messageId":"u1"}
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"Run ls","name":"run_shell_command","kind":"execute","status":"in_progress","rawInput":{"command":"ls"},"_meta":{"tool_name":"run_shell_command"}}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}
        TurnEnded"#]],
    );
}

#[test]
fn every_end_of_a_turn_has_a_reason() {
    let mut telling = telling(Traits::default());
    let mut reason = |outcome: TurnOutcome| {
        telling.tell(&ended(1, outcome));
        telling.stop_reason(TurnId(1)).map_err(|error| error.code)
    };
    assert_eq!(reason(TurnOutcome::Completed), Ok(StopReason::EndTurn));
    assert_eq!(reason(TurnOutcome::Declined), Ok(StopReason::EndTurn));
    assert_eq!(reason(TurnOutcome::Cancelled), Ok(StopReason::Cancelled));
    let limit = TurnOutcome::RoundLimitReached { limit: 3 };
    assert_eq!(reason(limit), Ok(StopReason::MaxTurnRequests));
    let overflow = TurnOutcome::ContextOverflow(Overflow {
        model: "qwen".to_owned(),
        window: 4,
        added: Added::Prompt,
        estimated: 2,
        remaining: 1,
        instructions: 1,
        tools: 1,
    });
    assert_eq!(reason(overflow), Ok(StopReason::MaxTokens));
    let failed = TurnOutcome::Failed(ModelError::NoPrompt);
    assert_eq!(reason(failed), Err(ErrorCode::InternalError));
}

#[test]
fn what_it_costs_is_told_with_the_tokens() {
    let mut telling = Telling::new("/p".into(), Traits::default());
    let cost = Event::CostGrown(pollux_agent::api::Cost {
        turn: 0.5,
        session: 2.0,
        currency: "EUR".to_owned(),
    });
    assert!(telling.tell(&cost).is_empty(), "no tokens to tell it with");
    let answered = Event::AnswerEnded {
        reason: FinishReason::Stop,
        usage: Usage {
            total_tokens: 7,
            ..Usage::default()
        },
        context_window: Some(100),
    };
    telling.tell(&answered);
    let told = telling.tell(&cost);
    let [Told::Update(update)] = &*told else {
        panic!("{} things were told", told.len());
    };
    let expected = json!({
        "sessionUpdate": "usage_update",
        "used": 7,
        "size": 100,
        "cost": { "amount": 2.0, "currency": "EUR" },
    });
    assert_eq!(serde_json::to_value(update).unwrap(), expected);
}

#[test]
fn what_a_sub_agent_does_is_told_as_calls_that_name_it_and_as_its_own_list() {
    let begins = |id: &str, name: &str, title: &str, parent: Option<&str>| Event::ToolStarted {
        call: call(id, name, json!({})),
        title: title.to_owned(),
        parent: parent.map(CallId::new),
    };
    let thinks = Event::ToolProgressed {
        call: CallId::new("a"),
        progress: pollux_agent::api::Progress {
            message: Some("Where it is".to_owned()),
            done: 2.0,
            total: Some(30.0),
        },
    };
    let events = [
        begins("a", "invoke_agent", "scout: Find it", None),
        thinks,
        begins("b", "read_file", "Read `a`", Some("a")),
        done("b", "12 lines"),
        printed("a", "It is *there*."),
        begins("c", "run_shell_command", "Run ls", Some("a")),
        Event::ToolEnded {
            call: CallId::new("c"),
            outcome: ToolOutcome::Cancelled,
            report: Arc::default(),
        },
        done(
            "a",
            "Subagent 'scout' finished.\nTermination Reason: GOAL\nResult:\nIn **a**.",
        ),
    ];
    check(
        &mut telling(Traits::default()),
        &events,
        expect![[r#"
        {"sessionUpdate":"tool_call","toolCallId":"a","title":"scout: Find it","name":"invoke_agent","kind":"think","status":"in_progress","_meta":{"tool_name":"invoke_agent"}}
        {"sessionUpdate":"tool_call_update","toolCallId":"a","content":[{"type":"content","content":{"type":"text","text":"*Where it is (turn 2 of 30)*"}}]}
        {"sessionUpdate":"tool_call","toolCallId":"b","title":"scout: Read `a`","name":"read_file","kind":"read","status":"in_progress","_meta":{"parentToolCallId":"a","tool_name":"read_file"}}
        {"sessionUpdate":"tool_call_update","toolCallId":"a","content":[{"type":"content","content":{"type":"text","text":"*Where it is (turn 2 of 30)*\n\n- … `` Read `a` ``"}}]}
        {"sessionUpdate":"tool_call_update","toolCallId":"b","status":"completed","content":[{"type":"content","content":{"type":"text","text":"```\n12 lines\n```"}}],"rawOutput":{"output":"12 lines","summary":"done"}}
        {"sessionUpdate":"tool_call_update","toolCallId":"a","content":[{"type":"content","content":{"type":"text","text":"*Where it is (turn 2 of 30)*\n\n- ✓ `` Read `a` ``"}}]}
        {"sessionUpdate":"tool_call_update","toolCallId":"a","content":[{"type":"content","content":{"type":"text","text":"*Where it is (turn 2 of 30)*\n\n- ✓ `` Read `a` ``\n\nIt is *there*."}}]}
        {"sessionUpdate":"tool_call","toolCallId":"c","title":"scout: Run ls","name":"run_shell_command","kind":"execute","status":"in_progress","_meta":{"parentToolCallId":"a","tool_name":"run_shell_command"}}
        {"sessionUpdate":"tool_call_update","toolCallId":"a","content":[{"type":"content","content":{"type":"text","text":"*Where it is (turn 2 of 30)*\n\n- ✓ `` Read `a` ``\n- … `Run ls`\n\nIt is *there*."}}]}
        {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","content":[{"type":"content","content":{"type":"text","text":"Cancelled"}}],"rawOutput":{"output":"","error":"cancelled"}}
        {"sessionUpdate":"tool_call_update","toolCallId":"a","content":[{"type":"content","content":{"type":"text","text":"*Where it is (turn 2 of 30)*\n\n- ✓ `` Read `a` ``\n- – `Run ls`\n\nIt is *there*."}}]}
        {"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed","content":[{"type":"content","content":{"type":"text","text":"- ✓ `` Read `a` ``\n- – `Run ls`\n\nIn **a**."}}],"rawOutput":{"output":"Subagent 'scout' finished.\nTermination Reason: GOAL\nResult:\nIn **a**.","summary":"done"}}"#]],
    );
}
