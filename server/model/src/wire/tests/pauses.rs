//! When a request is sent again.

use std::time::{Duration, SystemTime};

use expect_test::expect;
use futures_util::StreamExt as _;
use pollux_testkit::{Reply, Script, ScriptedModel, Step};
use tokio_util::sync::CancellationToken;

use crate::testing::{SHAPES, Shape, ask, gemini, model, policy, prompt, shown, stream};
use crate::{ModelError, StreamEvent};

async fn play(shape: Shape, attempts: u32, script: Script) -> (String, Duration, usize) {
    let server = ScriptedModel::start(script.strict()).await;
    let started = tokio::time::Instant::now();
    let events = ask(&model(shape, &server.url(), attempts)).await;
    let shown = shown(&events).replace(&server.address().to_string(), "<host>");
    (shown, started.elapsed(), server.requests().len())
}

fn ok() -> Reply {
    Reply::text("ok").finish("STOP")
}

#[tokio::test(start_paused = true)]
async fn the_server_says_how_long_to_wait() {
    let script = Script::new()
        .reply(Reply::error(429, "RESOURCE_EXHAUSTED", "slow").retry_delay("10s"))
        .reply(ok());
    let (shown, elapsed, _) = play(Shape::Gemini, 10, script).await;
    expect![[r#"
        retrying 1/10 in 11s: the model is busy (HTTP 429): slow
        text "ok"
        finished Stop [0, 0, 0, 0, 0, 0]
    "#]]
    .assert_eq(&shown);
    assert!(elapsed >= Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_busy_three_times() {
    for shape in SHAPES {
        let busy = Reply::error(503, "UNAVAILABLE", "busy").times(3);
        let (shown, elapsed, requests) =
            play(shape, 10, Script::new().reply(busy).reply(ok())).await;
        expect![[r#"
            retrying 1/10 in 5s: the model is busy (HTTP 503): busy
            retrying 2/10 in 10s: the model is busy (HTTP 503): busy
            retrying 3/10 in 20s: the model is busy (HTTP 503): busy
            text "ok"
            finished Stop [0, 0, 0, 0, 0, 0]
        "#]]
        .assert_eq(&shown);
        assert!(elapsed >= Duration::from_secs(35), "{elapsed:?}");
        assert_eq!(requests, 4);
    }
}

#[tokio::test(start_paused = true)]
async fn the_attempts_run_out() {
    for shape in SHAPES {
        let busy = Reply::error(500, "INTERNAL", "oops").times(3);
        let (shown, _, _) = play(shape, 3, Script::new().reply(busy)).await;
        expect![[r#"
            retrying 1/3 in 5s: the provider failed (HTTP 500): oops
            retrying 2/3 in 10s: the provider failed (HTTP 500): oops
            error the provider failed (HTTP 500): oops
        "#]]
        .assert_eq(&shown);
    }
}

#[tokio::test(start_paused = true)]
async fn faults_before_the_first_word_are_retried() {
    for shape in SHAPES {
        let script = Script::new()
            .reply(Reply::new().before_headers(Step::Reset))
            .reply(Reply::new().reset())
            .reply(Reply::new().raw_event("{half"))
            .reply(Reply::new().before_headers(Step::Stall))
            .reply(ok());
        let (shown, _, _) = play(shape, 10, script).await;
        expect![[r#"
            retrying 1/10 in 5s: the connection was reset (<host>: Connection reset by peer)
            retrying 2/10 in 10s: the connection was reset (<host>: Connection reset by peer)
            retrying 3/10 in 20s: the model's reply cannot be read: not JSON (line 1, column 2)
            retrying 4/10 in 30s: the server did not answer in time (<host>)
            text "ok"
            finished Stop [0, 0, 0, 0, 0, 0]
        "#]]
        .assert_eq(&shown);
    }
}

#[tokio::test(start_paused = true)]
async fn what_would_fail_again_is_not_sent_again() {
    let terminal = [
        Reply::error(400, "INVALID_ARGUMENT", "bad"),
        Reply::error(401, "UNAUTHENTICATED", "who"),
        Reply::error(404, "NOT_FOUND", "where"),
        Reply::error(429, "RESOURCE_EXHAUSTED", "day").quota_failure("PerDay"),
        Reply::error(429, "RESOURCE_EXHAUSTED", "long").retry_delay("400s"),
    ];
    for reply in terminal {
        let (_, elapsed, requests) = play(Shape::Gemini, 10, Script::new().reply(reply)).await;
        assert_eq!(requests, 1);
        assert!(elapsed < Duration::from_secs(1));
    }
}

#[tokio::test(start_paused = true)]
async fn whole_answers_are_retried_and_token_counts_are_not() {
    let busy = || Reply::error(503, "UNAVAILABLE", "busy");
    let script = Script::new().reply(busy()).reply(ok()).reply(busy());
    let server = ScriptedModel::start(script.strict()).await;
    let gemini = gemini(&server.url(), policy(2));
    let answer = gemini.generate(&prompt(), CancellationToken::new()).await;
    assert_eq!(answer.unwrap().text(), "ok");
    let counted = gemini
        .count_tokens(&prompt(), CancellationToken::new())
        .await;
    let error = counted.unwrap_err();
    assert!(matches!(error, ModelError::RateLimited { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_pause_ends_when_somebody_wants_it_to() {
    for shape in SHAPES {
        let busy = Reply::error(503, "UNAVAILABLE", "busy").times(2);
        let server = ScriptedModel::start(Script::new().reply(busy).reply(ok()).strict()).await;
        let started = tokio::time::Instant::now();
        let mut events = stream(&model(shape, &server.url(), 10));
        let mut told = Vec::new();
        while let Some(event) = events.next().await {
            match event.unwrap() {
                StreamEvent::Retrying(retry) => {
                    let wait = retry.at.unwrap().duration_since(SystemTime::now());
                    assert!(wait.unwrap() > Duration::from_secs(3));
                    retry.trigger.retry_now();
                    told.push("retrying");
                }
                StreamEvent::RetryStarted => told.push("started"),
                _ => told.push("piece"),
            }
        }
        let tried = ["retrying", "started", "retrying", "started"];
        assert_eq!(told, [&tried[..], &["piece", "piece"]].concat());
        assert!(started.elapsed() < Duration::from_secs(1));
    }
}
