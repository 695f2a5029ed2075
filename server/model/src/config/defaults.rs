//! The aliases and overrides that hold before any setting.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::names::{
    FLASH_LITE, PREVIEW_FLASH, PREVIEW_PRO, PREVIEW_PRO_3_1, PREVIEW_PRO_3_1_CUSTOM_TOOLS,
    STABLE_FLASH, STABLE_PRO,
};
use super::{Alias, Attempt, Condition, Override, Partial};

/// Chat models and the base that each inherits; the model of the alias is its name.
const CHAT_MODELS: [(&str, &str); 11] = [
    (PREVIEW_PRO, "chat-base-3"),
    (PREVIEW_PRO_3_1, "chat-base-3"),
    (PREVIEW_PRO_3_1_CUSTOM_TOOLS, "chat-base-3"),
    (PREVIEW_FLASH, "chat-base-3"),
    (STABLE_FLASH, "chat-base-3"),
    (FLASH_LITE, "chat-base-3"),
    (STABLE_PRO, "chat-base-2.5"),
    ("gemini-2.5-flash", "chat-base-2.5"),
    ("gemini-2.5-flash-lite", "chat-base-2.5"),
    ("gemma-4-31b-it", "chat-base-3"),
    ("gemma-4-26b-a4b-it", "chat-base-3"),
];

/// Calls of the agent's own machinery whose parameters are those of `base`.
const PLAIN_UTILITIES: [(&str, &str, &str); 14] = [
    ("web-fetch-fallback", "gemini-3-flash-base", ""),
    ("loop-detection", "gemini-3-flash-base", ""),
    ("llm-edit-fixer", "gemini-3-flash-base", ""),
    ("next-speaker-checker", "gemini-3-flash-base", ""),
    ("context-snapshotter", "gemini-3-flash-base", ""),
    (
        "agent-history-provider-summarizer",
        "gemini-3-flash-base",
        "",
    ),
    ("loop-detection-double-check", "base", PREVIEW_PRO),
    ("chat-compression-3-pro", "base", PREVIEW_PRO),
    ("chat-compression-3-flash", "base", PREVIEW_FLASH),
    ("chat-compression-3.1-flash-lite", "base", FLASH_LITE),
    ("chat-compression-2.5-pro", "base", STABLE_PRO),
    ("chat-compression-2.5-flash", "base", "gemini-2.5-flash"),
    (
        "chat-compression-2.5-flash-lite",
        "base",
        "gemini-2.5-flash-lite",
    ),
    ("chat-compression-default", "base", PREVIEW_PRO),
];

pub(super) fn aliases() -> BTreeMap<String, Alias> {
    let mut aliases = BTreeMap::new();
    let mut add = |name: &str, parent: &str, model: &str, generation: Value| {
        aliases.insert(name.to_owned(), alias(parent, model, generation));
    };
    add("base", "", "", json!({ "temperature": 0, "topP": 1 }));
    add(
        "chat-base",
        "base",
        "",
        json!({
            "temperature": 1,
            "topP": 0.95,
            "topK": 64,
            "thinkingConfig": { "includeThoughts": true },
        }),
    );
    add(
        "chat-base-2.5",
        "chat-base",
        "",
        json!({ "thinkingConfig": { "thinkingBudget": 8192 } }),
    );
    add(
        "chat-base-3",
        "chat-base",
        "",
        json!({ "thinkingConfig": { "thinkingLevel": "HIGH" } }),
    );
    for (model, parent) in CHAT_MODELS {
        add(model, parent, model, json!({}));
    }
    add("gemini-3-flash-base", "base", PREVIEW_FLASH, json!({}));
    for (name, parent, model) in PLAIN_UTILITIES {
        add(name, parent, model, json!({}));
    }
    let searching = json!({ "tools": [{ "googleSearch": {} }] });
    add("web-search", "gemini-3-flash-base", "", searching);
    let fetching = json!({ "tools": [{ "urlContext": {} }] });
    add("web-fetch", "gemini-3-flash-base", "", fetching);
    for (name, generation) in small_utilities() {
        add(name, "base", "flash-lite", generation);
    }
    aliases
}

/// On the cheapest model, and with a cap: their answers are short by nature.
fn small_utilities() -> [(&'static str, Value); 6] {
    let thinking = |budget: u32| json!({ "thinkingBudget": budget });
    [
        (
            "classifier",
            json!({ "maxOutputTokens": 1024, "thinkingConfig": thinking(512) }),
        ),
        (
            "prompt-completion",
            json!({ "temperature": 0.3, "maxOutputTokens": 16000, "thinkingConfig": thinking(0) }),
        ),
        (
            "fast-ack-helper",
            json!({ "temperature": 0.2, "maxOutputTokens": 120, "thinkingConfig": thinking(0) }),
        ),
        ("edit-corrector", json!({ "thinkingConfig": thinking(0) })),
        ("summarizer-default", json!({ "maxOutputTokens": 2000 })),
        ("summarizer-shell", json!({ "maxOutputTokens": 2000 })),
    ]
}

/// A retry at temperature 0 would give the same bad answer, whatever the person chose for first attempts.
pub(super) fn overrides() -> Vec<Override> {
    vec![Override {
        conditions: vec![
            Condition::Model("chat-base".to_owned()),
            Condition::Attempt(Attempt::Retry),
        ],
        config: partial("", json!({ "temperature": 1 })),
    }]
}

fn alias(parent: &str, model: &str, generation: Value) -> Alias {
    Alias {
        extends: named(parent),
        config: partial(model, generation),
    }
}

fn partial(model: &str, generation: Value) -> Partial {
    let generation = match generation {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    Partial {
        model: named(model),
        generation,
    }
}

fn named(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_owned())
}
