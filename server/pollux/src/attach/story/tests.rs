use expect_test::{Expect, expect};
use pollux_lsp::protocol::{ApprovalAnswer, ApprovalScope};
use serde_json::{Value, json};

use super::*;
use std::time::Duration;

/// What is told of these events, from the first to the last.
fn told(story: &mut Story, events: &[Value]) -> String {
    for event in events {
        let event: SessionEvent = serde_json::from_value(event.clone()).unwrap();
        story.tell(event, Instant::now()).unwrap();
    }
    story.screen.end_prose().unwrap();
    String::from_utf8(std::mem::take(story.screen.out())).unwrap()
}

fn check(events: &[Value], expected: Expect) {
    expected.assert_eq(&told(&mut Story::new(Colour::Off), events));
}

fn started(turn: u64, prompt: &str) -> Value {
    json!({ "kind": "turnStarted", "turn": turn, "prompt": prompt, "model": "m" })
}

fn text(text: &str) -> Value {
    json!({ "kind": "text", "text": text })
}

fn ended(turn: u64, outcome: &str) -> Value {
    json!({ "kind": "turnEnded", "turn": turn, "outcome": outcome, "message": "the host ended" })
}

fn tool(call: &str, activity: &str) -> Value {
    json!({ "kind": "toolStarted", "call": call, "title": format!("Do {call}"), "tool": "t",
        "activity": activity, "input": "{}" })
}

fn tool_ended(call: &str, status: &str, message: &str, duration: u64) -> Value {
    json!({ "kind": "toolEnded", "call": call, "status": status, "message": message,
        "output": "", "outputLines": 0, "durationMs": duration })
}

fn asked(approval: u64) -> Value {
    json!({ "kind": "approvalRequested", "approval": approval, "call": "c", "tool": "t",
        "title": "Run touch made", "reason": "", "offers": [],
        "subject": { "kind": "command", "command": "touch made", "folder": "/", "programs": [], "cautions": [] } })
}

#[test]
fn a_turn_is_told_in_a_line_for_each_thing() {
    let printed: String = (1..=9).map(|line| format!("line {line}\n")).collect();
    check(
        &[
            started(1, "do\nit"),
            json!({ "kind": "thought", "subject": "Looking", "description": "long" }),
            text("I look **first**.\n"),
            json!({ "kind": "answerEnded", "reason": "stop", "usage":
                { "prompt": 1, "cached": 0, "answer": 1, "thoughts": 0, "tools": 0, "total": 2 } }),
            tool("a", "read"),
            tool("b", "command"),
            json!({ "kind": "toolPrinted", "call": "b", "text": printed }),
            tool_ended("a", "succeeded", "66 lines", 0),
            tool_ended("b", "failed", "exit code 1\nand more", 61_500),
            json!({ "kind": "cost", "turn": 0.01, "session": 0.5, "currency": "USD" }),
            ended(1, "completed"),
        ],
        expect![[r#"
            ▌ do
            ▌ it

            Thought: Looking

            I look **first**.

            › Do a  66 lines
            ✕ Do b  exit code 1  1 min 1 s
              │ line 5
              │ line 6
              │ line 7
              │ line 8
              │ line 9

            Done. 0.0100 USD, 0.5000 in all.
        "#]],
    );
}

#[test]
fn an_answer_says_what_it_was_and_whether_it_was_given_here() {
    let answer = |approval: u64, answer: Value| json!({ "kind": "approvalEnded", "approval": approval, "answer": answer });
    let mut story = Story::new(Colour::Off);
    told(
        &mut story,
        &[started(1, "go"), asked(1), asked(2), asked(3)],
    );
    assert_eq!(story.question().map(Question::number), Some(1));
    let session = ApprovalAnswer::Always {
        offer: 0,
        scope: ApprovalScope::Session,
    };
    story.replied(1, Reply::Answer(session.clone()));
    // Another window is quicker with the second one.
    story.replied(2, Reply::Answer(ApprovalAnswer::Allow));
    assert_eq!(story.question().map(Question::number), Some(3));
    let shown = told(
        &mut story,
        &[
            answer(1, serde_json::to_value(&session).unwrap()),
            json!({ "kind": "approvalEnded", "approval": 2, "answer": { "kind": "deny", "feedback": "not now" }, "by": "Zed" }),
            json!({ "kind": "approvalEnded", "approval": 3 }),
        ],
    );
    expect![[r#"
        Run touch made: allowed in this session
        Run touch made: rejected: not now (in Zed)
        Run touch made: not asked any more (not in this window)
    "#]]
    .assert_eq(&shown);
    assert_eq!(story.question(), None);
}

#[test]
fn an_answer_that_is_refused_leaves_the_question_open() {
    let mut story = Story::new(Colour::Off);
    told(&mut story, &[started(1, "go"), asked(1)]);
    story.replied(1, Reply::Answer(ApprovalAnswer::Allow));
    assert_eq!(story.question(), None);
    told(&mut story, &[json!({ "kind": "refused", "reason": "no" })]);
    assert_eq!(story.question().map(Question::number), Some(1));
}

#[test]
fn after_a_restart_only_the_turn_under_way_is_told_again() {
    let mut story = Story::new(Colour::Off);
    let first = [started(1, "one"), text("first"), ended(1, "completed")];
    told(&mut story, &first);
    told(&mut story, &[started(2, "two"), text("sec")]);
    story.host_replaced().unwrap();
    let mut again = first.to_vec();
    again.extend([started(2, "two"), text("second"), ended(2, "interrupted")]);
    let shown = told(&mut story, &again);
    expect![[r#"
        The host was restarted; going on from the record.

        ▌ two

        second

        Interrupted: Pollux exited during this turn. What arrived is above, and nothing you typed was lost.
        Type c to continue the turn.
    "#]]
    .assert_eq(&shown);
    // Of a session that was idle nothing is told again.
    story.host_replaced().unwrap();
    told(&mut story, &[]);
    assert_eq!(told(&mut story, &again), "");
    story.caught_up();
    assert_ne!(told(&mut story, &[started(3, "three")]), "");
}

#[test]
fn a_session_is_idle_when_nothing_waits_or_what_waits_was_stopped() {
    let queued = json!({ "kind": "promptQueued", "id": 1, "text": "next" });
    let mut story = Story::new(Colour::Off);
    assert!(story.is_idle());
    told(&mut story, &[started(1, "one"), queued]);
    assert!(!story.is_idle());
    told(&mut story, &[ended(1, "completed")]);
    assert!(!story.is_idle());
    told(&mut story, &[ended(1, "cancelled")]);
    assert!(story.is_idle());
    assert_eq!(story.at_work(Instant::now()), ["1 prompt waits"]);
}

#[test]
fn an_edit_that_met_a_persons_lines_is_told_as_a_conflict() {
    let contested = json!({ "kind": "editContested", "proposal": 1, "conflicts": 1 });
    check(
        &[started(1, "edit it"), contested],
        expect![[r#"
            ▌ edit it

            Conflict in a place: you and the agent changed the same lines, and yours are in the file
        "#]],
    );
}

fn of_agent(parent: &str, mut started: Value) -> Value {
    started["parent"] = parent.into();
    started
}

#[test]
fn what_a_sub_agent_does_is_set_in_below_its_name() {
    let mut story = Story::new(Colour::Off);
    let mut agent = tool("scout", "agent");
    agent["title"] = "scout: Find it".into();
    let shown = told(
        &mut story,
        &[
            started(1, "find it"),
            text("I ask somebody."),
            agent,
            of_agent("scout", tool("a", "read")),
            tool_ended("a", "succeeded", "12 lines", 4),
            of_agent("scout", tool("b", "command")),
            json!({ "kind": "toolProgress", "call": "scout", "message": "Where it is", "done": 2, "total": 30 }),
        ],
    );
    expect![[r#"
        ▌ find it

        I ask somebody.
        ▸ scout: Find it
          › Do a  12 lines  4 ms
    "#]]
    .assert_eq(&shown);
    expect![[r#"
        [
            "… scout: Find it",
            "  │ Where it is  turn 2 of 30",
            "  … Do b",
        ]
    "#]]
    .assert_debug_eq(&story.at_work(Instant::now()));
    let shown = told(
        &mut story,
        &[
            json!({ "kind": "toolPrinted", "call": "b", "text": "found\n" }),
            tool_ended("b", "succeeded", "", 30),
            tool_ended("scout", "succeeded", "Done in 3 turns", 42_000),
        ],
    );
    expect![[r#"
          › Do b  30 ms
            │ found
        › scout: Find it  Done in 3 turns  42 s
    "#]]
    .assert_eq(&shown);
}

#[test]
fn of_two_sub_agents_at_work_each_line_says_whose_it_is() {
    let agents = ["scout", "tester"].map(|name| {
        let mut agent = tool(name, "agent");
        agent["title"] = format!("{name}: Do it").into();
        agent
    });
    let mut story = Story::new(Colour::Off);
    let mut shown = told(&mut story, &agents);
    let calls = [
        of_agent("scout", tool("a", "read")),
        of_agent("tester", tool("b", "read")),
    ];
    told(&mut story, &calls);
    expect![[r#"
        [
            "… scout: Do it",
            "  … Do a",
            "… tester: Do it",
            "… and 1 more",
        ]
    "#]]
    .assert_debug_eq(&story.at_work(Instant::now()));
    shown += &told(
        &mut story,
        &[
            tool_ended("b", "succeeded", "", 4),
            tool_ended("a", "succeeded", "", 4),
        ],
    );
    expect![[r#"
        ▸ scout: Do it
        ▸ tester: Do it
          › tester: Do b  4 ms
          › scout: Do a  4 ms
    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_turn_that_failed_or_was_interrupted_says_so() {
    check(
        &[
            started(1, "do it"),
            json!({ "kind": "turnEnded", "turn": 1, "outcome": "failed", "message": "the key was refused" }),
            started(2, "do it"),
            json!({ "kind": "turnEnded", "turn": 2, "outcome": "failed", "message": "" }),
            started(3, "do it"),
            text("half"),
            ended(3, "interrupted"),
        ],
        expect![[r#"
            ▌ do it

            Failed: the key was refused.

            ▌ do it

            Failed.

            ▌ do it

            half

            Interrupted: Pollux exited during this turn. What arrived is above, and nothing you typed was lost.
            Type c to continue the turn.
        "#]],
    );
}

#[test]
fn time_in_which_somebody_is_asked_does_not_count_for_a_call() {
    let mut story = Story::new(Colour::Off);
    let start = Instant::now();
    let mut tell = |event: Value, second: u64| {
        let event: SessionEvent = serde_json::from_value(event).unwrap();
        story
            .tell(event, start + Duration::from_secs(second))
            .unwrap();
        story.at_work(start + Duration::from_secs(second + 1))
    };
    tell(started(1, "do it"), 0);
    tell(tool("agent", "agent"), 0);
    let mut inner = tool("c", "command");
    inner["parent"] = json!("agent");
    tell(inner, 2);
    // A question comes in second 4 and is answered in second 100.
    let rows = tell(asked(1), 4);
    assert_eq!(rows, ["… Do agent  4.0 s", "  … Do c  2.0 s"]);
    let answered = json!({ "kind": "approvalEnded", "approval": 1, "answer": { "kind": "allow" } });
    let rows = tell(answered, 100);
    assert_eq!(rows, ["… Do agent  5.0 s", "  … Do c  3.0 s"]);
}
