//! No error shows a key, a header's value or a password, not even when the provider quotes it.

use pollux_testkit::{RefusedPort, Reply, Script, ScriptedModel, Step};
use serde_json::json;

use crate::testing::{KEY, SHAPES, Shape, ask, policy};
use crate::*;

const HEADER: &str = "header-value-0123456789";
const PASSWORD: &str = "password-in-the-url";

fn secretive(shape: Shape, base: &str) -> Model {
    let base = base.replace("http://", &format!("http://someone:{PASSWORD}@"));
    let headers = CustomHeaders::parse(&format!("X-Secret: {HEADER}"));
    let http = Http::new(NetworkOptions::default());
    match shape {
        Shape::Gemini => {
            let config = GeminiConfig {
                base_url: base,
                headers,
                retry: policy(2),
                ..GeminiConfig::new(GeminiApi::Developer, "m", ApiKey::new(KEY))
            };
            Model::Gemini(Gemini::new(config, http).unwrap())
        }
        Shape::OpenAi => {
            let config = OpenAiConfig {
                key: ApiKey::new(KEY),
                headers,
                retry: policy(2),
                ..OpenAiConfig::new(base, "m")
            };
            Model::OpenAi(OpenAi::new(config, http).unwrap())
        }
    }
}

fn assert_clean(text: &str) {
    for secret in [KEY, HEADER, PASSWORD] {
        assert!(!text.contains(secret), "{text}");
    }
}

fn quoting(status: u16) -> Reply {
    let message = format!("key {KEY}, header {HEADER}, url http://someone:{PASSWORD}@host");
    Reply::error(status, "X", &message)
}

#[tokio::test(start_paused = true)]
async fn no_error_of_any_kind_shows_one() {
    let in_stream =
        json!({ "error": { "code": 500, "message": format!("{KEY} {HEADER} {PASSWORD}") } });
    let mut replies: Vec<Reply> = [307, 400, 401, 403, 404, 408, 429, 499, 500, 503]
        .map(quoting)
        .into();
    replies.extend([
        quoting(429).quota_failure("PerDay"),
        quoting(429).retry_delay("999s"),
        quoting(403).error_info("VALIDATION_REQUIRED", "cloudcode-pa.googleapis.com", &[]),
        Reply::raw("text/html", format!("<p>{KEY} {HEADER} {PASSWORD}")).status(502),
        Reply::text("x").event(in_stream.clone()),
        Reply::new().event(in_stream),
        Reply::new().raw_event(format!("{{ {KEY} {HEADER} {PASSWORD}")),
        Reply::new().before_headers(Step::Reset),
        Reply::new().before_headers(Step::Cut),
        Reply::new().before_headers(Step::Stall),
        Reply::text("x").reset(),
        Reply::text("x").stall(),
    ]);
    for shape in SHAPES {
        for reply in &replies {
            let server = ScriptedModel::start(Script::new().reply(reply.clone().always())).await;
            let model = secretive(shape, &server.url());
            assert_clean(&format!("{model:?} {model:#?}"));
            let events = ask(&model).await;
            let error = events.last().unwrap().clone().unwrap_err();
            assert_clean(&format!("{error} {error:?} {events:?}"));
        }
        let port = RefusedPort::reserve();
        let events = ask(&secretive(shape, &port.url())).await;
        assert_clean(&format!(
            "{events:?} {}",
            events.last().unwrap().clone().unwrap_err()
        ));
    }
}
