//! What a session holds in memory after many turns.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::super::door::{self, Door, Sharing};
use super::super::pages;
use super::super::place::Place;
use super::super::process::{self, Memory};
use super::super::start::progress;
use super::acp::Session;
use super::agent::{Agent, LoopDetection, MODEL};
use super::model::Model;
use super::prose::{Style, chunks};
use super::script;

const TURNS: usize = 50;
const CHUNKS: usize = 20;
const PROMPT: &str = "And what else?";
const EVENTS: &str = "pollux/sessionEvents";

/// All processes together.
pub(super) struct Resident {
    pub(super) before: Memory,
    pub(super) after: Memory,
}

/// Our two processes, each for itself.
pub(super) struct Ours {
    pub(super) together: Resident,
    /// Every page of both counted once.
    pub(super) once: u64,
    pub(super) door: Memory,
    pub(super) host: Memory,
}

/// Of door and room in one process, as a peer is one.
pub(super) fn alone(agent: &Agent, model: &Path) -> Result<Memory> {
    let (place, _model) = stage(agent, model, TURNS)?;
    let mut door = Door::open(&agent.program, &place, Sharing::OneProcess)?;
    converse(&mut door, TURNS)?;
    let memory = process::memory(door.pid())?;
    door.close()?;
    Ok(memory)
}

/// Of the door and the host, with an editor that follows the session.
pub(super) fn ours(agent: &Agent, model: &Path) -> Result<Ours> {
    let (place, _model) = stage(agent, model, TURNS)?;
    let mut door = Door::open(&agent.program, &place, Sharing::Host)?;
    door.snapshot()?;
    let host = door::host(&agent.program, &place)?;
    let before = process::memory(door.pid())? + process::memory(host)?;
    converse(&mut door, TURNS)?;
    let of_door = process::memory(door.pid())?;
    let of_host = process::memory(host)?;
    let once = pages::of_all(&[door.pid(), host])?;
    door.close()?;
    door::wait_for_host(host)?;
    Ok(Ours {
        together: Resident {
            before,
            after: of_door + of_host,
        },
        once,
        door: of_door,
        host: of_host,
    })
}

/// So many turns in a new session, which the editor follows.
pub(super) fn converse(door: &mut Door, turns: usize) -> Result<()> {
    door.client.keep(EVENTS);
    let started = door
        .client
        .request("pollux/sessionStart", &json!({ "model": MODEL }))?;
    let session = started.get("session").context("no session")?.clone();
    door.client
        .request("pollux/sessionFollow", &json!({ "session": session }))?;
    for turn in 0..turns {
        progress("pollux: turns in one session", turn, turns);
        let prompt = json!({ "session": session, "text": PROMPT });
        door.client.request("pollux/promptQueue", &prompt)?;
        wait_for_the_end(door)?;
    }
    Ok(())
}

/// Of the peer and of the processes it started.
pub(super) fn of_peer(agent: &Agent, model: &Path) -> Result<Resident> {
    let (place, _model) = stage(agent, model, TURNS)?;
    let mut session = Session::open(agent, &place).with_context(|| place.last_words())?;
    let before = process::memory_of_tree(session.pid())?;
    for turn in 0..TURNS {
        progress(
            &format!("{}: turns in one session", agent.name),
            turn,
            TURNS,
        );
        session.prompt(PROMPT)?;
    }
    let after = process::memory_of_tree(session.pid())?;
    Ok(Resident { before, after })
}

/// The same conversation for everybody.
pub(super) fn stage(agent: &Agent, model: &Path, turns: usize) -> Result<(Place, Model)> {
    let mut place = Place::new()?;
    let file = place.workspace().join("notes.txt");
    fs::write(&file, chunks(Style::Markdown, 100).concat())?;
    let answer = chunks(Style::Prose, CHUNKS);
    let script = script::conversation(turns, &file.to_string_lossy(), &answer);
    let model = Model::start(model, &place, &script)?;
    agent.settle(&mut place, &model.url, LoopDetection::On)?;
    Ok((place, model))
}

fn wait_for_the_end(door: &mut Door) -> Result<()> {
    loop {
        let batch = door.client.notification()?;
        let events = batch.get("events").and_then(Value::as_array);
        let ended = |event: &&Value| event.get("kind").is_some_and(|kind| kind == "turnEnded");
        if let Some(event) = events.into_iter().flatten().find(ended) {
            if event
                .get("outcome")
                .is_none_or(|outcome| outcome != "completed")
            {
                bail!("a turn went wrong: {event}");
            }
            return Ok(());
        }
    }
}
