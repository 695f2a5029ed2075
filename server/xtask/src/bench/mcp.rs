//! `bench mcp`: how long somebody waits for the first prompt of a session to be taken, with ten servers of which three
//! hang and one crashes, and with none.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::Programs;
use super::door::{self, Door, Sharing};
use super::figures::{Times, milliseconds, ratio};
use super::place::Place;
use super::table::{Table, Target};
use crate::shell;

const RUNS: usize = 15;
const WARM_UP: usize = 2;
const TARGET: f64 = 1.2;

pub(super) fn measure(programs: &Programs) -> Result<Table> {
    let (mut none, mut ten) = (Times::default(), Times::default());
    for run in 0..WARM_UP + RUNS {
        // Side by side, so that whatever else the machine does falls on both.
        let without = first_prompt(&programs.pollux, &json!({}))?;
        let with = first_prompt(&programs.pollux, &json!({ "mcpServers": servers() }))?;
        if run >= WARM_UP {
            none.add(without);
            ten.add(with);
        }
    }
    let mut table = Table::default();
    let value = |times: &Times| {
        let (median, p95) = (times.median(), times.p95());
        format!("{} (p95 {})", milliseconds(median), milliseconds(p95))
    };
    table.row(
        "first prompt, no MCP servers",
        value(&none),
        Some(1.0),
        Target::None,
    );
    table.row(
        "first prompt, ten of which three hang and one crashes",
        value(&ten),
        Some(ratio(ten.median(), none.median())),
        Target::Ratio(TARGET),
    );
    Ok(table)
}

fn servers() -> Map<String, Value> {
    let script = shell::root().join("server/testkit/src/scripted_mcp.py");
    let entry = |word: &str| json!({ "command": "python3", "args": [script, word] });
    let behaviours = ["fine"; 6].iter().chain(&["hang"; 3]).chain(&["crash"]);
    let named = behaviours.enumerate();
    named
        .map(|(place, word)| (format!("{word}{place}"), entry(word)))
        .collect()
}

/// From the wish for a session until its first prompt is taken.
fn first_prompt(pollux: &Path, settings: &Value) -> Result<Duration> {
    let mut place = Place::new()?;
    place.set("GEMINI_CLI_TRUST_WORKSPACE", "true");
    place.write_settings(settings)?;
    let mut door = Door::open(pollux, &place, Sharing::Host)?;
    let host = door::host(pollux, &place)?;
    let begun = Instant::now();
    let started = door.client.request("pollux/sessionStart", &json!({}))?;
    let prompt = json!({ "session": started.get("session"), "text": "hello" });
    door.client.request("pollux/promptQueue", &prompt)?;
    let took = begun.elapsed();
    door.close()?;
    door::wait_for_host(host)?;
    Ok(took)
}
