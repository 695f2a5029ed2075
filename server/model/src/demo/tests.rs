use expect_test::{Expect, expect};
use futures_util::FutureExt;
use serde_json::{Value, json};

use super::script::{EDITS, FILES};
use super::*;
use crate::{Content, FunctionCall, FunctionResponse, Model, Part, Role, ToolDeclaration};

fn tool(name: &str) -> ToolDeclaration {
    ToolDeclaration {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({}),
    }
}

fn request() -> Request {
    Request {
        system_instruction: None,
        contents: vec![Content::prompt("fix it")],
        tools: vec![tool("read_file"), tool("replace")],
        ..Request::default()
    }
}

/// Plays a turn to its end, with every call answered by `ok` and every file as the script knows it.
fn play(mut request: Request) -> Vec<FunctionCall> {
    let mut made = Vec::new();
    for _ in 0..20 {
        let calls: Vec<FunctionCall> = events(&request)
            .into_iter()
            .filter_map(|event| match event {
                Ok(StreamEvent::FunctionCall(call)) => Some(call),
                _ => None,
            })
            .collect();
        if calls.is_empty() {
            return made;
        }
        let answer = |call: &FunctionCall| {
            let file = call.args.get("file_path").and_then(Value::as_str);
            let edits = EDITS.iter().filter(|edit| Some(edit.file) == file);
            let text: String = match call.name.as_str() {
                "read_file" => edits.map(|edit| edit.old).collect(),
                _ => "ok".to_owned(),
            };
            Part::FunctionResponse(FunctionResponse {
                id: call.id.clone(),
                name: call.name.clone(),
                response: json!({ "output": text }).as_object().unwrap().clone(),
            })
        };
        request.contents.push(Content {
            role: Role::Model,
            parts: calls.iter().cloned().map(Part::FunctionCall).collect(),
        });
        request.contents.push(Content {
            role: Role::User,
            parts: calls.iter().map(answer).collect(),
        });
        made.extend(calls);
    }
    panic!("the demo does not come to an end: {made:?}")
}

#[test]
fn where_somebody_can_be_asked_it_keeps_a_list_and_runs_a_command() {
    let mut request = request();
    for name in ["run_shell_command", "write_todos", "ask_user"] {
        request.tools.push(tool(name));
    }
    let made = play(request);
    let names: Vec<&str> = made.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "read_file",
            "read_file",
            "run_shell_command",
            "replace",
            "replace",
            "replace",
            "replace",
            "write_todos",
            "run_shell_command",
            "write_todos",
        ]
    );
}

#[test]
fn where_nobody_can_be_asked_no_command_waits_for_an_answer() {
    let mut request = request();
    for name in ["run_shell_command", "write_todos"] {
        request.tools.push(tool(name));
    }
    let commands = play(request);
    let commands = commands
        .iter()
        .filter(|call| call.name == "run_shell_command");
    assert_eq!(commands.count(), 1);
}

/// Streams at once; the demo never waits at [`Pace::Instant`].
fn events(request: &Request) -> Vec<Result<StreamEvent, ModelError>> {
    Model::Demo(Demo::new(Pace::Instant))
        .stream(request.clone(), CancellationToken::new())
        .collect()
        .now_or_never()
        .unwrap()
}

/// Text as it reads, calls as one line each.
fn shown(events: &[Result<StreamEvent, ModelError>]) -> String {
    events
        .iter()
        .map(|event| match event {
            Ok(StreamEvent::Text(text)) => text.clone(),
            Ok(StreamEvent::SignedText(signed)) => signed.text.clone(),
            Ok(StreamEvent::Thought(thought)) => format!("({})\n", thought.subject),
            Ok(StreamEvent::FunctionCall(call)) => {
                let texts = ["file_path", "instruction", "command"].map(|name| call.args.get(name));
                let texts: Vec<&str> = texts
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                format!("> {} {} {}\n", call.id, call.name, texts.join(": "))
            }
            Ok(
                other @ (StreamEvent::Citation(_)
                | StreamEvent::Grounding(_)
                | StreamEvent::Retrying(_)
                | StreamEvent::RetryStarted
                | StreamEvent::UsedSoFar(_)),
            ) => {
                panic!("the demo never sends {other:?}")
            }
            Ok(StreamEvent::Finished { reason, .. }) => format!("{reason:?}\n"),
            Err(error) => format!("error: {error}\n"),
        })
        .collect()
}

fn check(request: &Request, expected: Expect) {
    expected.assert_eq(&shown(&events(request)));
}

/// Answers every call of the last answer, as an agent would, and returns the next request.
fn answered(mut request: Request, respond: impl Fn(&FunctionCall) -> Value) -> Request {
    let calls: Vec<FunctionCall> = events(&request)
        .into_iter()
        .filter_map(|event| match event {
            Ok(StreamEvent::FunctionCall(call)) => Some(call),
            _ => None,
        })
        .collect();
    let responses = calls.iter().map(|call| {
        Part::FunctionResponse(FunctionResponse {
            id: call.id.clone(),
            name: call.name.clone(),
            response: respond(call).as_object().unwrap().clone(),
        })
    });
    let responses = responses.collect();
    request.contents.push(Content {
        role: Role::Model,
        parts: calls.into_iter().map(Part::FunctionCall).collect(),
    });
    request.contents.push(Content {
        role: Role::User,
        parts: responses,
    });
    request
}

/// A file that holds every text the script wants to change in it.
fn fitting_file(call: &FunctionCall) -> Value {
    let text: String = EDITS
        .iter()
        .filter(|edit| call.args["file_path"] == edit.file)
        .map(|edit| edit.old)
        .collect();
    json!({ "output": text })
}

#[test]
fn it_says_that_it_is_a_demo_and_reads_the_files_first() {
    check(
        &request(),
        expect![[r#"
            This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The tools it calls, the edits it proposes and your decisions about them are real.

            First it reads the program.
            > demo-1 read_file src/retry.rs
            > demo-2 read_file src/upload.rs
            Stop
        "#]],
    );
}

#[test]
fn it_proposes_the_edits_that_fit_what_was_read() {
    check(
        &answered(request(), fitting_file),
        expect![[r#"
            (Comparing the code with the README)
            The program does not do what its README says:

            - `src/retry.rs`: the attempt counter starts again after every pause, so the limit is never reached; the limit itself lets one attempt too many through.
            - `src/retry.rs`: the pause doubles without end, and overflows at the 33rd attempt.
            - `src/upload.rs`: `chunks_exact` leaves out the last part when it is shorter than the others.
            - `src/upload.rs`: a failed upload still ends with status 0.

            One edit for each follows. Nothing is written before you keep it, unless this session edits without asking.
            > demo-3 replace src/retry.rs: Stop after max_attempts attempts
            > demo-4 replace src/retry.rs: Limit the pause to longest_pause
            > demo-5 replace src/upload.rs: Send the last, shorter part too
            > demo-6 replace src/upload.rs: End with status 1 when the upload fails
            Stop
        "#]],
    );
}

#[test]
fn it_says_which_edits_do_not_fit_and_why() {
    let request = answered(request(), |call| {
        if call.args["file_path"] == FILES[0] {
            json!({ "error": "there is no such file" })
        } else {
            json!({ "output": EDITS[3].old })
        }
    });
    check(
        &request,
        expect![[r#"
            (Comparing the code with the README)
            The program does not do what its README says:

            - `src/upload.rs`: a failed upload still ends with status 0.

            Some edits of the script do not fit:

            - `src/retry.rs`: there is no such file.
            - `src/upload.rs`: the text to change is not there (Send the last, shorter part too).

            One edit for each follows. Nothing is written before you keep it, unless this session edits without asking.
            > demo-3 replace src/upload.rs: End with status 1 when the upload fails
            Stop
        "#]],
    );
}

#[test]
fn it_proposes_nothing_in_a_strange_workspace() {
    let request = answered(request(), |_| json!({ "output": "print('hello')\n" }));
    check(
        &request,
        expect![[r#"
            The demo knows only its own sample program, and this is not it, or it is already fixed:

            - `src/retry.rs`: the text to change is not there (Stop after max_attempts attempts).
            - `src/retry.rs`: the text to change is not there (Limit the pause to longest_pause).
            - `src/upload.rs`: the text to change is not there (Send the last, shorter part too).
            - `src/upload.rs`: the text to change is not there (End with status 1 when the upload fails).

            Nothing was proposed.
            Stop
        "#]],
    );
}

#[test]
fn it_sums_up_what_was_kept_rejected_and_refused() {
    let request = answered(answered(request(), fitting_file), |call| {
        match call.args["instruction"].as_str().unwrap() {
            "Stop after max_attempts attempts" => {
                json!({ "output": "", "accepted": [{}], "rejected": [{}] })
            }
            "Limit the pause to longest_pause" => json!({ "output": "", "rejected": [{}] }),
            "Send the last, shorter part too" => json!({ "error": "the file changed on disk" }),
            _ => json!({ "output": "", "accepted": [{}] }),
        }
    });
    check(
        &request,
        expect![[r#"
            **2 of 4 hunks kept.**

            - `src/retry.rs`: 1 of 2 hunks kept, so this is fixed only in part.
            - `src/retry.rs`: rejected, so the pause doubles without end, and overflows at the 33rd attempt.
            - `src/upload.rs`: not changed: the file changed on disk.
            - `src/upload.rs`: a failed upload ends with status 1.

            Until every edit is in, `cargo test` fails.
            Stop
        "#]],
    );
}

#[test]
fn it_says_when_everything_is_in_place() {
    let request = answered(
        answered(request(), fitting_file),
        |_| json!({ "output": "", "accepted": [{}] }),
    );
    check(
        &request,
        expect![[r#"
        **4 of 4 hunks kept.**

        - `src/retry.rs`: it gives up after exactly `max_attempts` attempts.
        - `src/retry.rs`: no pause is longer than `longest_pause`.
        - `src/upload.rs`: the last, shorter part is sent too.
        - `src/upload.rs`: a failed upload ends with status 1.

        With all of it in place, `cargo test` passes. The demo does not run it for you.
        Stop
    "#]],
    );
}

#[test]
fn edits_that_nobody_was_asked_about_are_in() {
    let written =
        json!({ "output": "Successfully modified file: /w/src/retry.rs (1 replacements)." });
    let request = answered(answered(request(), fitting_file), |_| written.clone());
    check(
        &request,
        expect![[r#"
        **4 edits written without asking.**

        - `src/retry.rs`: it gives up after exactly `max_attempts` attempts.
        - `src/retry.rs`: no pause is longer than `longest_pause`.
        - `src/upload.rs`: the last, shorter part is sent too.
        - `src/upload.rs`: a failed upload ends with status 1.

        With all of it in place, `cargo test` passes. The demo does not run it for you.
        Stop
    "#]],
    );
}

#[test]
fn a_sum_of_decided_written_and_failed_edits_names_them_all() {
    let request = answered(answered(request(), fitting_file), |call| {
        match call.args["instruction"].as_str().unwrap() {
            "Stop after max_attempts attempts" => {
                json!({ "output": "", "accepted": [{}, {}], "rejected": [] })
            }
            "Limit the pause to longest_pause" => json!({ "output": "Successfully modified file" }),
            _ => json!({ "error": "Tool execution denied by policy." }),
        }
    });
    check(
        &request,
        expect![[r#"
        **2 of 2 hunks kept, 1 edit written without asking.**

        - `src/retry.rs`: it gives up after exactly `max_attempts` attempts.
        - `src/retry.rs`: no pause is longer than `longest_pause`.
        - `src/upload.rs`: not changed: Tool execution denied by policy.

        Until every edit is in, `cargo test` fails.
        Stop
    "#]],
    );
}

#[test]
fn when_every_edit_failed_nothing_was_changed() {
    let request = answered(
        answered(request(), fitting_file),
        |_| json!({ "error": "no" }),
    );
    let shown = shown(&events(&request));
    assert!(shown.starts_with("**Nothing was changed.**\n"), "{shown}");
}

fn with_shell() -> Request {
    let mut request = request();
    request.tools.push(tool("run_shell_command"));
    request
}

/// What the demo says in the end, with this answer to its command.
fn sum_after_command(response: &Value) -> String {
    let looked = answered(with_shell(), |call| match call.name.as_str() {
        "run_shell_command" => response.clone(),
        _ => fitting_file(call),
    });
    let kept = answered(looked, |_| json!({ "output": "", "accepted": [{}] }));
    shown(&events(&kept))
}

#[test]
fn with_a_shell_it_counts_lines() {
    check(
        &with_shell(),
        expect![[r#"
        This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The tools it calls, the edits it proposes and your decisions about them are real.

        First it reads the program.
        > demo-1 read_file src/retry.rs
        > demo-2 read_file src/upload.rs
        > demo-3 run_shell_command wc -l src/retry.rs src/upload.rs README.md
        Stop
    "#]],
    );
    let counted = "<untrusted_context>\nOutput:   66 src/retry.rs\r\n  89 src/upload.rs\r\n  11 README.md\r\n 166 total\n</untrusted_context>";
    let sum = sum_after_command(&json!({ "output": counted }));
    let told = "\nBefore the edits the command counted 166 lines.\n";
    assert!(sum.contains(told), "{sum}");
}

#[test]
fn a_command_that_did_not_run_to_its_end_is_not_quoted() {
    for response in [
        json!({ "error": "denied" }),
        json!({ "output": "" }),
        json!({ "output": "Output: 66 src/retry.rs\n66 total\nExit Code: 1" }),
        json!({ "output": "many total" }),
    ] {
        let sum = sum_after_command(&response);
        assert!(!sum.contains("counted"), "{sum}");
    }
}

/// A request with an editor that has something selected in a file of the workspace.
fn in_editor(file: &str, selected: &str, line: usize, prompt: &str) -> Request {
    let context = "<session_context>\nWorkspace folders:\n- /w\n</session_context>";
    let active = json!({ "activeFile": {
        "path": format!("/w/{file}"),
        "cursor": { "line": line, "character": 1 },
        "selectedText": selected,
    } });
    let told = format!("What the editor shows:\n```json\n{active}\n```");
    let parts = [
        context,
        &told,
        prompt,
        "the text of a file that the prompt names",
    ];
    // Neighbours of one role are sent as one message.
    let content = Content {
        role: Role::User,
        parts: parts.map(|text| Part::Text(text.to_owned())).into(),
    };
    Request {
        contents: vec![content],
        ..request()
    }
}

#[test]
fn the_file_that_is_open_is_read_first() {
    check(
        &in_editor("src/upload.rs", "", 1, "fix it"),
        expect![[r#"
        This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The tools it calls, the edits it proposes and your decisions about them are real.

        First it reads the program, beginning with `src/upload.rs`, which you have open.
        > demo-1 read_file src/upload.rs
        > demo-2 read_file src/retry.rs
        Stop
    "#]],
    );
    check(
        &in_editor("docs/a.md", "", 1, "fix it"),
        expect![[r#"
        This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The tools it calls, the edits it proposes and your decisions about them are real.

        First it reads `docs/a.md`, which you have open, and then the program that it knows.
        > demo-1 read_file docs/a.md
        > demo-2 read_file src/retry.rs
        > demo-3 read_file src/upload.rs
        Stop
    "#]],
    );
}

#[test]
fn a_question_about_the_selection_is_answered_and_nothing_is_proposed() {
    let fault = EDITS[2].old;
    let request = in_editor("src/upload.rs", fault, 1, "What does this do?");
    check(
        &request,
        expect![[r#"
        This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The tools it calls, the edits it proposes and your decisions about them are real.

        First it reads the file that the selection is in.
        > demo-1 read_file src/upload.rs
        Stop
    "#]],
    );
    let request = answered(request, fitting_file);
    check(
        &request,
        expect![[r#"
        The selection is in line 1 of `src/upload.rs`.

        There is a fault in it: `chunks_exact` leaves out the last part when it is shorter than the others.

        Ask the demo to fix the program, and it proposes the edits.
        Stop
    "#]],
    );
}

#[test]
fn a_selection_whose_file_cannot_be_read_is_described_all_the_same() {
    let mut blind = in_editor("src/upload.rs", "a\nb\n", 3, "explain");
    blind.tools.clear();
    check(
        &blind,
        expect![[r#"
            This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The tools it calls, the edits it proposes and your decisions about them are real.

            The selection has 2 lines, at line 3 of `src/upload.rs`.

            The demo cannot say more about it: it is a script, and knows only its own sample program by heart.
            Stop
        "#]],
    );
    let request = in_editor("src/upload.rs", "a\nb\n", 3, "explain");
    let refused = answered(request, |_| json!({ "error": "no" }));
    let shown = shown(&events(&refused));
    let told = "The selection has 2 lines, at line 3 of `src/upload.rs`.\n";
    assert!(shown.starts_with(told), "{shown}");
}

#[test]
fn a_selection_does_not_keep_the_demo_from_its_work() {
    let request = in_editor("src/upload.rs", EDITS[2].old, 1, "fix this");
    let proposed = shown(&events(&answered(request, fitting_file)));
    assert!(proposed.contains("> demo-6 replace"), "{proposed}");
}

#[test]
fn a_second_prompt_starts_over_with_fresh_call_ids() {
    let mut request = answered(
        answered(request(), fitting_file),
        |_| json!({ "output": "", "accepted": [{}] }),
    );
    request.contents.push(Content::prompt("again"));
    check(
        &request,
        expect![[r#"
            This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The tools it calls, the edits it proposes and your decisions about them are real.

            First it reads the program.
            > demo-7 read_file src/retry.rs
            > demo-8 read_file src/upload.rs
            Stop
        "#]],
    );
}

#[test]
fn without_its_tools_it_says_so() {
    let mut request = request();
    request.tools.pop();
    check(
        &request,
        expect![[r#"
        This is the **demo model**: scripted, offline, without a key. It knows one small program by heart. The tools it calls, the edits it proposes and your decisions about them are real.

        It needs the tool `replace`, which this session does not offer, so it stops here.
        Stop
    "#]],
    );
}

#[test]
fn a_request_without_a_prompt_is_an_error() {
    check(
        &Request::default(),
        expect![[r#"
        error: the request holds no prompt
    "#]],
    );
}

#[tokio::test(start_paused = true)]
async fn cancelling_ends_the_stream_at_the_next_word() {
    let cancel = CancellationToken::new();
    let model = Model::Demo(Demo::new(Pace::PerWord(Duration::from_secs(1))));
    let mut stream = model.stream(request(), cancel.clone());
    assert_eq!(
        stream.next().await,
        Some(Ok(StreamEvent::Text("This ".to_owned())))
    );
    cancel.cancel();
    assert_eq!(stream.next().await, Some(Err(ModelError::Cancelled)));
    assert_eq!(stream.next().await, None);
}
