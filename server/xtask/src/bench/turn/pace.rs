//! How long a chunk is under way from the model to our reader, when the model takes its time.

use std::path::Path;

use anyhow::{Result, bail};

use super::super::figures::Times;
use super::super::start::progress;
use super::agent::{Agent, LoopDetection};
use super::headless::Stage;
use super::output::latencies;
use super::script;

const CHUNKS: usize = 1_000;
const APART_MS: u64 = 5;

pub(super) fn measure(agent: &Agent, model: &Path) -> Result<Times> {
    progress(&format!("{}: a paced answer", agent.name), 0, 1);
    let script = script::paced(CHUNKS, APART_MS);
    let run = Stage::new(agent, model)?.run(&script, LoopDetection::On)?;
    let latencies = latencies(&run.lines);
    if latencies.len() != CHUNKS {
        bail!("{} chunks of {CHUNKS} arrived", latencies.len());
    }
    let mut times = Times::default();
    for latency in latencies {
        times.add(latency);
    }
    Ok(times)
}
