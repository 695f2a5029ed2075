//! The official conformance suite against the HTTP layer that `pollux mcp --http` uses, with the fixtures it asks for.
#![expect(
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    deprecated,
    reason = "tests; and the suite tests logging and sampling, which later versions of the protocol do without"
)]

#[path = "server_conformance/fixtures.rs"]
mod fixtures;

use std::process::Stdio;

use fixtures::Fixtures;
use pollux_mcp::serve::{Access, HttpDoor};
use pollux_testkit::installed;

/// Every scenario of the pinned version.
const SCENARIOS: usize = 32;

const SUITE: &str = "mcp-clients/node_modules/@modelcontextprotocol/conformance/dist/index.js";

#[tokio::test]
async fn the_official_suite_finds_nothing_wrong_with_a_server_of_ours() {
    let door = HttpDoor::serving(|| Fixtures, Access::Anyone)
        .await
        .unwrap();
    let results = tempfile::tempdir().unwrap();
    let suite = tokio::process::Command::new(installed("mcp-clients/node_modules/node/bin/node"))
        .arg(installed(SUITE))
        .args(["server", "--suite", "all", "--url", &door.url(), "-o"])
        .arg(results.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .expect("the suite is installed by `cargo xtask test`");
    let said = String::from_utf8_lossy(&suite.stdout);
    let complained = String::from_utf8_lossy(&suite.stderr);
    assert!(suite.status.success(), "{said}\n{complained}");
    let mut scenarios = 0;
    for scenario in std::fs::read_dir(results.path()).unwrap() {
        let checks = scenario.unwrap().path().join("checks.json");
        let checks = std::fs::read_to_string(checks).unwrap();
        let checks: Vec<serde_json::Value> = serde_json::from_str(&checks).unwrap();
        for check in &checks {
            assert!(
                ["SUCCESS", "INFO"].contains(&check["status"].as_str().unwrap()),
                "{check:#}"
            );
        }
        scenarios += 1;
    }
    assert_eq!(scenarios, SCENARIOS, "{said}");
}
