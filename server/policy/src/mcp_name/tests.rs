use proptest::prelude::*;
use serde_json::Map;

use super::*;
use crate::names::{Names, ToolPattern};
use crate::{Call, Decision};

/// Whether a rule for this tool allows the server's tool, judged by the name that the model used.
fn allows(tool: &str, of_server: Option<&str>, server: &str, called: &str) -> bool {
    let args = Map::new();
    let call = Call {
        tool: called,
        args: &args,
        server: Some(server),
        subagent: None,
        annotations: None,
    };
    let pattern = ToolPattern {
        tool: tool.to_owned(),
        server: of_server.map(str::to_owned),
    };
    pattern.matches(&Names::of(&call), Decision::Allow)
}

#[test]
fn tools_14_names_have_what_models_accept_and_no_more_than_63_characters() {
    assert_eq!(mcp_tool_name("my server", "do/it"), "mcp_my_server_do_it");
    assert_eq!(mcp_tool_name("a.b:c-d", "x"), "mcp_a.b:c-d_x");
    assert_eq!(mcp_tool_name("1", "ü🦀"), "mcp_1____");
    assert_eq!(mcp_tool_name("mcp_a", "x"), "mcp_a_x");
    let fits = "t".repeat(LONGEST - "mcp_s_".len());
    assert_eq!(mcp_tool_name("s", &fits), format!("mcp_s_{fits}"));
    let long = format!("{}{}", "t".repeat(40), "u".repeat(34));
    let name = mcp_tool_name("s", &long);
    assert_eq!(
        name,
        format!("mcp_s_{}...{}", "t".repeat(24), "u".repeat(30))
    );
    assert_eq!(name.len(), 63);
}

#[test]
fn tools_14_a_rule_means_the_tool_whichever_way_it_is_written() {
    let called = mcp_tool_name("my server", "do/it");
    for (tool, of_server) in [
        ("do/it", Some("my server")),
        ("do_it", Some("my server")),
        ("do/it", Some("*")),
        ("do*", Some("my server")),
        ("*", Some("my server")),
        ("mcp_my_server_do_it", None),
        ("mcp_my_server_*", None),
        ("mcp_my_server_do*", None),
        ("mcp_*_do_it", None),
        ("mcp_*", None),
        ("*", None),
    ] {
        for called in [called.as_str(), "do/it"] {
            assert!(
                allows(tool, of_server, "my server", called),
                "{tool}, {called}"
            );
            assert!(!allows(tool, Some("other"), "my server", called), "{tool}");
        }
    }
    assert!(!allows("mcp_my_*", None, "my server", &called));
    assert!(!allows("do_it", None, "my server", &called));
}

#[test]
fn tools_14_a_rule_means_a_tool_whose_name_was_cut() {
    let (server, tool) = ("a-server-with-a-very-long-name-indeed", "t".repeat(50));
    let called = mcp_tool_name(server, &tool);
    assert!(called.contains(CUT));
    let written_out = format!("mcp_{server}_{tool}");
    for (pattern, of_server) in [
        (tool.as_str(), Some(server)),
        (tool.as_str(), Some("*")),
        (written_out.as_str(), None),
        (called.as_str(), None),
        (&format!("mcp_{server}_*"), None),
    ] {
        for called in [called.as_str(), tool.as_str()] {
            assert!(
                allows(pattern, of_server, server, called),
                "{pattern}, {called}"
            );
        }
    }
    // By its own name even a part of a tool's name can be meant.
    assert!(allows(&format!("mcp_{server}_ttt*"), None, server, &tool));
    assert!(!allows("mcp_a_*", None, server, &called));
}

#[test]
fn a_server_cannot_name_its_tool_like_the_tool_of_another_server() {
    let name = mcp_tool_name("github", "x");
    assert!(!allows(&name, None, "evil", &name));
    assert!(allows("mcp_evil_mcp_github_x", None, "evil", &name));
}

proptest! {
    #[test]
    fn every_name_is_one_that_models_accept(server in ".{0,40}", tool in ".{0,60}") {
        let name = mcp_tool_name(&server, &tool);
        prop_assert!(name.len() <= LONGEST);
        prop_assert!(name.starts_with(PREFIX));
        prop_assert_eq!(accepted(&name), name.as_str());
        prop_assert!(allows(&tool, Some(&server), &server, &name));
        prop_assert!(allows(&name, None, &server, &name));
    }
}
