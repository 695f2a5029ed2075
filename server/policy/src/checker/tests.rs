use serde_json::json;

use crate::Decision::{Allow, Ask, Deny};
use crate::engine::tests::World;

const CHECKED: &str = r#"
[[rule]]
toolName = "copy"
decision = "allow"
priority = 1

[[safety_checker]]
toolName = "copy"

[safety_checker.checker]
type = "in-process"
name = "allowed-path"

[safety_checker.checker.config]
included_args = ["where"]
excluded_args = ["profile"]
"#;

#[test]
fn every_argument_that_names_a_path_is_looked_at() {
    let world = World::user(CHECKED);
    assert_eq!(world.problems, []);
    let copy = |args| world.decide("copy", args);
    assert_eq!(copy(json!({"source": "a", "destination": "b"})), Allow);
    assert_eq!(
        copy(json!({"source": "/etc/passwd", "destination": "b"})),
        Deny
    );
    assert_eq!(
        copy(json!({"options": [{"outputDirectory": "../x"}]})),
        Deny
    );
    assert_eq!(copy(json!({"files": ["a", "/b"]})), Deny);
    assert_eq!(copy(json!({"where": "/x"})), Deny);
    assert_eq!(copy(json!({"profile": "/x", "text": "/y"})), Allow);
    assert_eq!(copy(json!({"file": ".vscode/x"})), Ask);
    assert_eq!(copy(json!({"file": "a/gha-creds-1.json"})), Deny);
}
