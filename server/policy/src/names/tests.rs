use serde_json::Map;

use super::*;

fn matches(pattern: &str, tool: &str, server: Option<&str>) -> bool {
    matches_as(pattern, None, tool, server, Decision::Allow)
}

fn matches_as(
    pattern: &str,
    pattern_server: Option<&str>,
    tool: &str,
    server: Option<&str>,
    decision: Decision,
) -> bool {
    let args = Map::new();
    let call = Call {
        tool,
        args: &args,
        server,
        subagent: None,
        annotations: None,
    };
    let pattern = ToolPattern {
        tool: pattern.to_owned(),
        server: pattern_server.map(str::to_owned),
    };
    pattern.matches(&Names::of(&call), decision)
}

#[test]
fn stars_stand_for_any_characters() {
    assert!(matches("*", "glob", None));
    assert!(matches("discovered_tool_*", "discovered_tool_x", None));
    assert!(!matches("discovered_tool_*", "other", None));
    assert!(matches("a*b*c", "aXbYbZc", None));
    assert!(!matches("a*b*c", "acb", None));
    assert!(!matches("ab*ba", "aba", None));
}

#[test]
fn servers_are_not_told_apart_by_their_beginnings() {
    assert!(matches("mcp_a_*", "mcp_a_x", Some("a")));
    assert!(!matches("mcp_a_*", "mcp_a_b_x", Some("a_b")));
    assert!(matches("mcp_a_b_*", "mcp_a_b_x", Some("a_b")));
    assert!(matches("mcp_a_*", "x", Some("a")));
    // Without the server's name the first underscore has to do, except for a deny.
    assert!(!matches("mcp_a_b_*", "mcp_a_b_x", None));
    assert!(matches_as(
        "mcp_a_b_*",
        None,
        "mcp_a_b_x",
        None,
        Decision::Deny
    ));
}

#[test]
fn a_tool_of_any_server_can_be_named() {
    assert!(matches("mcp_*_delete", "mcp_a_delete", Some("a")));
    assert!(matches("mcp_*_delete", "mcp_a_b_delete", Some("a_b")));
    assert!(!matches("mcp_*_delete", "mcp_a_read", Some("a")));
    assert!(matches_as(
        "delete",
        Some("*"),
        "mcp_a_delete",
        Some("a"),
        Decision::Allow
    ));
    assert!(matches("mcp_*", "mcp_a_x", None));
    assert!(!matches("mcp_*", "glob", None));
}

#[test]
fn short_and_full_names_are_bridged() {
    for tool in ["x", "mcp_a_x"] {
        assert!(matches_as("x", Some("a"), tool, Some("a"), Decision::Allow));
        assert!(matches_as(
            "mcp_a_x",
            Some("a"),
            tool,
            Some("a"),
            Decision::Allow
        ));
        assert!(matches("mcp_a_x", tool, Some("a")));
        assert!(!matches_as(
            "x",
            Some("b"),
            tool,
            Some("a"),
            Decision::Allow
        ));
    }
    assert!(matches_as(
        "*",
        Some("my server"),
        "mcp_my_server_x",
        Some("my server"),
        Decision::Allow
    ));
}

#[test]
fn a_server_cannot_borrow_the_permission_of_our_own_tool() {
    assert!(!matches("read_file", "read_file", Some("evil")));
    assert!(matches_as(
        "read_file",
        None,
        "read_file",
        Some("evil"),
        Decision::Deny
    ));
}

#[test]
fn aliases_mean_the_same_tool() {
    assert!(matches("search_file_content", "grep_search", None));
    assert!(matches("grep_search", "search_file_content", None));
    assert!(matches("ShellTool", "run_shell_command", None));
}
