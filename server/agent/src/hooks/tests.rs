use std::sync::Arc;

use expect_test::expect;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::command_line::filled;
use super::matching::plan;
use super::*;
use crate::api::{Answer, Event, Subject};
use crate::testing::{
    Bench, Does, FixedGate, Log, MemoryFiles, Played, RealPrograms, TestTool, config,
    function_call, play,
};
use crate::{Ran, SessionConfig, ToolSet};

fn read(hooks: Value) -> HookSettings {
    HookSettings::read(Some(&hooks), None)
}

fn command(command: &str) -> Value {
    json!({ "type": "command", "command": command })
}

/// Hooks of one event, for every occasion.
fn on(event: &str, commands: &[&str]) -> Value {
    let hooks: Vec<Value> = commands.iter().map(|text| command(text)).collect();
    json!({ event: [{ "hooks": hooks }] })
}

fn setup(settings: HookSettings) -> HookSetup {
    let path = "/usr/local/bin:/usr/bin:/bin".into();
    HookSetup {
        settings,
        programs: Arc::new(RealPrograms),
        variables: vec![("PATH".into(), path), ("GEMINI_CWD".into(), "?".into())],
        session: "the-session".to_owned(),
        transcript: Some(PathBuf::from("/a/transcript.jsonl")),
        folder: PathBuf::from("/"),
        plans: None,
    }
}

fn hooked(settings: HookSettings, gate: FixedGate, log: &Log) -> SessionConfig {
    let mut config = config(MemoryFiles::new(&[("a.txt", "one\n")]));
    config.gate = Arc::new(gate);
    config.hooks = Hooks::new(setup(settings));
    let tools = [
        TestTool::logging("try", Does::Nothing, log),
        TestTool::logging("fail", Does::Fail, log),
    ];
    config.tools = tools.into_iter().fold(config.tools, ToolSet::with);
    config
}

/// Calls a tool that nobody is asked about.
async fn call(hooks: Value, tool: &str) -> Played {
    let config = hooked(read(hooks), FixedGate::default(), &Log::default());
    play(&config, &function_call(tool, json!({})), |_, _| {}).await
}

fn notices(played: &Played) -> Vec<&str> {
    played
        .events
        .iter()
        .filter_map(|event| match event {
            Event::HookSaid { message } => Some(message.as_str()),
            _ => None,
        })
        .collect()
}

fn planned(settings: &HookSettings, tool: &str) -> Vec<String> {
    let plan = plan(settings, HookEvent::BeforeTool, tool);
    let hooks = plan.map(|plan| plan.hooks).unwrap_or_default();
    hooks.iter().map(|hook| hook.label().to_owned()).collect()
}

#[test]
fn hooks_1_a_matcher_is_a_pattern_or_else_a_name() {
    let group = |matcher: &str| json!({ "matcher": matcher, "hooks": [command(matcher)] });
    let matchers = ["write", "^write_file$", "[", "^(?!read_)", "", "*"];
    let mut groups: Vec<Value> = matchers.iter().map(|matcher| group(matcher)).collect();
    // A hook without a command is none.
    groups[4]["hooks"][0]["command"] = json!("always");
    let settings = read(json!({ "BeforeTool": groups }));
    let seen = ["write_file", "write_todos", "[", "read_file"]
        .map(|tool| format!("{tool}: {}\n", planned(&settings, tool).join(" ")));
    expect![[r#"
        write_file: write ^write_file$ ^(?!read_) always *
        write_todos: write ^(?!read_) always *
        [: [ ^(?!read_) always *
        read_file: always *
    "#]]
    .assert_eq(&seen.concat());
    assert_eq!(settings.problems(), [""; 0]);
    assert!(plan(&settings, HookEvent::AfterTool, "write_file").is_none());
}

#[tokio::test]
async fn hooks_2_the_exit_code_tells_what_a_text_means() {
    for code in [2, 3] {
        let script = format!("echo no >&2; exit {code}");
        let played = call(on("BeforeTool", &[&script]), "try").await;
        assert_eq!(played.text(), "Tool execution blocked: no");
        assert_eq!(played.error_type(), "policy_violation");
    }
    let played = call(on("BeforeTool", &["echo careful; exit 1"]), "try").await;
    assert_eq!(played.text(), "try is done");
    assert_eq!(notices(&played), ["Warning: careful"]);
    let played = call(on("BeforeTool", &["echo fine"]), "try").await;
    assert_eq!(played.text(), "try is done");
    assert_eq!(notices(&played), ["fine"]);
}

#[tokio::test]
async fn hooks_3_an_object_counts_whatever_the_exit_code_is() {
    let deny = r#"echo '{"decision":"deny","reason":"x"}'"#;
    let played = call(on("BeforeTool", &[deny]), "try").await;
    assert_eq!(played.text(), "Tool execution blocked: x");
    let quoted = r#"echo '"{\"decision\":\"block\"}"'"#;
    let played = call(on("BeforeTool", &[quoted]), "try").await;
    assert_eq!(played.text(), "Tool execution blocked: No reason provided");
    let played = call(on("BeforeTool", &["echo '{}'; exit 2"]), "try").await;
    assert_eq!(played.text(), "try is done");
    assert!(notices(&played).is_empty());
}

#[tokio::test]
async fn hooks_4_one_no_among_many_is_a_no() {
    let allow = r#"echo '{"decision":"allow","reason":"a"}'"#;
    let deny = r#"echo '{"decision":"deny","reason":"b"}'"#;
    let played = call(on("BeforeTool", &[allow, deny]), "try").await;
    assert_eq!(played.text(), "Tool execution blocked: a\nb");
}

#[tokio::test]
async fn hooks_5_one_by_one_each_sees_what_the_one_before_changed() {
    let change = r#"echo '{"hookSpecificOutput":{"tool_input":{"left":1}}}'"#;
    let look = r#"grep -o '"tool_input":{[^}]*}' >&2; exit 2"#;
    let hooks = |sequential: bool| {
        json!({ "BeforeTool": [
            { "hooks": [command(change)] },
            { "sequential": sequential, "hooks": [command(look)] },
        ]})
    };
    for (sequential, seen) in [
        (true, r#"{"keep":true,"left":1}"#),
        (false, r#"{"keep":true}"#),
    ] {
        let config = hooked(
            read(hooks(sequential)),
            FixedGate::default(),
            &Log::default(),
        );
        let asked = function_call("try", json!({ "keep": true }));
        let played = play(&config, &asked, |_, _| {}).await;
        let expected = format!("Tool execution blocked: \"tool_input\":{seen}");
        assert_eq!(played.text(), expected);
    }
}

#[tokio::test]
async fn hooks_10_a_hook_that_takes_too_long_is_ended_and_the_call_goes_on() {
    let hooks = json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "slow", "command": "sleep 1000", "timeout": 50 },
    ]}]});
    let played = call(hooks, "try").await;
    assert_eq!(played.text(), "try is done");
    assert_eq!(
        notices(&played),
        ["The hook `slow` failed at BeforeTool: it took too long."]
    );
}

#[test]
fn hooks_11_a_hook_is_switched_off_by_its_name_or_its_command() {
    let hooks = json!({ "BeforeTool": [{ "hooks": [
        command("./a --quietly"),
        { "type": "command", "name": "b", "command": "./b" },
        { "type": "command", "name": "c", "command": "./c" },
    ]}]});
    let disabled = json!({ "disabled": ["./a --quietly", "c", "./b"] });
    let settings = HookSettings::read(Some(&hooks), Some(&disabled));
    assert_eq!(planned(&settings, "try"), ["b"]);
    let off = json!({ "enabled": false });
    assert!(HookSettings::read(Some(&hooks), Some(&off)).is_empty());
}

#[tokio::test]
async fn hooks_13_another_call_can_stand_for_one_that_is_over() {
    let tail = r#"echo '{"hookSpecificOutput":{"tailToolCallRequest":
        {"name":"read_file","args":{"file_path":"a.txt"}}}}'"#;
    let once = json!({ "AfterTool": [{ "matcher": "^try$", "hooks": [command(tail)] }] });
    let log = Log::default();
    let config = hooked(read(once), FixedGate::default(), &log);
    let played = play(&config, &function_call("try", json!({})), |_, _| {}).await;
    assert_eq!(played.text(), "one\n");
    assert_eq!(log.text(), "try call");
    // The hooks of the call that stands in are told what the model had asked for.
    let look = r#"grep -o '"original_request_name":"[a-z]*"' >&2; exit 2"#;
    let both = json!({
        "AfterTool": [{ "matcher": "^try$", "hooks": [command(tail)] }],
        "BeforeTool": [{ "matcher": "^read", "hooks": [command(look)] }],
    });
    let played = call(both, "try").await;
    assert_eq!(
        played.text(),
        r#"Tool execution blocked: "original_request_name":"try""#
    );
}

#[tokio::test]
async fn policy_16_a_hook_has_somebody_asked_about_what_is_allowed() {
    let ask = r#"echo '{"decision":"ask","systemMessage":"it is Friday"}'"#;
    let log = Log::default();
    let settings = || read(on("BeforeTool", &[ask]));
    for (answer, ran) in [
        (Answer::Allow, "try call"),
        (Answer::Deny { feedback: None }, "try call"),
    ] {
        let config = hooked(settings(), FixedGate::default(), &log);
        let bench = Bench::new(config).answering(answer);
        let _told = bench.call("try", json!({})).await;
        let events = bench.events();
        let asked = events.iter().find_map(|event| match event {
            Event::ApprovalRequested(approval) => Some(approval),
            _ => None,
        });
        let asked = asked.unwrap();
        assert_eq!(asked.reason, "a hook wants you to be asked: it is Friday");
        assert_eq!(
            asked.subject,
            Subject::Other {
                arguments: "{}".to_owned()
            }
        );
        assert_eq!(log.text(), ran);
    }
    // A hook's yes is no yes of the policy.
    let allow = r#"echo '{"decision":"allow"}'"#;
    for (answer, hook) in [("asked", FixedGate::asking()), ("denied", denying())] {
        let config = hooked(read(on("BeforeTool", &[allow])), hook, &log);
        let bench = Bench::new(config).answering(Answer::Deny { feedback: None });
        let told = bench.call("try", json!({})).await;
        let asks = |event: &Event| matches!(event, Event::ApprovalRequested(_));
        let asked = bench.events().iter().any(asks);
        assert_eq!(asked, answer == "asked", "{told}");
        assert_eq!(log.text(), "try call");
    }
}

fn denying() -> FixedGate {
    FixedGate {
        denied: &["try"],
        ..FixedGate::default()
    }
}

#[tokio::test]
async fn changed_arguments_are_checked_judged_and_confessed() {
    let change = |args: Value| {
        let said = json!({ "hookSpecificOutput": { "tool_input": args } });
        on("BeforeTool", &[&format!("echo '{said}'")])
    };
    let played = call(change(json!({ "left": 3 })), "try").await;
    expect![[r#"
        try is done

        [System] Tool input parameters were modified by a hook before execution."#]]
    .assert_eq(&played.text());
    let played = call(change(json!({ "left": "x" })), "try").await;
    assert_eq!(played.error_type(), "invalid_tool_params");
    let config = hooked(
        read(change(json!({ "left": 3 }))),
        FixedGate::asking(),
        &Log::default(),
    );
    let bench = Bench::new(config).answering(Answer::Deny { feedback: None });
    bench.call("try", json!({})).await;
    let asked = bench.events().into_iter().find_map(|event| match event {
        Event::ApprovalRequested(approval) => Some(approval.subject.clone()),
        _ => None,
    });
    let arguments = r#"{"left":3}"#.to_owned();
    assert_eq!(asked, Some(Subject::Other { arguments }));
}

#[tokio::test]
async fn a_hook_behind_a_tool_may_add_to_its_result_or_take_it_back() {
    let add = r#"echo '{"hookSpecificOutput":{"additionalContext":"<b>"}}'"#;
    let played = call(on("AfterTool", &[add]), "try").await;
    let marked = "<hook_context>&lt;b&gt;</hook_context>";
    assert_eq!(played.text(), format!("try is done\n\n{marked}"));
    let played = call(on("AfterTool", &[add]), "fail").await;
    assert_eq!(played.text(), format!("it never works\n\n{marked}"));
    let played = call(on("AfterTool", &["echo secret >&2; exit 2"]), "try").await;
    assert_eq!(played.text(), "Tool result blocked: secret");
    assert_eq!(played.error_type(), "execution_failed");
    let stop = r#"echo '{"continue":false,"stopReason":"enough"}'"#;
    for event in ["BeforeTool", "AfterTool"] {
        let played = call(on(event, &[stop]), "try").await;
        assert_eq!(played.text(), "Agent execution stopped by hook: enough");
        assert_eq!(played.error_type(), "stop_execution");
    }
}

#[tokio::test]
async fn a_hook_is_told_what_it_is_about() {
    // As it is it would be an answer of its own.
    let show = "sed 's/^/told /' >&2; exit 2";
    let played = call(on("AfterTool", &[show]), "fail").await;
    let told = played.text();
    let told = told.strip_prefix("Tool result blocked: told ").unwrap();
    let mut told: Value = serde_json::from_str(told).unwrap();
    let time = told["timestamp"].take();
    assert!(time.as_str().unwrap().ends_with('Z'), "{time}");
    expect![[r#"
        {
          "session_id": "the-session",
          "transcript_path": "/a/transcript.jsonl",
          "cwd": "/",
          "hook_event_name": "AfterTool",
          "timestamp": null,
          "tool_name": "fail",
          "tool_input": {},
          "tool_response": {
            "llmContent": {
              "error": "it never works",
              "error_type": "execution_failed"
            },
            "returnDisplay": "it never works",
            "error": {
              "message": "it never works",
              "type": "execution_failed"
            }
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&told).unwrap());
}

#[tokio::test]
async fn a_hook_has_the_variables_it_is_given_and_no_others() {
    let hooks = json!({ "BeforeTool": [{ "hooks": [{
        "type": "command",
        "command": "env -u PATH | grep -Ev '^(_|SHLVL|PWD)=' | sort >&2; exit 2",
        "env": { "OWN": "1", "GEMINI_SESSION_ID": "mine" },
    }]}]});
    let played = call(hooks, "try").await;
    expect![[r#"
        Tool execution blocked: CLAUDE_PROJECT_DIR=/
        GEMINI_CWD=/
        GEMINI_PROJECT_DIR=/
        GEMINI_SESSION_ID=mine
        OWN=1"#]]
    .assert_eq(&played.text());
}

#[test]
fn what_makes_no_sense_is_left_out_and_said() {
    let settings = read(json!({
        "enabled": true,
        "disabled": [],
        "BeforeTea": [],
        "BeforeTool": [
            {},
            { "hooks": [
                1,
                { "type": "plugin", "command": "x" },
                { "type": "command" },
                { "type": "command", "command": "y" },
            ]},
        ],
    }));
    expect![[r#"
        `hooks.BeforeTea` is no event that hooks are told of
        an entry of `hooks.BeforeTool` has no list of hooks
        a hook of `hooks.BeforeTool` is no object
        a hook of `hooks.BeforeTool` is not of the type `command`
        a hook of `hooks.BeforeTool` has no command"#]]
    .assert_eq(&settings.problems().join("\n"));
    assert_eq!(planned(&settings, "try"), ["y"]);
}

#[test]
fn the_same_hook_is_run_once() {
    let settings = read(json!({ "BeforeTool": [
        { "hooks": [command("a"), command("a"), command("b")] },
        { "hooks": [command("b"), { "type": "command", "name": "n", "command": "b" }] },
    ]}));
    assert_eq!(planned(&settings, "try"), ["a", "b", "n"]);
}

#[test]
fn names_in_a_command_are_filled_in_outside_of_quotes() {
    let known = [("GEMINI_CWD", "/a b".to_owned())];
    for (command, expected) in [
        ("$GEMINI_CWD/run.sh", "'/a b'/run.sh"),
        (r#""$GEMINI_CWD"/run.sh"#, r#""$GEMINI_CWD"/run.sh"#),
        (
            r#"sh -c '$GEMINI_CWD/x' $GEMINI_CWD"#,
            r#"sh -c '$GEMINI_CWD/x' '/a b'"#,
        ),
        (r#"\$GEMINI_CWD \"$GEMINI_CWD"#, r#"\$GEMINI_CWD \"'/a b'"#),
        (
            "$GEMINI_CWD_OLD ${GEMINI_CWD} $X",
            "$GEMINI_CWD_OLD ${GEMINI_CWD} $X",
        ),
    ] {
        assert_eq!(filled(command, &known), expected);
    }
}

proptest! {
    #[test]
    fn a_command_that_names_nothing_stays_what_it_is(command in r#"[a-zé$'"\\ ]{0,30}"#) {
        prop_assert_eq!(filled(&command, &[("KNOWN", "x".to_owned())]), command);
    }

    #[test]
    fn nothing_that_a_program_prints_is_too_much(stdout in ".{0,60}", code in -1..4) {
        let ran = Ran { stdout, code: Some(code), ..Ran::default() };
        let _answer = answer::read(&ran);
    }
}
