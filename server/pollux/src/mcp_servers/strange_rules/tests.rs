use std::sync::Arc;

use expect_test::expect;
use pollux_agent::{ServerState, ServerTool};
use pollux_policy::{ConditionInfo, Decision, Rank, RulePlace, Tier};
use serde_json::{Map, json};

use super::*;

fn rule(tool: &str, server: Option<&str>, line: usize) -> RuleInfo {
    RuleInfo {
        place: RulePlace {
            source: "my.toml".to_owned(),
            line: Some(line),
        },
        tier: Tier::User,
        rank: Rank::new(Tier::User, 1),
        decision: Decision::Allow,
        tools: ToolPattern {
            tool: tool.to_owned(),
            server: server.map(str::to_owned),
        },
        except: Vec::new(),
        condition: ConditionInfo::Always,
        subagent: None,
        annotations: Map::new(),
        modes: None,
        presence: None,
        allow_redirection: false,
        deny_message: None,
    }
}

fn state(server: &str, standing: ServerStanding) -> ServerState {
    ServerState {
        server: server.to_owned(),
        standing,
        instructions: None,
        left_out: Vec::new(),
    }
}

fn tool(server: &str, tool: &str) -> Arc<ServerTool> {
    Arc::new(ServerTool {
        name: mcp_tool_name(server, tool),
        server: server.to_owned(),
        tool: tool.to_owned(),
        description: String::new(),
        parameters: json!({}),
        annotations: Map::new(),
    })
}

#[test]
fn a_slip_of_the_pen_is_told_with_what_was_meant() {
    let offering = Offering {
        tools: vec![tool("a", "echo"), tool("a", "read"), tool("a_b", "list")],
        states: vec![
            state("a", ServerStanding::Connected),
            state("a_b", ServerStanding::Connected),
            state("late", ServerStanding::Connecting),
        ],
        ..Offering::default()
    };
    let rules = [
        rule("ecko", Some("a"), 1),
        rule("mcp_a_raed", None, 2),
        // These are as they should be, or cannot be judged.
        rule("echo", Some("a"), 3),
        rule("mcp_a_echo", Some("a"), 4),
        rule("mcp_a_b_list", None, 5),
        rule("mcp_a_*", None, 6),
        rule("*", Some("a"), 7),
        rule("x", Some("late"), 8),
        rule("x", Some("other"), 9),
        rule("read_file", None, 10),
        rule("mcp_a_b_lost", None, 11),
    ];
    expect![[r#"
        my.toml:1: a has no tool `ecko`; the nearest is `echo`
        my.toml:2: a has no tool `raed`; the nearest is `read`
        my.toml:11: a_b has no tool `lost`; the nearest is `list`"#]]
    .assert_eq(&of(&rules, &offering).join("\n"));
}
