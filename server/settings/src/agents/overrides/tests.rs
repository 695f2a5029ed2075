use serde_json::json;

use super::*;

fn settings(value: Value) -> Settings {
    Settings::new(value.as_object().unwrap().clone())
}

#[test]
fn what_is_set_is_read_and_what_makes_no_sense_is_not() {
    let settings = settings(json!({ "agents": { "overrides": {
        "full": {
            "enabled": true,
            "runConfig": { "maxTurns": 5, "maxTimeMinutes": 1.5 },
            "modelConfig": { "model": "m", "generateContentConfig": { "temperature": 0.1 } },
            "tools": ["read_file", "bogus", 3],
        },
        "odd": {
            "enabled": "yes",
            "runConfig": { "maxTurns": -1, "maxTimeMinutes": -2 },
            "modelConfig": { "model": "inherit" },
        },
    } } }));
    let full = agent_override(&settings, "full");
    assert_eq!(full.enabled, Some(true));
    assert_eq!(full.max_turns, Some(5));
    assert_eq!(full.max_time, Some(Duration::from_secs(90)));
    assert_eq!(full.model.as_deref(), Some("m"));
    assert_eq!(full.generation.get("temperature"), Some(&json!(0.1)));
    assert_eq!(full.tools, Some(vec!["read_file".to_owned()]));
    assert_eq!(agent_override(&settings, "odd"), AgentOverride::default());
    assert_eq!(agent_override(&settings, "none"), AgentOverride::default());
}

#[test]
fn agents_are_there_unless_they_are_switched_off() {
    let switched = |on: bool| settings(json!({ "experimental": { "enableAgents": on } }));
    assert!(agents_are_on(&settings(json!({}))));
    assert!(agents_are_on(&switched(true)));
    assert!(!agents_are_on(&switched(false)));
}
