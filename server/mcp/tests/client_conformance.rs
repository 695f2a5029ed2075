//! The official suite against our client. `cargo xtask test` installs it.

use std::collections::BTreeSet;

use pollux_testkit::installed;

use crate::support::in_time;

/// As many as version 0.1.16 has.
const SCENARIOS: usize = 26;

const SUITE: &str = "mcp-clients/node_modules/@modelcontextprotocol/conformance/dist/index.js";

/// The scenarios that are listed with this outcome.
fn listed(outcome: &str) -> BTreeSet<String> {
    let table = include_str!("client_conformance.tsv").lines();
    let rows = table.filter(|line| !line.starts_with('#'));
    let rows = rows.map(|row| row.split('\t').collect::<Vec<_>>());
    rows.filter(|cells| {
        assert!(
            cells.len() == 4 && cells[3].starts_with("https://"),
            "{cells:?}"
        );
        cells[1] == outcome
    })
    .map(|cells| cells[0].to_owned())
    .collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the suite is no child of ours; it ends with the test"
)]
#[tokio::test]
async fn the_client_scenarios_pass_except_those_that_are_listed() {
    let results = tempfile::tempdir().unwrap();
    let mut suite =
        tokio::process::Command::new(installed("mcp-clients/node_modules/node/bin/node"));
    suite
        .arg(installed(SUITE))
        .args(["client", "--suite", "all", "--timeout", "60000"])
        .args(["--command", env!("CARGO_BIN_EXE_mcp-conformance")])
        .arg("-o")
        .arg(results.path())
        .current_dir(results.path())
        .kill_on_drop(true);
    let told = in_time(suite.output()).await.unwrap();
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let (_, summary) = told.split_once("=== SUITE SUMMARY ===").expect(&told);
    let of = |mark: &str| -> BTreeSet<String> {
        let lines = summary.lines().filter_map(|line| line.strip_prefix(mark));
        let names = lines.filter_map(|line| line.trim().split_once(": "));
        names.map(|(name, _)| name.to_owned()).collect()
    };
    let (passed, failed) = (of("✓"), of("✗"));
    assert_eq!(passed.len() + failed.len(), SCENARIOS, "{summary}");
    let failed: BTreeSet<String> = failed.difference(&listed("varies")).cloned().collect();
    assert_eq!(failed, listed("fails"), "{told}");
}
