use serde_json::json;

use super::*;

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

fn merged(layers: &[Value]) -> Value {
    let mut settings = Map::new();
    for layer in layers {
        merge(&mut settings, &object(layer.clone()));
    }
    Value::Object(settings)
}

#[test]
fn scalars_are_replaced_and_objects_merged_key_by_key() {
    assert_eq!(
        merged(&[
            json!({"ui": {"theme": "A", "hideTips": true}, "x": {"y": 1}}),
            json!({"ui": {"theme": "B"}, "x": 5}),
        ]),
        json!({"ui": {"theme": "B", "hideTips": true}, "x": 5})
    );
}

#[test]
fn settings_2_a_union_list_keeps_order_and_drops_repetitions() {
    assert_eq!(
        merged(&[
            json!({"tools": {"exclude": ["a"], "core": ["x"]}}),
            json!({"tools": {"exclude": ["a", "b"], "core": ["y"]}}),
            json!({"tools": {"exclude": "c"}}),
        ]),
        json!({"tools": {"exclude": ["a", "b", "c"], "core": ["y"]}})
    );
}

#[test]
fn settings_3_an_mcp_server_is_replaced_whole() {
    assert_eq!(
        merged(&[
            json!({"mcpServers": {"x": {"command": "a", "env": {"K": "1"}}, "y": {}}}),
            json!({"mcpServers": {"x": {"command": "b"}}}),
        ]),
        json!({"mcpServers": {"x": {"command": "b"}, "y": {}}})
    );
}

#[test]
fn settings_6_hooks_and_include_directories_are_appended() {
    assert_eq!(
        merged(&[
            json!({"hooks": {"BeforeTool": [1]}, "context": {"includeDirectories": ["a"]}}),
            json!({"hooks": {"BeforeTool": [2], "NewEvent": [3]}, "context": {"includeDirectories": ["a"]}}),
            json!({"hooks": {"NewEvent": 4}}),
        ]),
        json!({
            "hooks": {"BeforeTool": [1, 2], "NewEvent": [3, 4]},
            "context": {"includeDirectories": ["a", "a"]}
        })
    );
}

#[test]
fn a_word_in_the_place_of_a_section_does_not_wipe_the_section() {
    assert_eq!(
        merged(&[
            json!({"security": {"disableYoloMode": true}, "mcp": {"allowed": ["a"]}}),
            json!({"security": 5, "mcp": "none"}),
        ]),
        json!({"security": {"disableYoloMode": true}, "mcp": {"allowed": ["a"]}})
    );
}

#[test]
fn keys_of_javascript_objects_are_left_out_at_every_depth() {
    assert_eq!(
        merged(&[
            json!({"__proto__": {"a": 1}, "new": {"constructor": 1, "kept": {"prototype": 2}}}),
            json!({"new": {"__proto__": 1}, "mcpServers": {"__proto__": {}}}),
        ]),
        json!({"new": {"kept": {}}, "mcpServers": {}})
    );
}

#[test]
fn settings_8_mcp_lists_can_only_become_stricter() {
    let combined = |layers: &[Value]| {
        let layers: Vec<_> = layers.iter().cloned().map(object).collect();
        let mut settings = Map::new();
        for layer in &layers {
            merge(&mut settings, layer);
        }
        combine_mcp_lists(&mut settings, &layers.iter().collect::<Vec<_>>());
        Value::Object(settings)
    };
    assert_eq!(
        combined(&[
            json!({"mcp": {"allowed": ["A", "b"], "excluded": ["x"]}}),
            json!({"mcp": {"allowed": [" a "], "excluded": ["y"]}}),
        ]),
        json!({"mcp": {"allowed": ["A"], "excluded": ["x", "y"]}})
    );
    assert_eq!(
        combined(&[
            json!({"mcp": {"allowed": ["a"]}}),
            json!({"mcp": {"allowed": 5}})
        ]),
        json!({"mcp": {"allowed": []}})
    );
    assert_eq!(combined(&[json!({"mcp": {}})]), json!({"mcp": {}}));
}
