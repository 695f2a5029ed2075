//! A process for one short answer: when its first request arrives, when it ends, what it used.

use std::path::Path;

use anyhow::Result;

use super::super::figures::Times;
use super::super::start::progress;
use super::agent::{Agent, Kind, LoopDetection, Tools};
use super::headless::Stage;
use super::prose::{Style, chunks};
use super::script;

/// The first run pays for reading the program from the disk, which is not what is asked.
const WARM_UP: usize = 2;
const RUNS: usize = 20;
/// A peer needs seconds for each.
const PEER_RUNS: usize = 10;
const CHUNKS: usize = 4;

#[derive(Default)]
pub(super) struct Cold {
    pub(super) first_request: Times,
    pub(super) exit: Times,
    pub(super) cpu: Times,
    pub(super) request_bytes: u64,
    /// Of a request that offers every tool.
    pub(super) full_request_bytes: u64,
}

pub(super) fn measure(agent: &Agent, model: &Path) -> Result<Cold> {
    let script = script::answer(&chunks(Style::Prose, CHUNKS));
    let runs = WARM_UP
        + match agent.kind {
            Kind::Pollux => RUNS,
            _ => PEER_RUNS,
        };
    let mut stage = Stage::new(agent, model)?;
    let mut cold = Cold::default();
    for number in 0..runs {
        progress(&format!("{}: one answer", agent.name), number, runs);
        let run = stage.run(&script, LoopDetection::On)?;
        if number >= WARM_UP {
            cold.first_request.add(run.first_request);
            cold.exit.add(run.exit);
            cold.cpu.add(run.cpu);
            cold.request_bytes = run.request_bytes;
        }
    }
    let run = stage.run_with(Tools::All, &script, LoopDetection::On)?;
    cold.full_request_bytes = run.request_bytes;
    Ok(cold)
}
