use std::sync::Arc;

use expect_test::expect;

use super::*;
use crate::testing::{MemoryFiles, TestServers, config};
use crate::{Equipment, ToolSet};

async fn answer(arguments: &str) -> String {
    let servers: Arc<dyn crate::Servers> = TestServers::new(Vec::new()) as _;
    let config = SessionConfig {
        tools: ToolSet::built_in(&Equipment {
            servers: Some(servers),
            ..Equipment::default()
        }),
        ..config(MemoryFiles::new(&[]))
    };
    match run(&config, arguments).await {
        Outcome::Answer(text) => text,
        _ => panic!("not an answer"),
    }
}

#[tokio::test]
async fn servers_are_listed_with_what_they_offer() {
    expect![[r#"
        **s**: connected
        - `mcp_s_do`
        - `bomb` is left out: its schema is too large
        - prompts: `/greet`
        - 1 resource

    "#]]
    .assert_eq(&answer("").await);
    assert!(answer("desc").await.contains("`mcp_s_do`: Does it."));
    assert!(answer("schema s").await.contains("```json"));
    assert_eq!(answer("list other").await, "There is no such server.");
}

#[tokio::test]
async fn orders_are_passed_on() {
    assert_eq!(answer("reload").await, "Reload");
    assert_eq!(answer("enable s").await, r#"Enable("s", ForGood)"#);
    assert_eq!(
        answer("disable s --session").await,
        r#"Disable("s", Session)"#
    );
    assert_eq!(answer("auth").await, "Authenticate(None)");
    assert_eq!(answer("auth s").await, r#"Authenticate(Some("s"))"#);
    assert_eq!(answer("nonsense").await, USAGE);
}
