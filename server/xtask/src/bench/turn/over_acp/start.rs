//! From the start of the process to the first words of an answer.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::super::super::figures::Times;
use super::super::super::pages;
use super::super::super::place::Place;
use super::super::super::process::{self, Memory};
use super::super::super::start::progress;
use super::super::acp::Session;
use super::super::agent::{Agent, Kind, LoopDetection};
use super::super::model::Model;
use super::super::prose::{Style, chunks};
use super::super::{record, script};
use super::{MODEL, end, processes};

/// The first run pays for reading the program from the disk, which is not what is asked.
const WARM_UP: usize = 1;
const RUNS: usize = 15;
/// A peer needs seconds for each.
const PEER_RUNS: usize = 7;
const CHUNKS: usize = 4;

#[derive(Default)]
pub(super) struct Start {
    pub(super) initialize: Times,
    /// When there is a host already; peers have none.
    pub(super) second_client: Option<Times>,
    pub(super) new: Option<Times>,
    pub(super) first_prompt: Option<Times>,
    pub(super) next_prompt: Option<Times>,
    /// After `initialize`.
    pub(super) idle: Memory,
    /// Every page counted once, whoever has it.
    pub(super) idle_once: u64,
}

pub(super) fn measure(agent: &Agent, model: &Path) -> Result<Start> {
    let runs = WARM_UP
        + match agent.kind {
            Kind::Pollux => RUNS,
            _ => PEER_RUNS,
        };
    let mut place = Place::new()?;
    let answer = script::answer(&chunks(Style::Prose, CHUNKS));
    let model = Model::start(model, &place, &answer)?;
    agent.settle(&mut place, &model.url, LoopDetection::On)?;
    place.set("GEMINI_MODEL", MODEL);
    let mut start = Start::default();
    for run in 0..runs {
        progress(&format!("{}: start", agent.name), run, runs);
        let mut forgotten = Start::default();
        let counted = match run < WARM_UP {
            true => &mut forgotten,
            false => &mut start,
        };
        once(agent, &place, counted).with_context(|| place.last_words())?;
    }
    Ok(start)
}

fn once(agent: &Agent, place: &Place, start: &mut Start) -> Result<()> {
    let mut session = Session::start(agent, place)?;
    start.initialize.add(session.started);
    let pids = processes(agent, place, &session)?;
    start.idle = process::memory_of_all(&pids)?;
    start.idle_once = pages::of_all(&pids)?;
    if agent.kind == Kind::CodexAcp {
        return Ok(());
    }
    if agent.kind == Kind::Pollux {
        let second = Session::start(agent, place)?;
        add(&mut start.second_client, second.started);
    }
    add(&mut start.new, session.begin(place)?);
    add(&mut start.first_prompt, first_chunk(&mut session)?);
    add(&mut start.next_prompt, first_chunk(&mut session)?);
    end(agent, place, session)
}

fn add(times: &mut Option<Times>, time: Duration) {
    times.get_or_insert_default().add(time);
}

fn first_chunk(session: &mut Session) -> Result<Duration> {
    let begin = record::now();
    let mut first = None;
    session.prompt_hearing("And what else?", |piece| {
        first.get_or_insert(piece.read);
    })?;
    Ok(first.context("no answer came")?.saturating_sub(begin))
}
