//! Which functions a start and a turn run, in the order in which a linker should put them.

mod called;

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::super::door::{self, Door};
use super::super::place::Place;
use super::super::process;
use super::agent::{Agent, Kind, LoopDetection, Tools};
use super::model::{self, Model};
use super::prose::{Style, chunks};
use super::{resident, script};
use crate::shell;

/// One in three reads a file. So many that queues and tables have grown more than once.
const TURNS: usize = 15;
/// A door needs seconds to start under valgrind; the host writes its trace when it ends by itself.
const GRACE: Duration = Duration::from_secs(20);

/// What a door runs comes first: it is the smaller part, and every window has one.
pub(crate) fn order(pollux: &Path) -> Result<Vec<String>> {
    let agent = Agent {
        name: "pollux",
        program: pollux.to_path_buf(),
        kind: Kind::Pollux,
    };
    let model = model::build()?;
    println!("      a start and {TURNS} turns under valgrind");
    let traces = Place::new()?;
    play(&agent, &model, &traces)?;
    let mut known = HashSet::new();
    let mut order = Vec::new();
    for part in ["door", "knock", "host", "alone", "run"] {
        let trace = fs::read_to_string(traces.file(part)).context("valgrind wrote no trace")?;
        let functions = called::functions(&trace, "pollux");
        println!("      {part}: {} functions", functions.len());
        let new = functions
            .into_iter()
            .filter(|name| known.insert(name.clone()));
        order.extend(new);
    }
    Ok(order)
}

/// All ways to begin, and a conversation in those that have one.
fn play(agent: &Agent, model: &Path, traces: &Place) -> Result<()> {
    shared(agent, model, traces)?;
    knock(agent, traces)?;
    alone(agent, model, traces)?;
    run(agent, model, traces)
}

/// The door and the host of a conversation.
fn shared(agent: &Agent, model: &Path, traces: &Place) -> Result<()> {
    let (place, _model) = resident::stage(agent, model, TURNS)?;
    let mut host = traced(&place, agent, &traces.file("host"))?;
    host.args(["host", "--grace", &GRACE.as_millis().to_string()]);
    let mut host = host.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut ready = String::new();
    let stdout = host.stdout.take().context("no stdout")?;
    BufReader::new(stdout).read_line(&mut ready)?;
    if ready.is_empty() {
        bail!("the host does not start; {}", place.last_words());
    }
    let mut door = traced(&place, agent, &traces.file("door"))?;
    door.arg("lsp");
    let mut door = Door::begin(&mut door, &place)?;
    door.snapshot()?;
    door::host(&agent.program, &place)?;
    resident::converse(&mut door, TURNS)?;
    door.close()?;
    process::wait_until("the host ends", 2 * GRACE, || {
        Ok(host.try_wait()?.is_some())
    })
}

/// A door that finds no host. It does what starting one takes and then fails, because it starts the program that runs
/// it, and that is valgrind.
fn knock(agent: &Agent, traces: &Place) -> Result<()> {
    let place = Place::new()?;
    let mut door = traced(&place, agent, &traces.file("knock"))?;
    door.arg("lsp");
    match Door::begin(&mut door, &place) {
        Ok(_) => bail!("a door under valgrind has started a host"),
        Err(_as_expected) => Ok(()),
    }
}

/// Door and room in one process.
fn alone(agent: &Agent, model: &Path, traces: &Place) -> Result<()> {
    let (place, _model) = resident::stage(agent, model, TURNS)?;
    let mut door = traced(&place, agent, &traces.file("alone"))?;
    door.args(["lsp", "--no-share"]);
    let mut door = Door::begin(&mut door, &place)?;
    door.snapshot()?;
    resident::converse(&mut door, TURNS)?;
    door.close()
}

/// A run without a screen.
fn run(agent: &Agent, model: &Path, traces: &Place) -> Result<()> {
    let mut place = Place::new()?;
    let model = Model::start(model, &place, &script::answer(&chunks(Style::Prose, 4)))?;
    agent.settle(&mut place, &model.url, LoopDetection::On)?;
    let mut run = traced(&place, agent, &traces.file("run"))?;
    agent.arguments(&mut run, Tools::Harmless);
    shell::run(run.stdout(Stdio::null())).with_context(|| place.last_words())
}

/// The program under valgrind, which writes what it has called when it ends.
fn traced(place: &Place, agent: &Agent, trace: &Path) -> Result<Command> {
    let mut command = place.command(Path::new("valgrind"))?;
    command
        .args(["--quiet", "--tool=callgrind", "--demangle=no"])
        .arg(format!("--callgrind-out-file={}", trace.display()))
        .arg(&agent.program);
    Ok(command)
}
