use std::fs;

use pollux_lsp::protocol::catalogue;

use super::*;
use crate::shell;

/// Where the schema finds something to complain about.
fn faults(settings: &Value) -> Vec<String> {
    let schema = print(&catalogue().definitions).unwrap();
    let schema = serde_json::from_str(&schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let errors = schema.iter_errors(settings);
    errors
        .map(|error| error.instance_path().to_string())
        .collect()
}

fn server(settings: Value) -> Value {
    json!({ "lsp": { "pollux": settings, "rust-analyzer": { "binary": 1 } }, "theme": "One" })
}

/// What a person copies must be what Zed reads.
#[test]
fn the_settings_to_copy_are_as_the_schema_says() {
    let text = fs::read_to_string(shell::root().join("editors/zed/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    assert!(settings.pointer("/lsp/pollux").is_some());
    assert_eq!(faults(&settings), [""; 0]);
}

#[test]
fn everything_that_can_be_set_is_known() {
    let all = json!({
        "binary": { "path": "/opt/pollux", "arguments": ["lsp"], "env": { "POLLUX_LOG": "debug" } },
        "initialization_options": { "companion": { "enabled": false } },
        "settings": {},
    });
    assert_eq!(faults(&server(all)), [""; 0]);
    assert_eq!(faults(&server(json!({}))), [""; 0]);
}

#[test]
fn slips_of_the_pen_are_found() {
    let fault = |settings| faults(&server(settings)).join(" ");
    let options = "/lsp/pollux/initialization_options";
    for (slip, place) in [
        (
            json!({ "companion": { "enabled": "no" } }),
            "/companion/enabled",
        ),
        (json!({ "companion": { "enable": false } }), "/companion"),
        (json!({ "companions": {} }), ""),
    ] {
        let found = fault(json!({ "initialization_options": slip }));
        assert_eq!(found, format!("{options}{place}"));
    }
    let found = fault(json!({ "binary": { "path": "/opt/pollux" } }));
    assert_eq!(found, "/lsp/pollux/binary");
    let found = fault(json!({ "binary": { "env": { "POLLUX_LOG": 1 } } }));
    assert_eq!(found, "/lsp/pollux/binary/env/POLLUX_LOG");
}
