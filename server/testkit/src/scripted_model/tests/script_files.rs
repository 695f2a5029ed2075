//! Scripts as JSON files.

use expect_test::expect;
use serde_json::json;

use super::*;

#[test]
fn a_script_file_says_all_that_the_builder_says() {
    let script = Script::from_json(
        r#"{ "strict": true, "replies": [
            { "when": { "path": ":stream", "body": "hi" }, "split": 3, "times": 2,
              "headers": { "x-a": "b" }, "beforeHeaders": [{ "pauseMs": 5 }],
              "steps": [
                { "text": "hello" }, { "thought": "hm" },
                { "call": { "name": "f", "args": { "x": 1 }, "id": "1", "thoughtSignature": "s" } },
                { "citation": { "uri": "u", "title": "t" } },
                { "finish": { "reason": "STOP", "usage": { "prompt": 1, "output": 2 } } },
                { "event": { "a": 1 } }, { "rawEvent": "x" }, { "raw": "y" }, { "base64": "/w==" },
                { "gate": "g" }, { "repeat": { "times": 4, "steps": [{ "text": "{n}" }] } },
                "stall", "cut", "reset" ] },
            { "status": 429, "always": true,
              "error": { "status": "RESOURCE_EXHAUSTED", "message": "slow", "details": [
                { "retryInfo": "10s" },
                { "quotaFailure": [{ "quotaId": "q" }] },
                { "errorInfo": { "reason": "r", "domain": "d", "metadata": { "k": "v" } } } ] } }
        ] }"#,
    );
    let usage = Usage {
        prompt: 1,
        output: 2,
        ..Usage::default()
    };
    let call = Call::new("f", json!({ "x": 1 }))
        .id("1")
        .thought_signature("s");
    let built = Script::new()
        .reply(
            Reply::text("hello")
                .thought("hm")
                .call(call)
                .citation("u", "t")
                .finish_with_usage("STOP", usage)
                .event(json!({ "a": 1 }))
                .raw_event("x")
                .step(Step::Raw("y".to_owned()))
                .bytes([0xff])
                .gate("g")
                .repeat(4, |each| each.chunk("{n}"))
                .stall()
                .cut()
                .reset()
                .when_path(":stream")
                .when_body("hi")
                .split(3)
                .times(2)
                .header("x-a", "b")
                .before_headers(Step::PauseMs(5)),
        )
        .reply(
            Reply::error(429, "RESOURCE_EXHAUSTED", "slow")
                .retry_delay("10s")
                .quota_failure("q")
                .error_info("r", "d", &[("k", "v")])
                .always(),
        )
        .strict();
    assert_eq!(script, Ok(built));
}

#[test]
fn a_wrong_script_is_told_where_and_why() {
    let mut report = String::new();
    for text in [
        "{ \"replies\": [\n  { \"steps\": [{ \"txt\": \"\" }] }\n] }",
        "{ \"replies\": [{ \"staus\": 200 }] }",
        "{ \"replies\": [\n",
        "{ \"replies\": [{ \"steps\": [\n{ \"base64\": \"!\" }] }] }",
        "{ \"replies\": [{ \"status\": 1000 }] }",
        "{ \"replies\": [{}, { \"beforeHeaders\": [{ \"text\": \"x\" }] }] }",
        "{ \"replies\": [{ \"error\": { \"status\": \"X\" }, \"steps\": [\"cut\"] }] }",
        "{ \"replies\": [{ \"times\": 0 }] }",
    ] {
        report += &format!("{}\n", Script::from_json(text).unwrap_err());
    }
    expect![[r#"
        line 2, column 21: unknown variant `txt`, expected one of `text`, `thought`, `call`, `finish`, `citation`, `event`, `rawEvent`, `raw`, `base64`, `pauseMs`, `stall`, `gate`, `cut`, `reset`, `repeat`
        line 1, column 23: unknown field `staus`, expected one of `when`, `status`, `headers`, `beforeHeaders`, `steps`, `error`, `split`, `times`, `always`, `omitDone`
        line 2, column 0: EOF while parsing a list
        line 2, column 16: not base64 (Invalid symbol 33, offset 0.): "!"
        line 1, column 33: a status that no reply has
        line 1, column 57: `beforeHeaders` may not send anything
        line 1, column 63: either `error` or `steps`, not both
        line 1, column 29: `times` is at least 1
    "#]].assert_eq(&report);
}
