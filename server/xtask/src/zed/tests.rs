use std::fs;

use serde_json::{Value, json};

use crate::shell;

/// What a person copies must be what Zed reads.
#[test]
fn the_settings_to_copy_have_the_agent() {
    let text = fs::read_to_string(shell::root().join("editors/zed/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        settings.pointer("/agent_servers/Pollux"),
        Some(&json!({"type": "custom", "command": "pollux", "args": ["acp"], "env": {}}))
    );
}
