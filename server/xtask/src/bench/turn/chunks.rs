//! What a chunk of a streamed answer costs: a long answer less a short one, so that the start of
//! the process is not counted.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};

use super::super::figures::Times;
use super::super::start::progress;
use super::agent::{Agent, Kind, LoopDetection};
use super::headless::Stage;
use super::prose::{CHUNK, Style, chunks};
use super::script;

const LONG: usize = 5_000;
const SHORT: usize = 50;
const ROUNDS: usize = 7;
/// A peer needs seconds for each.
const PEER_ROUNDS: usize = 3;

pub(super) struct Case {
    pub(super) style: Style,
    pub(super) loops: LoopDetection,
    pub(super) what: &'static str,
}

pub(super) fn measure(agent: &Agent, model: &Path, case: &Case) -> Result<Duration> {
    let rounds = match agent.kind {
        Kind::Pollux => ROUNDS,
        _ => PEER_ROUNDS,
    };
    let mut stage = Stage::new(agent, model)?;
    let (mut long, mut short) = (Times::default(), Times::default());
    for round in 0..rounds {
        let what = format!("{}: {LONG} chunks of {}", agent.name, case.what);
        progress(&what, round, rounds);
        for (times, count) in [(&mut short, SHORT), (&mut long, LONG)] {
            let script = script::answer(&chunks(case.style, count));
            let run = stage.run(&script, case.loops)?;
            let arrived = run.answer_characters();
            if arrived != count * CHUNK {
                bail!("{what}: {arrived} characters of {} arrived", count * CHUNK);
            }
            times.add(run.cpu);
        }
    }
    let more = long.median().saturating_sub(short.median());
    Ok(more / u32::try_from(LONG - SHORT)?)
}
