use proptest::prelude::*;

use super::*;

#[test]
fn requests_notifications_and_answers_are_told_apart() {
    let request = r#"{"jsonrpc":"2.0","id":"a","method":"x","params":{"b":1}}"#;
    match parse(request.as_bytes()).unwrap() {
        Incoming::Request { id, method, params } => {
            assert_eq!(id, RequestId::Str("a".to_owned()));
            assert_eq!(method, "x");
            assert_eq!(params.get(), r#"{"b":1}"#);
        }
        other => panic!("{other:?}"),
    }
    // An id that is there and says nothing is an id.
    let request = parse(br#"{"id":null,"method":"x"}"#).unwrap();
    assert!(
        matches!(&request, Incoming::Request { id: RequestId::Null, params, .. } if params.get() == "{}")
    );
    let notification = parse(br#"{"method":"x"}"#).unwrap();
    assert!(matches!(notification, Incoming::Notification { .. }));
    // So is a result that is nothing.
    let answer = parse(br#"{"id":3,"result":null}"#).unwrap();
    assert!(matches!(answer, Incoming::Response { answer: Ok(_), .. }));
    let failed = parse(br#"{"id":3,"error":{"code":-32601,"message":"no"}}"#).unwrap();
    assert!(matches!(failed, Incoming::Response { answer: Err(_), .. }));
    let odd = parse(br#"{"id":3,"error":"no"}"#).unwrap();
    assert!(matches!(odd, Incoming::Response { answer: Err(_), .. }));
}

#[test]
fn what_is_no_message_says_why() {
    for (line, code) in [
        ("{", -32700),
        ("\u{1}", -32700),
        ("[1]", -32600),
        ("{}", -32600),
        (r#"{"id":{},"method":"x"}"#, -32600),
        (r#"{"id":1,"id":2,"method":"x"}"#, -32600),
    ] {
        let refused = parse(line.as_bytes()).unwrap_err();
        assert_eq!(i32::from(refused.error.code), code, "{line}");
    }
}

#[test]
fn what_is_written_is_one_line() {
    let params = serde_json::json!({ "text": "one\ntwo" });
    let id = RequestId::Number(7);
    let lines = [
        notification("a", &params),
        request(7, "b", &params),
        response(&id, &params),
        refusal(&id, &Error::internal_error()),
    ];
    let shown: Vec<&str> = lines
        .iter()
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    assert_eq!(
        shown,
        [
            "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"text\":\"one\\ntwo\"}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"b\",\"params\":{\"text\":\"one\\ntwo\"}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"text\":\"one\\ntwo\"}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32603,\"message\":\"Internal error\"}}\n",
        ]
    );
}

proptest! {
    #[test]
    fn no_line_is_too_odd_to_be_read(line in proptest::collection::vec(any::<u8>(), 0..100)) {
        let _either_way = parse(&line);
    }

    #[test]
    fn no_object_is_too_odd_either(
        id in "(null|1|-7|1.5|\"a\"|\\[\\]|true)",
        method in "(null|\"x\"|3)",
        rest in "(\"params\":null|\"params\":\\[1\\]|\"result\":1|\"error\":null)",
    ) {
        let line = format!("{{\"id\":{id},\"method\":{method},{rest}}}");
        let _either_way = parse(line.as_bytes());
    }
}
