//! Which status and which body mean what.

use expect_test::expect;
use pollux_testkit::Reply;
use serde_json::{Value, json};

use crate::testing::{Shape, ask, model, serve};

#[tokio::test]
async fn statuses_and_bodies() {
    let told = |status: u16, error: Value| Reply::json(&json!({ "error": error })).status(status);
    let cases = [
        told(400, json!({ "message": "bad" })),
        told(
            400,
            json!({ "message": "too much", "code": "context_length_exceeded" }),
        ),
        told(
            400,
            json!({ "message": "too much", "type": "exceed_context_size_error" }),
        ),
        told(
            400,
            json!({ "message": "This model's maximum context length is 8 tokens" }),
        ),
        told(401, json!({ "message": "who" })),
        told(402, json!({ "message": "pay" })),
        told(403, json!({ "message": "no" })),
        told(404, json!("model \"x\" not found, try pulling it first")),
        Reply::json(&json!({ "detail": "field required" })).status(422),
        told(429, json!({ "message": "slow" })),
        told(429, json!({ "message": "slow" })).header("retry-after", "12"),
        told(429, json!({ "message": "slow" })).header("retry-after", "3600"),
        told(429, json!({ "message": "slow" }))
            .header("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"),
        told(
            429,
            json!({ "message": "broke", "code": "insufficient_quota" }),
        ),
        told(
            429,
            json!({ "message": "You exceeded your current quota." }),
        ),
        told(
            429,
            json!({ "message": "You exceeded your current quota." }),
        )
        .header("retry-after", "7"),
        told(500, json!({ "message": "oops" })),
        told(503, json!({ "message": "Loading model" })),
        Reply::raw("text/html", "<h1>nginx</h1>").status(502),
        Reply::raw("text/plain", "").status(418),
    ];
    let mut table = String::new();
    for reply in cases {
        let server = serve(reply).await;
        let events = ask(&model(Shape::OpenAi, &server.url(), 1)).await;
        let error = events.last().unwrap().clone().unwrap_err();
        table += &format!(
            "{:?} {:?} | {error}\n",
            error.failure_kind(),
            error.retry_rule()
        );
    }
    expect![[r#"
        Unknown Never | the provider rejects the request: bad
        Unknown Never | the conversation is too long for the model: too much
        Unknown Never | the conversation is too long for the model: too much
        Unknown Never | the conversation is too long for the model: This model's maximum context length is 8 tokens
        Unknown Never | the provider does not accept the API key: who
        Terminal Never | Quota used up (not enough credits): pay
        Unknown Never | the provider does not accept the API key: no
        NotFound Never | the model was not found: model "x" not found, try pulling it first
        Unknown Never | the provider rejects the request: field required
        Transient Always | the model is busy (HTTP 429): slow
        Transient Always | the model is busy (HTTP 429): slow
        Terminal Never | Quota used up: slow
        Transient Always | the model is busy (HTTP 429): slow
        Terminal Never | Quota used up (not enough credits): broke
        Terminal Never | Quota used up: You exceeded your current quota.
        Transient Always | the model is busy (HTTP 429): You exceeded your current quota.
        Unknown Always | the provider failed (HTTP 500): oops
        Transient Always | the model is busy (HTTP 503): Loading model
        Unknown Always | the provider failed (HTTP 502): <h1>nginx</h1>
        Unknown Never | the provider answered with HTTP 418: no further information
    "#]].assert_eq(&table);
}
