use expect_test::{Expect, expect};
use serde_json::json;

use super::{encode, read};

fn check(bytes: &[u8], expected: Expect) {
    let mut pipe = bytes;
    let mut text = String::new();
    loop {
        match read(&mut pipe) {
            Ok(Some(message)) => text.push_str(&format!("{message}; ")),
            Ok(None) => break text.push_str("end"),
            Err(error) => break text.push_str(&error.to_string()),
        }
    }
    expected.assert_eq(&text);
}

#[test]
fn what_is_written_is_read_back() {
    let mut bytes = encode(&json!({"text": "é😀"}));
    bytes.extend(encode(&json!({"id": 2})));
    check(&bytes, expect![[r#"{"text":"é😀"}; {"id":2}; end"#]]);
}

#[test]
fn other_headers_are_passed_over() {
    check(
        b"Content-Type: x\r\ncontent-length: 2\r\n\r\n{}",
        expect!["{}; end"],
    );
}

#[test]
fn a_pipe_that_breaks_off_is_an_error() {
    check(
        b"Content-Length: 5\r\n\r\n{}",
        expect!["the pipe ended inside a message"],
    );
    check(
        b"Content-Length: 5\r\n",
        expect!["the pipe ended inside a header"],
    );
    check(b"nonsense\r\n\r\n", expect!["`nonsense` is no header"]);
}
