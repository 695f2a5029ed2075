//! Which status and which details mean what.

use expect_test::{Expect, expect};
use pollux_testkit::Reply;
use pollux_testkit::scripted_model::ErrorDetail;
use serde_json::json;

use crate::testing::{Shape, ask, model, serve};
use crate::*;

async fn error_of(reply: Reply) -> ModelError {
    let server = serve(reply).await;
    let mut events = ask(&model(Shape::Gemini, &server.url(), 1)).await;
    events.pop().unwrap().unwrap_err()
}

async fn check(cases: Vec<Reply>, expected: Expect) {
    let mut table = String::new();
    for reply in cases {
        let error = error_of(reply).await;
        let kind = error.failure_kind();
        let rule = error.retry_rule();
        let delay = match &error {
            ModelError::RateLimited { delay, .. } => *delay,
            ModelError::QuotaExhausted { resets_in, .. } => *resets_in,
            _ => None,
        };
        let delay = delay.map_or(String::new(), |delay| format!(" {delay:?}"));
        table += &format!("{kind:?} {rule:?}{delay} | {error}\n");
    }
    expected.assert_eq(&table);
}

fn quota(message: &str) -> Reply {
    Reply::error(429, "RESOURCE_EXHAUSTED", message)
}

#[tokio::test]
async fn statuses() {
    let cases = [
        400, 401, 403, 404, 408, 413, 429, 499, 500, 502, 503, 504, 307,
    ];
    let cases = cases.map(|status| Reply::error(status, "X", "told"));
    check(
        cases.into(),
        expect![[r#"
        Unknown Never | the provider rejects the request: told
        Unknown Never | the provider does not accept the API key: told
        Unknown Never | the provider does not accept the API key: told
        NotFound Never | the model was not found: told
        Unknown Never | the provider answered with HTTP 408: told
        Unknown Never | the provider answered with HTTP 413: told
        Transient Always | the model is busy (HTTP 429): told
        Transient Always | the model is busy (HTTP 499): told
        Unknown Always | the provider failed (HTTP 500): told
        Unknown Always | the provider failed (HTTP 502): told
        Transient Always | the model is busy (HTTP 503): told
        Unknown Always | the provider failed (HTTP 504): told
        Unknown Never | the provider answered with HTTP 307: told
    "#]],
    )
    .await;
}

#[tokio::test]
async fn quotas() {
    const CLOUD: &str = "cloudcode-pa.googleapis.com";
    let cases = vec![
        quota("slow"),
        quota("slow").retry_delay("10s"),
        quota("slow").retry_delay("300s"),
        quota("slow").retry_delay("300.5s"),
        quota("slow").retry_delay("900ms"),
        quota("slow").retry_delay("soon"),
        quota("slow").retry_delay("-1s"),
        quota("slow").retry_delay("1e300s"),
        quota("Please retry in 12.5s."),
        quota("Please retry in 700ms."),
        quota("Please retry in 400s."),
        quota("Please retry in a while"),
        quota("slow").header("retry-after", "7"),
        quota("exceeded, limit: 0, model: x"),
        quota("exceeded, limit: 0"),
        quota("exceeded, limit: 0.5, or limit: 05"),
        quota("slow")
            .quota_failure("RequestsPerDayPerProject")
            .retry_delay("10s"),
        quota("slow").quota_failure("DailyTokens"),
        quota("slow").quota_failure("RequestsPerMinutePerProject"),
        quota("slow").error_info("ANY", "x", &[("quota_limit", "TokensPerMinute")]),
        quota("full").error_info("MODEL_CAPACITY_EXHAUSTED", CLOUD, &[]),
        quota("full").error_info("MODEL_CAPACITY_EXCEEDED", "x", &[]),
        quota("poor")
            .error_info("INSUFFICIENT_G1_CREDITS_BALANCE", "x", &[])
            .retry_delay("1s"),
        quota("rate").error_info("RATE_LIMIT_EXCEEDED", CLOUD, &[]),
        quota("rate")
            .error_info("RATE_LIMIT_EXCEEDED", CLOUD, &[])
            .retry_delay("20s"),
        quota("rate")
            .error_info("RATE_LIMIT_EXCEEDED", CLOUD, &[])
            .retry_delay("301s"),
        quota("rate").error_info("RATE_LIMIT_EXCEEDED", "elsewhere", &[]),
        quota("used")
            .error_info("QUOTA_EXHAUSTED", &format!("{CLOUD}\u{7f}"), &[])
            .retry_delay("20s"),
        quota("used").error_info("QUOTA_EXHAUSTED", "elsewhere", &[]),
        quota("You exceeded your current quota, please check your plan and billing details."),
        quota("You exceeded your current quota. Please retry in 7s."),
        quota("You exceeded your current quota.").quota_failure("RequestsPerMinutePerProject"),
        Reply::error(503, "UNAVAILABLE", "full").error_info("MODEL_CAPACITY_EXHAUSTED", "x", &[]),
        Reply::error(499, "CANCELLED", "slow").retry_delay("2s"),
    ];
    check(cases, expect![[r#"
        Transient Always | the model is busy (HTTP 429): slow
        Transient Always 10s | the model is busy (HTTP 429): slow
        Transient Always 300s | the model is busy (HTTP 429): slow
        Terminal Never 300.5s | Quota used up: slow
        Transient Always 900ms | the model is busy (HTTP 429): slow
        Transient Always | the model is busy (HTTP 429): slow
        Transient Always | the model is busy (HTTP 429): slow
        Transient Always | the model is busy (HTTP 429): slow
        Transient Always 12.5s | the model is busy (HTTP 429): Please retry in 12.5s.
        Transient Always 700ms | the model is busy (HTTP 429): Please retry in 700ms.
        Terminal Never 400s | Quota used up: Please retry in 400s.
        Transient Always | the model is busy (HTTP 429): Please retry in a while
        Transient Always 7s | the model is busy (HTTP 429): slow
        Terminal Never | Quota used up (not included in the plan): exceeded, limit: 0, model: x
        Terminal Never | Quota used up (not included in the plan): exceeded, limit: 0
        Transient Always | the model is busy (HTTP 429): exceeded, limit: 0.5, or limit: 05
        Terminal Never 10s | Quota used up (daily limit): slow
        Terminal Never | Quota used up (daily limit): slow
        Transient Always 60s | the model is busy (HTTP 429): slow
        Transient Always 60s | the model is busy (HTTP 429): slow
        Terminal Never | The model has no capacity left: full
        Terminal Never | The model has no capacity left: full
        Terminal Never 1s | Quota used up (not enough credits): poor
        Terminal Never | Quota used up: rate
        Transient Always 20s | the model is busy (HTTP 429): rate
        Terminal Never 301s | Quota used up: rate
        Transient Always | the model is busy (HTTP 429): rate
        Terminal Never 20s | Quota used up: used
        Terminal Never | Quota used up: used
        Terminal Never | Quota used up: You exceeded your current quota, please check your plan and billing details.
        Transient Always 7s | the model is busy (HTTP 429): You exceeded your current quota. Please retry in 7s.
        Transient Always 60s | the model is busy (HTTP 429): You exceeded your current quota.
        Terminal Never | The model has no capacity left: full
        Transient Always 2s | the model is busy (HTTP 499): slow
    "#]]).await;
}

#[tokio::test]
async fn requests_that_cannot_succeed() {
    let cases = vec![
        Reply::error(
            400,
            "INVALID_ARGUMENT",
            "API key not valid. Please pass a valid API key.",
        ),
        Reply::error(400, "INVALID_ARGUMENT", "expired").error_info(
            "API_KEY_INVALID",
            "googleapis.com",
            &[],
        ),
        Reply::error(
            400,
            "INVALID_ARGUMENT",
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
        ),
        Reply::error(400, "INVALID_ARGUMENT", "Please retry in 3s"),
    ];
    check(cases, expect![[r#"
        Unknown Never | the provider does not accept the API key: API key not valid. Please pass a valid API key.
        Unknown Never | the provider does not accept the API key: expired
        Unknown Never | the conversation is too long for the model: The input token count (9) exceeds the maximum number of tokens allowed (8).
        Unknown Never | the provider rejects the request: Please retry in 3s
    "#]]).await;
}

#[tokio::test]
async fn bodies_of_any_shape() {
    let wrapped = json!({ "error": { "code": 404, "message": "inner" } }).to_string();
    let cases = vec![
        Reply::raw("text/html", "<h1>Bad gateway</h1>").status(502),
        Reply::raw("text/plain", "").status(500),
        Reply::raw("text/plain", b"\xff\xfe".to_vec()).status(500),
        Reply::json(&json!([{ "error": { "code": 429, "message": "in a list" } }])).status(429),
        Reply::json(&json!({ "error": { "code": 500, "message": wrapped } })).status(500),
        Reply::json(&json!({ "error": { "code": "x", "message": 3, "details": {} } })).status(429),
        Reply::raw("text/plain", "so far ").status(500).cut(),
    ];
    check(cases, expect![[r#"
        Unknown Always | the provider failed (HTTP 502): <h1>Bad gateway</h1>
        Unknown Always | the provider failed (HTTP 500): no further information
        Unknown Always | the provider failed (HTTP 500): ��
        Transient Always | the model is busy (HTTP 429): in a list
        NotFound Never | the model was not found: inner
        Transient Always | the model is busy (HTTP 429): {"error":{"code":"x","message":3,"details":{}}}
        Unknown Always | the provider failed (HTTP 500): so far data: {"candidates": [{"content
    "#]]).await;
}

#[tokio::test]
async fn a_long_message_is_cut() {
    let ModelError::Server { message, .. } =
        error_of(Reply::error(500, "X", &"ž".repeat(100_000))).await
    else {
        panic!("another error");
    };
    assert_eq!(message.as_str().chars().count(), ErrorText::LONGEST + 1);
}

#[tokio::test]
async fn an_account_to_be_verified() {
    const CLOUD: &str = "cloudcode-pa.googleapis.com";
    let help = json!({
        "@type": "type.googleapis.com/google.rpc.Help",
        "links": [
            { "description": "Verify", "url": "https://accounts.google.com/verify" },
            { "description": "Help", "url": "https://support.google.com/accounts" },
        ],
    });
    let refused = || {
        Reply::error(403, "PERMISSION_DENIED", "verify").error_info(
            "VALIDATION_REQUIRED",
            CLOUD,
            &[("validation_link", "https://fallback")],
        )
    };
    let cases = [
        error_of(refused().detail(ErrorDetail::Other(help))).await,
        error_of(refused()).await,
        error_of(Reply::error(403, "PERMISSION_DENIED", "verify").error_info(
            "VALIDATION_REQUIRED",
            "elsewhere",
            &[],
        ))
        .await,
    ];
    expect![[r#"
        [
            ValidationRequired(
                Validation {
                    message: ErrorText(
                        "verify",
                    ),
                    link: Some(
                        "https://accounts.google.com/verify",
                    ),
                    description: Some(
                        "Verify",
                    ),
                    learn_more: Some(
                        "https://support.google.com/accounts",
                    ),
                },
            ),
            ValidationRequired(
                Validation {
                    message: ErrorText(
                        "verify",
                    ),
                    link: Some(
                        "https://fallback",
                    ),
                    description: None,
                    learn_more: None,
                },
            ),
            Unauthorized {
                message: ErrorText(
                    "verify",
                ),
            },
        ]
    "#]]
    .assert_debug_eq(&cases);
}
