use expect_test::{Expect, expect};
use futures_util::FutureExt;
use serde_json::{Value, json};

use super::script::{EDITS, FILES};
use super::*;
use crate::{Content, FunctionCall, FunctionResponse, Model, Part, Role, ToolDeclaration};

fn request() -> Request {
    let tool = |name: &str| ToolDeclaration {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({}),
    };
    Request {
        system_instruction: None,
        contents: vec![Content::prompt("fix it")],
        tools: vec![tool("read_file"), tool("replace")],
        ..Request::default()
    }
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
                let what = call.args.get("instruction").unwrap_or(&Value::Null);
                format!(
                    "> {} {} {} {what}\n",
                    call.id, call.name, call.args["file_path"]
                )
            }
            Ok(
                other @ (StreamEvent::Citation(_)
                | StreamEvent::Grounding(_)
                | StreamEvent::Retrying(_)),
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
        > demo-1 read_file "src/retry.rs" null
        > demo-2 read_file "src/upload.rs" null
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

        One edit for each follows. Nothing is written before you keep it.
        > demo-3 replace "src/retry.rs" "Stop after max_attempts attempts"
        > demo-4 replace "src/retry.rs" "Limit the pause to longest_pause"
        > demo-5 replace "src/upload.rs" "Send the last, shorter part too"
        > demo-6 replace "src/upload.rs" "End with status 1 when the upload fails"
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

            One edit for each follows. Nothing is written before you keep it.
            > demo-3 replace "src/upload.rs" "End with status 1 when the upload fails"
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
        > demo-7 read_file "src/retry.rs" null
        > demo-8 read_file "src/upload.rs" null
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
