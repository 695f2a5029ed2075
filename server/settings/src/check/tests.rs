use expect_test::{Expect, expect};
use serde_json::json;

use super::*;

fn check_settings(mut settings: Value, expected: Expect) {
    let Value::Object(object) = &mut settings else {
        panic!("settings are an object");
    };
    let findings: String = check(object)
        .into_iter()
        .map(|finding| match finding.fix {
            Some(fix) => format!("{} ({fix})\n", finding.message),
            None => format!("{}\n", finding.message),
        })
        .collect();
    expected.assert_eq(&format!("{settings}\n{findings}"));
}

#[test]
fn strings_become_the_numbers_and_booleans_they_stand_for() {
    check_settings(
        json!({
            "model": {"maxSessionTurns": " 7 ", "compressionThreshold": "0.25"},
            "general": {"vimMode": "TRUE", "devtools": "false"},
            "tools": {"sandbox": "true"},
            "agents": {"overrides": {"x": {"runConfig": {"maxTurns": "3"}}}},
        }),
        expect![[r#"
            {"model":{"maxSessionTurns":7,"compressionThreshold":0.25},"general":{"vimMode":true,"devtools":false},"tools":{"sandbox":true},"agents":{"overrides":{"x":{"runConfig":{"maxTurns":3}}}}}
        "#]],
    );
}

#[test]
fn what_cannot_be_repaired_is_reported_and_kept() {
    check_settings(
        json!({
            "ui": {"theme": 5, "loadingPhrases": "s3cret"},
            "model": {"maxSessionTurns": "", "compressionThreshold": "inf"},
            "general": true,
            "tools": {"core": "a", "exclude": ["a", 1], "sandbox": []},
            "hooks": {"BeforeTool": {}},
            "mcpServers": {"a.b": "s3cret"},
            "telemetry": {"enabled": true, "colour": "s3cret"},
        }),
        expect![[r#"
            {"ui":{"theme":5,"loadingPhrases":"s3cret"},"model":{"maxSessionTurns":"","compressionThreshold":"inf"},"general":true,"tools":{"core":"a","exclude":["a",1],"sandbox":[]},"hooks":{"BeforeTool":{}},"mcpServers":{"a.b":"s3cret"},"telemetry":{"enabled":true,"colour":"s3cret"}}
            `ui.theme` must be a string, not a number
            `ui.loadingPhrases` must be one of tips, witty, all, off, not another string
            `model.maxSessionTurns` must be a number, not a string
            `model.compressionThreshold` must be a number, not a string
            `general` must be an object, not a boolean
            `tools.core` must be a list of strings, not a string
            `tools.exclude[1]` must be a string, not a number
            `tools.sandbox` must be a boolean or a string or an object, not a list
            `hooks.BeforeTool` must be a list, not an object
            `mcpServers."a.b"` must be an object, not a string
            `telemetry.colour` is not a known key
        "#]],
    );
}

#[test]
fn unknown_keys_pass_and_former_names_are_explained() {
    check_settings(
        json!({"somethingNew": {"deep": 1}, "ui": {"unknown": 1}, "theme": "A", "model": "m"}),
        expect![[r#"
            {"somethingNew":{"deep":1},"ui":{"unknown":1},"theme":"A","model":"m"}
            `theme` is a name of an older format and has no effect (use `ui.theme`)
            `model` must be an object, not a string
        "#]],
    );
}
