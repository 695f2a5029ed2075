use serde_json::json;

use super::{ANSWER_BYTES, ARGUMENTS_BYTES, AnswerSize, CALLS, TOOL_NAME_BYTES, check_request};
use crate::testing::object;
use crate::{CallId, FunctionCall, ModelError, StreamEvent};

fn call(name: &str, content: &str) -> StreamEvent {
    StreamEvent::FunctionCall(FunctionCall {
        id: CallId::new("1"),
        name: name.to_owned(),
        args: object(json!({ "content": [content] })),
        signature: None,
    })
}

fn refusal(result: Result<(), ModelError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn an_answer_is_taken_up_to_its_limit() {
    let mut size = AnswerSize::default();
    let piece = StreamEvent::Text("x".repeat(ANSWER_BYTES / 8));
    for _ in 0..8 {
        assert_eq!(size.add(&piece), Ok(()));
    }
    assert_eq!(
        refusal(size.add(&StreamEvent::Text("x".to_owned()))),
        "the model's reply cannot be read: the answer is longer than 8 MB, which is the limit"
    );
}

#[test]
fn long_arguments_and_names_are_refused() {
    let fits = call("write_file", &"x".repeat(ARGUMENTS_BYTES - 16));
    assert_eq!(AnswerSize::default().add(&fits), Ok(()));
    let long = call("write_file", &"x".repeat(ARGUMENTS_BYTES));
    assert_eq!(
        refusal(AnswerSize::default().add(&long)),
        "the model's reply cannot be read: an argument list of `write_file` is longer than 4 MB, which is the limit"
    );
    let named = call(&"n".repeat(TOOL_NAME_BYTES + 1), "");
    assert_eq!(
        refusal(AnswerSize::default().add(&named)),
        "the model's reply cannot be read: the name of a tool is longer than 256 bytes, which is the limit"
    );
}

#[test]
fn calls_are_counted() {
    let mut size = AnswerSize::default();
    for _ in 0..CALLS {
        assert_eq!(size.add(&call("a", "")), Ok(()));
    }
    assert_eq!(
        refusal(size.add(&call("a", ""))),
        "the model's reply cannot be read: the answer has more than 1000 calls"
    );
}

#[test]
fn a_request_has_a_limit_too() {
    assert_eq!(check_request(32 << 20), Ok(()));
    let refused = check_request((32 << 20) + 1).unwrap_err();
    assert!(matches!(refused, ModelError::ContextTooLong { .. }));
}
