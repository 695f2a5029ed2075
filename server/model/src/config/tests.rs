use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;

fn chat(name: &str) -> ModelKey<'_> {
    ModelKey {
        name,
        purpose: Purpose::Chat,
        scope: None,
        attempt: Attempt::First,
        previews: Previews::Allowed,
    }
}

fn shown(configs: &ModelConfigs, key: &ModelKey<'_>) -> String {
    match configs.resolve(key) {
        Ok(resolved) => format!("{} {}", resolved.model, Value::Object(resolved.generation)),
        Err(error) => error.to_string(),
    }
}

fn check(setting: Value, key: &ModelKey<'_>, expect: Expect) {
    let configs = ModelConfigs::from_settings(&setting).unwrap();
    expect.assert_eq(&shown(&configs, key));
}

fn temperature(setting: &Value, key: &ModelKey<'_>) -> Value {
    let configs = ModelConfigs::from_settings(setting).unwrap();
    let mut resolved = configs.resolve(key).unwrap();
    resolved.generation.remove("temperature").unwrap()
}

fn override_of(conditions: Value, temperature: f64) -> Value {
    json!({
        "match": conditions,
        "modelConfig": { "generateContentConfig": { "temperature": temperature } },
    })
}

#[test]
fn chat_models_inherit_their_generation() {
    let cases = [
        (
            "gemini-2.5-pro",
            expect![[
                r#"gemini-2.5-pro {"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":8192}}"#
            ]],
        ),
        (
            "gemini-3-pro-preview",
            expect![[
                r#"gemini-3-pro-preview {"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}}"#
            ]],
        ),
        (
            "qwen3:8b",
            expect![[
                r#"qwen3:8b {"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true}}"#
            ]],
        ),
    ];
    for (name, expect) in cases {
        check(json!({}), &chat(name), expect);
    }
}

#[test]
fn utilities_have_the_parameters_of_the_facts() {
    let mut all = String::new();
    let configs = ModelConfigs::default();
    for name in [
        "classifier",
        "prompt-completion",
        "fast-ack-helper",
        "edit-corrector",
        "summarizer-default",
        "summarizer-shell",
        "web-search",
        "web-fetch",
        "web-fetch-fallback",
        "loop-detection",
        "loop-detection-double-check",
        "llm-edit-fixer",
        "next-speaker-checker",
        "context-snapshotter",
        "chat-compression-3-pro",
        "chat-compression-3-flash",
        "chat-compression-3.1-flash-lite",
        "chat-compression-2.5-pro",
        "chat-compression-2.5-flash",
        "chat-compression-2.5-flash-lite",
        "chat-compression-default",
        "agent-history-provider-summarizer",
        "nobody-knows-this",
    ] {
        let key = ModelKey {
            purpose: Purpose::Utility,
            ..chat(name)
        };
        all.push_str(&format!("{name}: {}\n", shown(&configs, &key)));
    }
    expect![[r#"
        classifier: gemini-3.1-flash-lite {"temperature":0,"topP":1,"maxOutputTokens":1024,"thinkingConfig":{"thinkingBudget":512}}
        prompt-completion: gemini-3.1-flash-lite {"temperature":0.3,"topP":1,"maxOutputTokens":16000,"thinkingConfig":{"thinkingBudget":0}}
        fast-ack-helper: gemini-3.1-flash-lite {"temperature":0.2,"topP":1,"maxOutputTokens":120,"thinkingConfig":{"thinkingBudget":0}}
        edit-corrector: gemini-3.1-flash-lite {"temperature":0,"topP":1,"thinkingConfig":{"thinkingBudget":0}}
        summarizer-default: gemini-3.1-flash-lite {"temperature":0,"topP":1,"maxOutputTokens":2000}
        summarizer-shell: gemini-3.1-flash-lite {"temperature":0,"topP":1,"maxOutputTokens":2000}
        web-search: gemini-3-flash-preview {"temperature":0,"topP":1,"tools":[{"googleSearch":{}}]}
        web-fetch: gemini-3-flash-preview {"temperature":0,"topP":1,"tools":[{"urlContext":{}}]}
        web-fetch-fallback: gemini-3-flash-preview {"temperature":0,"topP":1}
        loop-detection: gemini-3-flash-preview {"temperature":0,"topP":1}
        loop-detection-double-check: gemini-3-pro-preview {"temperature":0,"topP":1}
        llm-edit-fixer: gemini-3-flash-preview {"temperature":0,"topP":1}
        next-speaker-checker: gemini-3-flash-preview {"temperature":0,"topP":1}
        context-snapshotter: gemini-3-flash-preview {"temperature":0,"topP":1}
        chat-compression-3-pro: gemini-3-pro-preview {"temperature":0,"topP":1}
        chat-compression-3-flash: gemini-3-flash-preview {"temperature":0,"topP":1}
        chat-compression-3.1-flash-lite: gemini-3.1-flash-lite {"temperature":0,"topP":1}
        chat-compression-2.5-pro: gemini-2.5-pro {"temperature":0,"topP":1}
        chat-compression-2.5-flash: gemini-2.5-flash {"temperature":0,"topP":1}
        chat-compression-2.5-flash-lite: gemini-2.5-flash-lite {"temperature":0,"topP":1}
        chat-compression-default: gemini-3-pro-preview {"temperature":0,"topP":1}
        agent-history-provider-summarizer: gemini-3-flash-preview {"temperature":0,"topP":1}
        nobody-knows-this: nobody-knows-this {}
    "#]]
    .assert_eq(&all);
}

#[test]
fn without_access_a_preview_becomes_the_stable_model_with_its_parameters() {
    let key = ModelKey {
        previews: Previews::Denied,
        ..chat("auto")
    };
    check(
        json!({}),
        &key,
        expect![[
            r#"gemini-2.5-pro {"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":8192}}"#
        ]],
    );
}

#[test]
fn names_of_people_stand_for_models() {
    let cases = [
        ("auto", "gemini-3-pro-preview", "gemini-2.5-pro"),
        ("pro", "gemini-3-pro-preview", "gemini-2.5-pro"),
        ("flash", "gemini-3-flash-preview", "gemini-3.5-flash"),
        (
            "flash-lite",
            "gemini-3.1-flash-lite",
            "gemini-3.1-flash-lite",
        ),
        ("auto-gemini-3", "gemini-3-pro-preview", "gemini-2.5-pro"),
        ("auto-gemini-2.5", "gemini-2.5-pro", "gemini-2.5-pro"),
        (
            "gemini-3-flash-preview",
            "gemini-3-flash-preview",
            "gemini-3.5-flash",
        ),
        (
            "gemini-3.1-pro-preview",
            "gemini-3.1-pro-preview",
            "gemini-2.5-pro",
        ),
        ("llama3", "llama3", "llama3"),
    ];
    for (name, allowed, denied) in cases {
        assert_eq!(concrete_model(name, Previews::Allowed), allowed);
        assert_eq!(concrete_model(name, Previews::Denied), denied);
    }
}

#[test]
fn families_follow_the_twins_patterns() {
    let cases = [
        ("gemini-3", Family::Gemini3),
        ("gemini-3-pro-preview", Family::Gemini3),
        ("gemini-3.5-flash", Family::Gemini3),
        ("gemini-30", Family::OtherGemini),
        ("gemini-2.5-pro", Family::Gemini2),
        ("gemini-2", Family::Gemini2),
        ("gemini-2-flash", Family::OtherGemini),
        ("gemma-4-31b-it", Family::Custom),
    ];
    for (model, expected) in cases {
        assert_eq!(family(model), expected, "{model}");
    }
}

#[test]
fn an_alias_of_the_person_replaces_the_default_of_that_name_only() {
    let setting = json!({ "aliases": { "chat-base": { "modelConfig": {
        "generateContentConfig": { "temperature": 0.5 } } } } });
    check(
        setting,
        &chat("gemini-2.5-pro"),
        expect![[r#"gemini-2.5-pro {"temperature":0.5,"thinkingConfig":{"thinkingBudget":8192}}"#]],
    );
}

#[test]
fn a_custom_alias_merges_objects_and_replaces_lists() {
    let setting = json!({ "customAliases": {
        "mine": { "extends": "chat-base-3", "modelConfig": { "model": "m", "generateContentConfig": {
            "stopSequences": ["a", "b"] } } },
        "leaf": { "extends": "mine", "modelConfig": { "generateContentConfig": {
            "stopSequences": ["c"], "thinkingConfig": { "thinkingLevel": "LOW" } } } },
    } });
    check(
        setting,
        &chat("leaf"),
        expect![[
            r#"m {"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"},"stopSequences":["c"]}"#
        ]],
    );
}

#[test]
fn a_custom_alias_may_take_a_user_facing_name() {
    let setting = json!({ "customAliases": { "pro": { "modelConfig": { "model": "my-pro" } } } });
    check(setting, &chat("pro"), expect!["my-pro {}"]);
}

#[test]
fn broken_inheritance_is_an_error() {
    let setting = json!({ "customAliases": {
        "orphan": { "extends": "nobody" },
        "a": { "extends": "b" },
        "b": { "extends": "a" },
        "modelless": { "extends": "base" },
    } });
    let cases = [
        (
            "orphan",
            expect![[r#"model alias "orphan" extends "nobody", which does not exist"#]],
        ),
        ("a", expect![[r#"model alias "a" extends itself"#]]),
        (
            "modelless",
            expect![[r#"model configuration "modelless" names no model"#]],
        ),
    ];
    for (name, expect) in cases {
        check(setting.clone(), &chat(name), expect);
    }
}

#[test]
fn a_hundred_ancestors_are_enough() {
    let chain = |length: usize| {
        let mut aliases = serde_json::Map::new();
        for depth in 0..length {
            let alias =
                json!({ "extends": format!("a{}", depth + 1), "modelConfig": { "model": "m" } });
            aliases.insert(format!("a{depth}"), alias);
        }
        aliases.insert(format!("a{length}"), json!({}));
        json!({ "customAliases": aliases })
    };
    check(chain(100), &chat("a0"), expect!["m {}"]);
    check(
        chain(101),
        &chat("a0"),
        expect![[r#"model alias "a0" has more than 100 ancestors"#]],
    );
}

#[test]
fn an_override_of_a_base_reaches_its_models_and_a_leafs_override_wins() {
    let base = override_of(json!({ "model": "chat-base" }), 0.2);
    let leaf = override_of(json!({ "model": "gemini-2.5-pro" }), 0.7);
    let setting = json!({ "customOverrides": [base] });
    assert_eq!(temperature(&setting, &chat("gemini-2.5-pro")), json!(0.2));
    let setting = json!({ "customOverrides": [leaf, base] });
    assert_eq!(temperature(&setting, &chat("gemini-2.5-pro")), json!(0.7));
}

#[test]
fn the_order_of_overrides_is_level_then_keys_then_place() {
    let global = override_of(json!({ "overrideScope": "core", "isRetry": false }), 0.1);
    let model = override_of(json!({ "model": "m" }), 0.3);
    let base = override_of(json!({ "model": "chat-base" }), 0.4);
    let base_and_scope = override_of(
        json!({ "model": "chat-base", "overrideScope": "core" }),
        0.5,
    );
    let later = override_of(
        json!({ "model": "chat-base", "overrideScope": "core" }),
        0.6,
    );
    let key = chat("mine");
    let with = |overrides: Value| {
        json!({
            "customAliases": { "mine": { "extends": "chat-base", "modelConfig": { "model": "m" } } },
            "customOverrides": overrides,
        })
    };
    // A model that is no alias is of level 0: there the number of keys decides.
    assert_eq!(temperature(&with(json!([global, model])), &key), json!(0.1));
    assert_eq!(temperature(&with(json!([base, global])), &key), json!(0.4));
    assert_eq!(
        temperature(&with(json!([base_and_scope, base])), &key),
        json!(0.5)
    );
    let all = with(json!([base_and_scope, later, base]));
    assert_eq!(temperature(&all, &key), json!(0.6));
}

#[test]
fn the_core_scope_is_also_the_scope_of_nobody() {
    let setting =
        json!({ "customOverrides": [override_of(json!({ "overrideScope": "core" }), 0.2)] });
    let of = |scope| {
        temperature(
            &setting,
            &ModelKey {
                scope,
                ..chat("gemini-2.5-pro")
            },
        )
    };
    assert_eq!(of(None), json!(0.2));
    assert_eq!(of(Some("core")), json!(0.2));
    assert_eq!(of(Some("codebase_investigator")), json!(1));
}

#[test]
fn an_empty_or_unknown_match_is_ignored() {
    let setting = json!({ "customOverrides": [
        override_of(json!({}), 0.2),
        override_of(json!({ "moonPhase": "full" }), 0.3),
        override_of(json!({ "model": "gemini-2.5-pro", "isRetry": "yes" }), 0.4),
    ] });
    assert_eq!(temperature(&setting, &chat("gemini-2.5-pro")), json!(1));
}

#[test]
fn a_retry_of_a_chat_model_has_temperature_one() {
    let setting = json!({ "customOverrides": [override_of(json!({ "model": "chat-base" }), 0.0)] });
    let retry = ModelKey {
        attempt: Attempt::Retry,
        ..chat("gemini-2.5-pro")
    };
    assert_eq!(temperature(&setting, &chat("gemini-2.5-pro")), json!(0.0));
    assert_eq!(temperature(&setting, &retry), json!(1));
    // The list of default overrides may be replaced as a whole.
    let setting = json!({ "overrides": [], "customOverrides": setting["customOverrides"] });
    assert_eq!(temperature(&setting, &retry), json!(0.0));
}

#[test]
fn an_override_may_change_the_model() {
    let setting = json!({ "customOverrides": [
        { "match": { "model": "summarizer-default" }, "modelConfig": { "model": "flash" } },
    ] });
    check(
        setting,
        &chat("summarizer-default"),
        expect![[r#"gemini-3-flash-preview {"temperature":0,"topP":1,"maxOutputTokens":2000}"#]],
    );
}

#[test]
fn a_setting_of_a_wrong_shape_says_where() {
    let cases = [
        (json!([]), "modelConfigs. is not an object"),
        (
            json!({ "aliases": 1 }),
            "modelConfigs.aliases is not an object",
        ),
        (
            json!({ "customOverrides": {} }),
            "modelConfigs.customOverrides is not a list",
        ),
        (
            json!({ "customAliases": { "a": { "modelConfig": { "model": 3 } } } }),
            "modelConfigs.customAliases.a.modelConfig.model is not a string",
        ),
    ];
    for (setting, expected) in cases {
        let error = ModelConfigs::from_settings(&setting).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert!(ModelConfigs::from_settings(&Value::Null).is_ok());
}
