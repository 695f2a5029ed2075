//! What the settings say about how a session runs.

use std::sync::Arc;

use pollux_agent::{
    ContextOptions, LoopDetection, NextSpeaker, PlanRouting, Price, Prices, Routing, Scratch,
};
use pollux_settings::Loaded;
use pollux_workspace::SessionId;
use serde_json::Value;

/// How a long conversation is kept within a model's reach, by the settings.
pub(super) fn context(
    loaded: &Loaded,
    id: &SessionId,
    scratch: Option<Arc<dyn Scratch>>,
) -> ContextOptions {
    let settings = &loaded.merged;
    let is_on = |name: &str| settings.get(name).and_then(|value| value.as_bool());
    let threshold = settings.get("model.compressionThreshold");
    ContextOptions {
        compression_threshold: ContextOptions::threshold(
            threshold.and_then(|value| value.as_f64()),
        ),
        scratch,
        session: Some(id.to_string()),
        next_speaker: match is_on("model.skipNextSpeakerCheck") {
            Some(false) => NextSpeaker::Judged,
            Some(true) | None => NextSpeaker::Person,
        },
        routing: Routing {
            plan: match is_on("general.plan.modelRouting") {
                Some(false) => PlanRouting::Off,
                Some(true) | None => PlanRouting::On,
            },
            ..Routing::default()
        },
    }
}

pub(super) fn turn_limit(loaded: &Loaded) -> Option<u64> {
    let limit = loaded.merged.get("model.maxSessionTurns")?.as_i64()?;
    // Below zero there is none.
    u64::try_from(limit).ok().filter(|limit| *limit > 0)
}

pub(super) fn loop_detection(loaded: &Loaded) -> LoopDetection {
    let disabled = loaded.merged.get("model.disableLoopDetection");
    match disabled.and_then(|value| value.as_bool()) {
        Some(true) => LoopDetection::Off,
        Some(false) | None => LoopDetection::On,
    }
}

/// How many tokens a model takes, by `pollux.contextWindows`.
pub(super) fn window(loaded: &Loaded, model: &str) -> Option<u64> {
    let windows = loaded.merged.get("pollux.contextWindows")?.as_object()?;
    let tokens = windows.get(model)?.as_u64()?;
    (tokens > 0).then_some(tokens)
}

/// `pollux.prices`, as far as they can be understood; the check of the settings tells of the rest.
pub(super) fn prices(loaded: &Loaded) -> Prices {
    let models = loaded.merged.get("pollux.prices");
    let models = models.and_then(Value::as_object).into_iter().flatten();
    models
        .filter_map(|(model, price)| Some((model.clone(), self::price(price)?)))
        .collect()
}

fn price(value: &Value) -> Option<Price> {
    let number = |key: &str| {
        let number = value.get(key).and_then(Value::as_f64);
        number.filter(|number| number.is_finite() && *number >= 0.0)
    };
    let currency = value.get("currency").and_then(Value::as_str);
    Some(Price {
        input: number("input")?,
        cached_input: number("cachedInput"),
        output: number("output")?,
        currency: currency.unwrap_or("USD").to_owned(),
    })
}
