use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use pollux_policy::Presence;
use serde_json::{Value, json};

use super::*;
use crate::ToolSet;
use crate::api::{Refusal, Reply, Scope};
use crate::testing::{
    Does, FixedGate, Log, MemoryFiles, Played, TestTool, config, function_call, play,
};

fn set_up(gate: FixedGate, tools: Vec<TestTool>) -> SessionConfig {
    let mut config = config(MemoryFiles::new(&[("a.txt", "one\n")]));
    config.gate = Arc::new(gate);
    let built_in = config.tools;
    config.tools = tools.into_iter().fold(built_in, ToolSet::with);
    config
}

/// Runs a call that nobody is asked about.
async fn run(config: &SessionConfig, name: &str, args: Value) -> Played {
    play(config, &function_call(name, args), |_, _| {}).await
}

fn check_groups(names: &[(&str, Value)], expected: Expect) {
    let calls: Vec<FunctionCall> = names
        .iter()
        .map(|(name, args)| function_call(name, args.clone()))
        .collect();
    let shown: Vec<String> = groups(&calls)
        .into_iter()
        .map(|group| {
            let names: Vec<String> = group
                .into_iter()
                .map(|place| format!("{place} {}", calls[place].name))
                .collect();
            names.join(" + ")
        })
        .collect();
    expected.assert_eq(&shown.join(", "));
}

#[test]
fn policy_12_what_runs_together_and_in_which_order() {
    let none = || json!({});
    check_groups(&[], expect![""]);
    check_groups(
        &[
            ("run_shell_command", none()),
            ("run_shell_command", none()),
            ("read_file", none()),
        ],
        expect!["0 run_shell_command + 1 run_shell_command + 2 read_file"],
    );
    check_groups(
        &[
            ("read_file", none()),
            ("replace", none()),
            ("read_file", none()),
            ("glob", none()),
            ("write_file", none()),
            ("replace", none()),
        ],
        expect!["0 read_file, 1 replace, 2 read_file + 3 glob, 4 write_file, 5 replace"],
    );
    check_groups(
        &[
            ("read_file", none()),
            ("update_topic", none()),
            ("glob", none()),
            ("update_topic", none()),
        ],
        expect!["1 update_topic, 3 update_topic, 0 read_file + 2 glob"],
    );
    check_groups(
        &[
            ("glob", none()),
            ("glob", json!({ "wait_for_previous": true })),
            ("glob", none()),
            ("glob", json!({ "wait_for_previous": false })),
        ],
        expect!["0 glob, 1 glob, 2 glob + 3 glob"],
    );
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_told_with_the_nearest_names() {
    let config = set_up(FixedGate::default(), Vec::new());
    let played = run(&config, "read_fil", json!({})).await;
    assert_eq!(played.error_type(), "tool_not_registered");
    expect![[
        r#"Tool "read_fil" not found. Did you mean one of: "read_file", "write_file", "replace"?"#
    ]]
    .assert_eq(&played.text());
    let config = SessionConfig {
        tools: ToolSet::default(),
        ..config
    };
    let played = run(&config, "x", json!({})).await;
    assert_eq!(
        played.text(),
        "Tool \"x\" not found, and there are no others."
    );
}

#[tokio::test]
async fn an_at_sign_before_a_path_is_dropped_where_nothing_has_that_name() {
    let mut config = set_up(FixedGate::default(), Vec::new());
    let files = [("src/a.ts", "plain"), ("@here", "odd"), ("here", "even")];
    config.files = MemoryFiles::new(&files);
    for (path, text) in [
        ("@src/a.ts", "plain"),
        ("src/a.ts", "plain"),
        ("@here", "odd"),
    ] {
        let played = run(&config, "read_file", json!({ "file_path": path })).await;
        assert_eq!(played.text(), text, "{path}");
    }
    // What is judged and checked is the path that is meant.
    for path in ["@.git/config", "@../x", "@/etc/passwd"] {
        let played = run(&config, "read_file", json!({ "file_path": path })).await;
        assert_eq!(played.error_type(), "path_not_in_workspace", "{path}");
    }
}

#[tokio::test]
async fn a_tool_that_is_ruled_out_is_not_there() {
    let gate = FixedGate {
        excluded: BTreeSet::from(["glob".to_owned(), "grep_search".to_owned()]),
        ..FixedGate::default()
    };
    let config = set_up(gate, Vec::new());
    let played = run(&config, "glob", json!({ "pattern": "*" })).await;
    assert_eq!(played.error_type(), "tool_not_registered");
    assert!(!played.text().contains("\"glob\"?"), "{}", played.text());
    let args = json!({ "pattern": "x" });
    let played = run(&config, "search_file_content", args).await;
    assert_eq!(played.error_type(), "tool_not_registered");
}

#[tokio::test]
async fn arguments_are_checked_before_anybody_is_asked() {
    let config = set_up(
        FixedGate::asking(),
        vec![TestTool::new("try", Does::Nothing)],
    );
    let played = run(&config, "try", json!({ "left": "two" })).await;
    assert_eq!(played.error_type(), "invalid_tool_params");
    assert_eq!(played.text(), "`left` must be of type integer");
    assert!(!played.asked());
}

#[tokio::test]
async fn what_the_policy_denies_does_not_run() {
    let log = Log::default();
    let gate = FixedGate {
        others: Decision::Deny,
        ..FixedGate::default()
    };
    let config = set_up(gate, vec![TestTool::logging("try", Does::Nothing, &log)]);
    let played = run(&config, "try", json!({})).await;
    assert_eq!(played.error_type(), "policy_violation");
    assert_eq!(played.text(), "Tool execution denied by policy.");
    assert_eq!(log.text(), "");
}

#[tokio::test]
async fn where_nobody_is_there_a_question_is_an_error() {
    let log = Log::default();
    let gate = FixedGate {
        presence: Presence::Headless,
        ..FixedGate::asking()
    };
    let config = set_up(gate, vec![TestTool::logging("try", Does::Nothing, &log)]);
    let played = run(&config, "try", json!({})).await;
    assert_eq!(played.error_type(), "policy_violation");
    expect![[r#"Tool execution for "try" requires user confirmation, which is not supported in non-interactive mode."#]]
        .assert_eq(&played.text());
    assert!(!played.asked());
    assert_eq!(log.text(), "");
}

#[tokio::test]
async fn a_panic_anywhere_in_a_tool_ends_the_call_and_nothing_else() {
    for does in [
        Does::PanicWhenChecked,
        Does::PanicWhenAsked,
        Does::PanicAtOnce,
        Does::PanicLater,
    ] {
        let gate = match does {
            Does::PanicWhenAsked => FixedGate::asking(),
            _ => FixedGate::default(),
        };
        let config = set_up(gate, vec![TestTool::new("try", does)]);
        let played = run(&config, "try", json!({})).await;
        assert_eq!(played.error_type(), "unhandled_exception");
    }
}

#[tokio::test]
async fn a_tool_may_have_another_one_called_in_its_place() {
    let log = Log::default();
    let tools = vec![
        TestTool::logging("outer", Does::Pass("inner"), &log),
        TestTool::logging("inner", Does::Nothing, &log),
    ];
    let config = set_up(FixedGate::default(), tools);
    let played = run(&config, "outer", json!({})).await;
    assert_eq!(played.text(), "inner is done");
    assert_eq!(log.text(), "outer call, inner call");
}

#[tokio::test]
async fn a_call_in_the_place_of_another_is_judged_and_checked_like_any() {
    let log = Log::default();
    let tools = || {
        vec![
            TestTool::logging("outer", Does::Pass("inner"), &log),
            TestTool::logging("inner", Does::Nothing, &log),
            TestTool::logging("lost", Does::Pass("nowhere"), &log),
        ]
    };
    let gate = FixedGate {
        denied: &["inner"],
        ..FixedGate::default()
    };
    let played = run(&set_up(gate, tools()), "outer", json!({})).await;
    assert_eq!(played.error_type(), "policy_violation");
    assert_eq!(log.text(), "outer call");
    let config = set_up(FixedGate::default(), tools());
    let played = run(&config, "lost", json!({})).await;
    assert_eq!(played.error_type(), "tool_not_registered");
    let played = run(&config, "outer", json!({ "left": 1 })).await;
    assert_eq!(played.text(), "inner is done");
}

#[tokio::test]
async fn calls_that_follow_each_other_come_to_an_end() {
    let config = set_up(
        FixedGate::default(),
        vec![TestTool::new("chain", Does::Chain)],
    );
    let played = run(&config, "chain", json!({ "left": LONGEST_TAIL })).await;
    assert_eq!(played.text(), "chain is done");
    let played = run(&config, "chain", json!({ "left": LONGEST_TAIL + 1 })).await;
    assert_eq!(
        played.text(),
        "more than 8 calls followed one from the other"
    );
}

/// Gives the answers in this order to the question, and says what became of each.
async fn answer(gate: FixedGate, answers: Vec<Answer>) -> (Played, Vec<Result<(), Refusal>>) {
    let config = set_up(gate, vec![TestTool::new("try", Does::Nothing)]);
    let mut said = Vec::new();
    let call = function_call("try", json!({}));
    let played = play(&config, &call, |event, pending| {
        if let Event::ApprovalRequested(approval) = event {
            let sent = answers.iter().cloned();
            said.extend(sent.map(|answer| pending.answer(approval.id, answer)));
        }
    })
    .await;
    (played, said)
}

#[tokio::test]
async fn the_first_answer_wins() {
    let answers = vec![Answer::Allow, Answer::Deny { feedback: None }];
    let (played, said) = answer(FixedGate::asking(), answers).await;
    assert_eq!(played.text(), "try is done");
    let gone = Refusal::NothingAsked {
        approval: ApprovalId(1),
    };
    assert_eq!(said, [Ok(()), Err(gone)]);
    let over = Event::ApprovalEnded {
        approval: ApprovalId(1),
        answer: Some(Answer::Allow),
        by: None,
    };
    assert!(played.events.contains(&over));
}

#[tokio::test]
async fn answers_that_do_not_fit_leave_the_question_open() {
    let answers = vec![
        Answer::Always {
            offer: 1,
            scope: Scope::Session,
        },
        Answer::Always {
            offer: 0,
            scope: Scope::User,
        },
        Answer::AllowWith {
            content: "x".to_owned(),
        },
        Answer::Replies([(0, Reply::Words("x".to_owned()))].into()),
        Answer::CarryOut(crate::api::ApprovalMode::Default),
        Answer::Allow,
    ];
    let count = answers.len();
    let (played, mut said) = answer(FixedGate::asking(), answers).await;
    assert_eq!(said.pop(), Some(Ok(())));
    let wrong = Refusal::WrongAnswer {
        approval: ApprovalId(1),
    };
    assert_eq!(said, vec![Err(wrong); count - 1]);
    assert_eq!(played.text(), "try is done");
}

#[tokio::test]
async fn what_is_allowed_for_good_is_remembered_by_the_gate() {
    let gate = Arc::new(FixedGate::asking());
    let mut config = set_up(
        FixedGate::asking(),
        vec![TestTool::new("try", Does::Nothing)],
    );
    config.gate = gate.clone();
    let call = function_call("try", json!({}));
    let played = play(&config, &call, |event, pending| {
        if let Event::ApprovalRequested(approval) = event {
            assert_eq!(approval.offers.len(), 1);
            let always = Answer::Always {
                offer: 0,
                scope: Scope::Session,
            };
            pending.answer(approval.id, always).unwrap();
        }
    })
    .await;
    assert_eq!(played.text(), "try is done");
    assert_eq!(
        *gate.remembered.lock().unwrap(),
        [("try".to_owned(), 0, Scope::Session)]
    );
}

#[tokio::test]
async fn what_cannot_be_remembered_is_said_and_done_all_the_same() {
    let gate = FixedGate {
        forgets: Some("the disk is full"),
        ..FixedGate::asking()
    };
    let always = Answer::Always {
        offer: 0,
        scope: Scope::Session,
    };
    let (played, _) = answer(gate, vec![always]).await;
    assert_eq!(played.text(), "try is done");
    let told = Event::NotRemembered {
        message: "the disk is full".to_owned(),
    };
    assert!(played.events.contains(&told));
}
