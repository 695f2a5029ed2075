//! What a session holds in memory before its first turn and after many.

use std::path::Path;

use anyhow::{Context, Result};

use super::super::super::pages;
use super::super::super::process::{self, Memory};
use super::super::super::start::progress;
use super::super::acp::Session;
use super::super::agent::Agent;
use super::super::resident;
use super::{MODEL, end, processes};

const TURNS: usize = 50;

/// All processes together.
pub(super) struct Held {
    pub(super) before: Memory,
    pub(super) after: Memory,
    /// Every page counted once, whoever has it.
    pub(super) once: u64,
}

pub(super) fn measure(agent: &Agent, model: &Path) -> Result<Held> {
    let (mut place, _model) = resident::stage(agent, model, TURNS)?;
    place.set("GEMINI_MODEL", MODEL);
    let mut session = Session::open(agent, &place).with_context(|| place.last_words())?;
    let pids = processes(agent, &place, &session)?;
    let before = process::memory_of_all(&pids)?;
    for turn in 0..TURNS {
        let what = format!("{}: turns in one session", agent.name);
        progress(&what, turn, TURNS);
        session.prompt("And what else?")?;
    }
    let after = process::memory_of_all(&pids)?;
    let once = pages::of_all(&pids)?;
    end(agent, &place, session)?;
    Ok(Held {
        before,
        after,
        once,
    })
}
