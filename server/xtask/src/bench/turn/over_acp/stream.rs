//! What a chunk of an answer costs on its way to the client, and how long it is under way.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::super::super::figures::Times;
use super::super::super::place::Place;
use super::super::super::start::progress;
use super::super::acp::Session;
use super::super::agent::{Agent, Kind, LoopDetection};
use super::super::model::Model;
use super::super::prose::{CHUNK, Style, chunks};
use super::super::{script, usage};
use super::{MODEL, end, processes};

const MANY: usize = 5_000;
const ROUNDS: usize = 7;
/// A peer needs seconds for each.
const PEER_ROUNDS: usize = 3;
const PACED: usize = 1_000;
const APART_MS: u64 = 5;

pub(super) struct Stream {
    /// Of each of many chunks that come as fast as they can.
    pub(super) cpu: Duration,
    /// From the model to the client, of each chunk that comes in its time.
    pub(super) under_way: Times,
}

pub(super) fn measure(agent: &Agent, model: &Path) -> Result<Stream> {
    let many = script::answer(&chunks(Style::Prose, MANY));
    let cpu = in_session(agent, model, &many, cpu_per_chunk)?;
    let paced = script::paced(PACED, APART_MS);
    let under_way = in_session(agent, model, &paced, latencies)?;
    Ok(Stream { cpu, under_way })
}

fn in_session<T>(
    agent: &Agent,
    model: &Path,
    script: &Value,
    measure: fn(&Agent, &Place, &mut Session) -> Result<T>,
) -> Result<T> {
    let mut place = Place::new()?;
    let model = Model::start(model, &place, script)?;
    agent.settle(&mut place, &model.url, LoopDetection::On)?;
    place.set("GEMINI_MODEL", MODEL);
    let mut session = Session::open(agent, &place).with_context(|| place.last_words())?;
    let measured = measure(agent, &place, &mut session)?;
    end(agent, &place, session)?;
    Ok(measured)
}

fn cpu_per_chunk(agent: &Agent, place: &Place, session: &mut Session) -> Result<Duration> {
    let rounds = match agent.kind {
        Kind::Pollux => ROUNDS,
        _ => PEER_ROUNDS,
    };
    let pids = processes(agent, place, session)?;
    let mut times = Times::default();
    // The first answer is the one in which everything is read and compiled.
    for round in 0..=rounds {
        progress(&format!("{}: {MANY} chunks", agent.name), round, rounds + 1);
        // A new session: an answer before this one would be sent to the model as well.
        session.begin(place)?;
        let before = usage::of_running(&pids)?;
        let mut characters = 0;
        session.prompt_hearing("Tell me more.", |piece| {
            characters += piece.text.chars().count();
        })?;
        let used = usage::of_running(&pids)?.saturating_sub(before);
        if characters != MANY * CHUNK {
            bail!("{characters} characters of {} arrived", MANY * CHUNK);
        }
        if round > 0 {
            times.add(used);
        }
    }
    Ok(times.median() / u32::try_from(MANY)?)
}

fn latencies(agent: &Agent, _: &Place, session: &mut Session) -> Result<Times> {
    progress(&format!("{}: a paced answer", agent.name), 0, 1);
    let (mut times, mut count) = (Times::default(), 0);
    session.prompt_hearing("Take your time.", |piece| {
        // One piece may hold several chunks.
        let sent = piece.text.split_whitespace();
        let sent = sent.filter_map(|time| time.parse::<f64>().ok());
        for sent in sent.filter_map(|time| Duration::try_from_secs_f64(time / 1e3).ok()) {
            times.add(piece.read.saturating_sub(sent));
            count += 1;
        }
    })?;
    if count != PACED {
        bail!("{count} chunks of {PACED} arrived");
    }
    Ok(times)
}
