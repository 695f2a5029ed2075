use serde_json::json;

use super::*;
use crate::connect::Trusted;

#[test]
fn what_cannot_be_connected_is_listed_with_the_reason() {
    let entries = json!({ "b": { "command": "x" }, "a": { "command": 1 }, "c": { "trust": true } });
    let gates = Gates {
        trusted: Trusted::Yes,
        ..Gates::default()
    };
    let planned = plan(entries.as_object().unwrap(), Some("node server.js"), &gates);
    let names: Vec<&str> = planned.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "mcp"]);
    assert_eq!(
        planned[0].1,
        Planned::Broken("its settings are wrong: `command` must be a string".to_owned())
    );
    assert!(matches!(planned[1].1, Planned::Connect(_)));
    // It may be meant for a server that an extension of the twin brings along, so nobody has to be told of it.
    assert_eq!(
        planned[2].1,
        Planned::Blocked("it has neither `command` nor `url`".to_owned())
    );
    assert!(matches!(planned[3].1, Planned::Connect(_)));
}

#[test]
fn mcp_client_18_without_trust_nothing_is_connected_and_everything_is_listed() {
    let entries = json!({ "a": { "command": "x" }, "b": { "url": "http://x" } });
    let planned = plan(entries.as_object().unwrap(), Some("y"), &Gates::default());
    assert_eq!(planned.len(), 3);
    for (_, planned) in planned {
        let Planned::Blocked(reason) = planned else {
            panic!("it would be connected");
        };
        assert!(reason.contains("not trusted"), "{reason}");
    }
}
