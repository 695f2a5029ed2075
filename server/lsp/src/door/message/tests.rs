use proptest::prelude::*;

use super::*;

fn read(body: &str) -> Result<Message, Unreadable> {
    Message::read(Bytes::copy_from_slice(body.as_bytes()))
}

#[test]
fn what_the_host_would_stumble_over_is_found_here() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","method":"x","params":{}{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    for (body, expected) in [
        ("", "not valid JSON"),
        ("[]", "neither a request nor a reply"),
        ("{}", "neither a request nor a reply"),
        (
            r#"{"jsonrpc":"1.0","method":"x"}"#,
            "neither a request nor a reply",
        ),
        (
            r#"{"jsonrpc":"2.0","method":7}"#,
            "neither a request nor a reply",
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#,
            "neither a request nor a reply",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1}"#,
            "neither a request nor a reply",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"x","params":1e999}"#,
            "not valid JSON",
        ),
        (deep.as_str(), "not valid JSON"),
    ] {
        let message = read(body).unwrap_err().to_string();
        assert!(message.contains(expected), "{body}: {message}");
    }
    assert!(Message::read(Bytes::from_static(b"{\"a\":\"\xff\"}")).is_err());
}

#[test]
fn a_refusal_carries_the_id_where_there_is_one() {
    let refused = |body| match read(body).unwrap_err() {
        Unreadable::NotRpc { id, .. } => id,
        Unreadable::NotJson(detail) => panic!("{detail}"),
    };
    assert_eq!(refused(r#"{"jsonrpc":"1.0","id":7,"method":"x"}"#), "7");
    assert_eq!(
        refused(r#"{"jsonrpc":"1.0","id":[7],"method":"x"}"#),
        "null"
    );
}

#[test]
fn half_a_surrogate_pair_becomes_one_unit_that_can_be_read() {
    let text = r#"{"jsonrpc":"2.0","method":"x","params":["\ud83d","\uDE00a","\ud83d\ude00","\\ud83d","\ud83d\ud83d\ude00"]}"#;
    let message = read(text).unwrap();
    let Kind::Call { params, .. } = message.kind else {
        panic!("not a call")
    };
    assert_eq!(
        params,
        serde_json::json!(["\u{fffd}", "\u{fffd}a", "😀", "\\ud83d", "\u{fffd}😀"])
    );
    assert_eq!(parse(&message.body).unwrap()["params"], params);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(body in prop::collection::vec(any::<u8>(), 0..60)) {
        let _refused = Message::read(Bytes::from(body));
    }

    #[test]
    fn what_is_sent_on_can_be_read(text in r#"(\\u[dD][89abCDEF][0-9a]{2}|\\\\|u|\\n|[a-d]){0,12}"#) {
        let body = format!(r#"{{"jsonrpc":"2.0","method":"x","params":["{text}"]}}"#);
        let message = read(&body).unwrap();
        prop_assert!(parse(&message.body).is_ok());
    }
}
