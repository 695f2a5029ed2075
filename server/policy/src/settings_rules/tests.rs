use expect_test::expect;
use serde_json::json;

use super::*;
use crate::engine::tests::World;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn every_setting_has_its_rank() {
    let settings = SettingsRules {
        exclude: names(&["a", "ShellTool(rm)"]),
        confirmation_required: names(&["b(ignored)"]),
        allowed: names(&["c"]),
        core: names(&["d"]),
        excluded_servers: names(&["e"]),
        allowed_servers: names(&["f"]),
        trusted_servers: names(&["g"]),
        headless_servers: HeadlessServers::Allowed,
        remote_agents: names(&["h"]),
    };
    let rows: Vec<String> = settings
        .rules()
        .iter()
        .map(|rule| {
            let tools = &rule.scope.tools;
            let server = tools.server.as_deref().unwrap_or("-");
            let text = rule.condition.text().unwrap_or("-");
            format!(
                "{} {:?} {} {server} {text}",
                rule.rank, rule.decision, tools.tool
            )
        })
        .collect();
    expect![[r#"
        4.900 Deny * e -
        4.400 Deny a - -
        4.400 Deny run_shell_command - rm
        4.350 Ask b - -
        4.300 Allow c - -
        4.250 Allow d - -
        4.240 Deny * - -
        4.240 Deny * - -
        4.200 Allow * g -
        4.100 Allow * f -
        4.100 Allow * * -
        1.130 Ask invoke_agent - \x00\"agent_name\":\"h\"\x00"#]]
    .assert_eq(&rows.join("\n"));
}

#[test]
fn servers_run_headless_only_when_settings_say_so() {
    let world = |headless_servers| {
        World::settings(SettingsRules {
            headless_servers,
            ..SettingsRules::default()
        })
        .headless()
    };
    assert_eq!(world(HeadlessServers::Judged).mcp("s", "t"), Decision::Deny);
    assert_eq!(
        world(HeadlessServers::Allowed).mcp("s", "t"),
        Decision::Allow
    );
}

#[test]
fn a_remote_agent_is_asked_for() {
    let world = World::settings(SettingsRules {
        remote_agents: names(&["far.away"]),
        ..SettingsRules::default()
    });
    let start = |agent: &str| world.decide("invoke_agent", json!({ "agent_name": agent }));
    assert_eq!(start("far.away"), Decision::Ask);
    assert_eq!(start("far-away"), Decision::Allow);
}

#[test]
fn excluding_a_command_leaves_the_others() {
    let world = World::settings(SettingsRules {
        exclude: names(&["run_shell_command(npm)"]),
        ..SettingsRules::default()
    });
    assert_eq!(world.shell("ls && npm i"), Decision::Deny);
    assert_eq!(world.shell("ls"), Decision::Allow);
    assert!(!world.is_excluded("run_shell_command"));
}
