//! `bench acp`: what an agent costs behind a client of the Agent Client Protocol, against the scripted model; beside
//! gemini-cli and codex-acp when they are installed for that.

mod held;
mod start;
mod stream;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use super::super::Programs;
use super::super::door;
use super::super::figures::{float, megabytes};
use super::super::place::Place;
use super::super::process;
use super::super::table::Table;
use super::acp::Session;
use super::agent::{Agent, Kind, MODEL};
use super::{CHUNK_TARGET, Figure, add, model, peer, spread};
use held::Held;
use start::Start;
use stream::Stream;

/// How often faster, and how often smaller, than whom.
const START_OF_CODEX: f64 = 3.0;
const START_OF_GEMINI: f64 = 100.0;
const FIRST_CHUNK_OF_GEMINI: f64 = 10.0;
const MEMORY_OF_CODEX: f64 = 4.0;

/// Everything about one agent; what it was not asked for is not there.
struct Measured {
    kind: Kind,
    start: Start,
    stream: Option<Stream>,
    held: Option<Held>,
}

pub(in super::super) fn measure(programs: &Programs) -> Result<Table> {
    let ours = Agent {
        name: "pollux",
        program: programs.pollux.clone(),
        kind: Kind::Pollux,
    };
    let mut peers = peer::find();
    peers.extend(peer::codex_acp());
    let model: PathBuf = model::build()?;
    let names = peers.iter().map(|peer| peer.name.to_owned()).collect();
    let ours = everything(&ours, &model)?;
    let peers = peers
        .iter()
        .map(|peer| everything(peer, &model).with_context(|| peer.name))
        .collect::<Result<Vec<Measured>>>()?;
    let mut table = Table::beside(names);
    rows_of_start(&mut table, &ours, &peers);
    rows_of_stream(&mut table, &ours, &peers);
    rows_of_memory(&mut table, &ours, &peers);
    Ok(table)
}

/// codex-acp opens no session without an account, so only its start is measured, and what it holds then.
fn everything(agent: &Agent, model: &Path) -> Result<Measured> {
    let with_session = agent.kind != Kind::CodexAcp;
    let also = |measure: fn(&Agent, &Path) -> Result<Stream>| match with_session {
        true => measure(agent, model).map(Some),
        false => Ok(None),
    };
    Ok(Measured {
        kind: agent.kind,
        start: start::measure(agent, model)?,
        stream: also(stream::measure)?,
        held: match with_session {
            true => Some(held::measure(agent, model)?),
            false => None,
        },
    })
}

fn rows_of_start(table: &mut Table, ours: &Measured, peers: &[Measured]) {
    let start = |all: &Measured| Some(spread(&all.start.initialize));
    let third = of(peers, Kind::CodexAcp, start).map(|codex| codex / START_OF_CODEX);
    let hundredth = of(peers, Kind::GeminiCli, start).map(|gemini| gemini / START_OF_GEMINI);
    let most = [third, hundredth].into_iter().flatten().reduce(f64::min);
    let when = "spawn → initialize, no host yet (min / p50 / p95)";
    row(table, when, ours, peers, start, most.map(in_milliseconds));
    let second = |all: &Measured| all.start.second_client.as_ref().map(spread);
    let when = "spawn → initialize, host is there";
    row(table, when, ours, peers, second, most.map(in_milliseconds));
    let new = |all: &Measured| all.start.new.as_ref().map(spread);
    row(table, "session/new", ours, peers, new, None);
    let first = |all: &Measured| all.start.first_prompt.as_ref().map(spread);
    let when = "first prompt → first chunk";
    row(table, when, ours, peers, first, None);
    let next = |all: &Measured| all.start.next_prompt.as_ref().map(spread);
    let most = of(peers, Kind::GeminiCli, next).map(|gemini| gemini / FIRST_CHUNK_OF_GEMINI);
    let when = "next prompt → first chunk";
    row(table, when, ours, peers, next, most.map(in_milliseconds));
}

fn rows_of_stream(table: &mut Table, ours: &Measured, peers: &[Measured]) {
    let cpu = |all: &Measured| all.stream.as_ref().map(|stream| one(stream.cpu));
    let most = Some((CHUNK_TARGET, "0.012 ms".to_owned()));
    let when = "CPU per chunk, of 5,000";
    row(table, when, ours, peers, cpu, most);
    let median = |all: &Measured| Some(one(all.stream.as_ref()?.under_way.median()));
    let when = "latency per chunk, one in 5 ms, p50";
    row(table, when, ours, peers, median, None);
    let p99 = |all: &Measured| Some(one(all.stream.as_ref()?.under_way.p99()));
    row(table, "the same, p99", ours, peers, p99, None);
}

fn rows_of_memory(table: &mut Table, ours: &Measured, peers: &[Measured]) {
    let idle = |all: &Measured| Some(size(all.start.idle.resident));
    let quarter = of(peers, Kind::CodexAcp, idle).map(|codex| codex / MEMORY_OF_CODEX);
    let most = || quarter.map(|most| (most, format!("{:.2} MB", most / 1e6)));
    let what = "resident after initialize (ours: door and host, shared pages counted twice)";
    row(table, what, ours, peers, idle, most());
    let once = |all: &Measured| Some(size(all.start.idle_once));
    row(
        table,
        "the same, every page counted once",
        ours,
        peers,
        once,
        most(),
    );
    let shared = |all: &Measured| Some(size(all.start.idle.proportional));
    row(table, "the same, Pss", ours, peers, shared, None);
    let before = |all: &Measured| Some(size(all.held.as_ref()?.before.resident));
    row(
        table,
        "resident after session/new",
        ours,
        peers,
        before,
        None,
    );
    let after = |all: &Measured| Some(size(all.held.as_ref()?.after.resident));
    let what = "resident after 50 turns: shared pages counted twice";
    row(table, what, ours, peers, after, most());
    let once = |all: &Measured| Some(size(all.held.as_ref()?.once));
    row(
        table,
        "the same, every page counted once",
        ours,
        peers,
        once,
        most(),
    );
    let shared = |all: &Measured| Some(size(all.held.as_ref()?.after.proportional));
    row(table, "the same, Pss", ours, peers, shared, None);
}

fn row(
    table: &mut Table,
    what: &str,
    ours: &Measured,
    peers: &[Measured],
    figure: impl Fn(&Measured) -> Option<Figure>,
    target: Option<(f64, String)>,
) {
    if let Some(own) = figure(ours) {
        let peers = peers.iter().map(&figure).collect();
        let target = target.as_ref().map(|(most, written)| (*most, &**written));
        add(table, what, own, peers, target);
    }
}

/// What the peer of this kind came to.
fn of(peers: &[Measured], kind: Kind, figure: impl Fn(&Measured) -> Option<Figure>) -> Option<f64> {
    let peer = peers.iter().find(|peer| peer.kind == kind)?;
    Some(figure(peer)?.value)
}

fn in_milliseconds(most: f64) -> (f64, String) {
    (most, format!("{:.2} ms", most * 1e3))
}

fn one(time: Duration) -> Figure {
    Figure {
        value: time.as_secs_f64(),
        written: format!("{:.4} ms", time.as_secs_f64() * 1e3),
    }
}

fn size(bytes: u64) -> Figure {
    Figure {
        value: float(bytes),
        written: megabytes(bytes),
    }
}

/// Ours keeps its sessions in the host, which the door only finds.
fn processes(agent: &Agent, place: &Place, session: &Session) -> Result<Vec<u32>> {
    match agent.kind {
        Kind::Pollux => Ok(vec![session.pid(), door::host(&agent.program, place)?]),
        _ => process::tree(session.pid()),
    }
}

/// Ends the session, and waits for the host so that the next start is as cold as this one was.
fn end(agent: &Agent, place: &Place, session: Session) -> Result<()> {
    let host = match agent.kind {
        Kind::Pollux => Some(door::host(&agent.program, place)?),
        _ => None,
    };
    drop(session);
    host.map_or(Ok(()), door::wait_for_host)
}
