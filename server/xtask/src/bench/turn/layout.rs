//! Which functions a start and a turn run, in the order in which a linker should put them.

mod watch;

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::super::door::{self, Door};
use super::super::place::Place;
use super::super::start::progress;
use super::acp::Session;
use super::agent::{Agent, Kind, LoopDetection, MODEL, Tools};
use super::model::{self, Model};
use super::prose::{Style, chunks};
use super::{resident, script};
use crate::shell;
use watch::Watch;

/// One in three reads a file. So many that queues and tables have grown more than once.
const TURNS: usize = 30;

/// Which way a thread takes can depend on how far another one is.
const ROUNDS: usize = 3;

/// What a door runs comes first: it is the smaller part, and every window has one.
pub(crate) fn order(pollux: &Path) -> Result<Vec<String>> {
    let traces = Place::new()?;
    let stage = Stage {
        watch: Watch::new(pollux, &traces.workspace())?,
        agent: Agent {
            name: "pollux",
            program: pollux.to_path_buf(),
            kind: Kind::Pollux,
        },
        model: model::build()?,
        traces,
    };
    println!("      {ROUNDS} times a start and {TURNS} turns, watched");
    for round in 0..ROUNDS {
        stage.play(round)?;
    }
    let mut known = HashSet::new();
    let mut order = Vec::new();
    for part in ["door", "knock", "panel", "host", "servers", "alone", "run"] {
        for round in 0..ROUNDS {
            let called = stage.watch.called(&stage.trace(part, round))?;
            let new = called.into_iter().filter(|name| known.insert(*name));
            order.extend(new.map(str::to_owned));
        }
        println!("      {part}: {} functions so far", order.len());
    }
    Ok(order)
}

/// Where the program is played and watched.
struct Stage {
    watch: Watch,
    agent: Agent,
    model: PathBuf,
    traces: Place,
}

impl Stage {
    /// All ways to begin, and a conversation in those that have one.
    fn play(&self, round: usize) -> Result<()> {
        self.shared(round)?;
        self.knock(round)?;
        self.panel(round)?;
        self.alone(round)?;
        self.run(round)
    }

    /// The door and the host of a conversation.
    fn shared(&self, round: usize) -> Result<()> {
        let (place, _model) = resident::stage(&self.agent, &self.model, TURNS)?;
        let mut host = self.host(&place, "host", round)?;
        let mut door = self.watched(&place, "door", round)?;
        let mut door = Door::begin(door.arg("lsp"), &place)?;
        door.snapshot()?;
        door::host(&self.agent.program, &place)?;
        resident::converse(&mut door, TURNS)?;
        door.close()?;
        // It ends by itself when its last door has gone.
        host.wait()?;
        Ok(())
    }

    /// The same behind an agent panel, with a tool server in the settings. It never answers: how one is started is what
    /// everybody who has some waits for.
    fn panel(&self, round: usize) -> Result<()> {
        let (mut place, model) = resident::stage(&self.agent, &self.model, TURNS)?;
        let servers = json!({ "silent": { "command": "cat" } });
        self.agent.settle_with(&mut place, &model.url, &servers)?;
        place.set("GEMINI_MODEL", MODEL);
        let mut host = self.host(&place, "servers", round)?;
        let mut door = self.watched(&place, "panel", round)?;
        self.agent.acp_arguments(&mut door);
        let mut session = Session::talk(&mut door)?;
        session.begin(&place)?;
        for turn in 0..TURNS {
            progress("pollux: turns in a panel", turn, TURNS);
            session.prompt("And what else?")?;
        }
        session.close()?;
        host.wait()?;
        Ok(())
    }

    /// Comes back when the host listens.
    fn host(&self, place: &Place, part: &str, round: usize) -> Result<Child> {
        let mut host = self.watched(place, part, round)?;
        host.args(["host", "--detached"]);
        let mut host = host.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut ready = String::new();
        let stdout = host.stdout.take().context("no stdout")?;
        BufReader::new(stdout).read_line(&mut ready)?;
        if ready.is_empty() {
            bail!("the host does not start; {}", place.last_words());
        }
        Ok(host)
    }

    /// A door that finds no host and starts one.
    fn knock(&self, round: usize) -> Result<()> {
        let place = Place::new()?;
        let mut door = self.watched(&place, "knock", round)?;
        let mut door = Door::begin(door.arg("lsp"), &place)?;
        door.snapshot()?;
        let host = door::host(&self.agent.program, &place)?;
        door.close()?;
        door::wait_for_host(host)
    }

    /// Door and room in one process.
    fn alone(&self, round: usize) -> Result<()> {
        let (place, _model) = resident::stage(&self.agent, &self.model, TURNS)?;
        let mut door = self.watched(&place, "alone", round)?;
        let mut door = Door::begin(door.args(["lsp", "--no-share"]), &place)?;
        door.snapshot()?;
        resident::converse(&mut door, TURNS)?;
        door.close()
    }

    /// A run without a screen.
    fn run(&self, round: usize) -> Result<()> {
        let mut place = Place::new()?;
        let answer = script::answer(&chunks(Style::Prose, 4));
        let model = Model::start(&self.model, &place, &answer)?;
        self.agent
            .settle(&mut place, &model.url, LoopDetection::On)?;
        let mut run = self.watched(&place, "run", round)?;
        self.agent.arguments(&mut run, Tools::Harmless);
        shell::run(run.stdout(Stdio::null())).with_context(|| place.last_words())
    }

    fn watched(&self, place: &Place, part: &str, round: usize) -> Result<Command> {
        let mut command = place.command(&self.agent.program)?;
        self.watch.follow(&mut command, &self.trace(part, round));
        Ok(command)
    }

    fn trace(&self, part: &str, round: usize) -> PathBuf {
        self.traces.file(&format!("{part}-{round}"))
    }
}
