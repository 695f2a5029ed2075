//! `bench start`: how long an editor waits for `initialize`, and what an idle Pollux holds.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::Programs;
use super::door::{self, Door, Sharing};
use super::figures::{Times, float, megabytes, milliseconds, ratio};
use super::place::Place;
use super::process::{self, Memory};
use super::table::{Table, Target};

/// A cold run waits for the host's grace time, so there are fewer of them.
const COLD_RUNS: usize = 20;
const WARM_RUNS: usize = 30;
/// The first runs pay for reading the binary from the disk, which is not what is asked.
const WARM_UP: usize = 2;

const COLD_TARGET: f64 = 12.0;
const WARM_TARGET: f64 = 5.0;
const IDLE_TARGET: f64 = 15e6;

pub(super) fn measure(programs: &Programs) -> Result<Table> {
    let mut table = Table::default();
    let cold = cold(programs)?;
    let warm = warm(programs)?;
    let rows = [
        (
            "empty program beside cold",
            &cold.empty,
            &cold.empty,
            Target::None,
        ),
        (
            "cold: no host",
            &cold.door,
            &cold.empty,
            Target::Ratio(COLD_TARGET),
        ),
        (
            "empty program beside warm",
            &warm.empty,
            &warm.empty,
            Target::None,
        ),
        (
            "warm: host is there",
            &warm.door,
            &warm.empty,
            Target::Ratio(WARM_TARGET),
        ),
        ("--no-share", &warm.alone, &warm.empty, Target::None),
    ];
    for (what, times, empty, target) in rows {
        let value = format!(
            "{} (p95 {})",
            milliseconds(times.median()),
            milliseconds(times.p95())
        );
        let ratio = ratio(times.median(), empty.median());
        table.row(what, value, Some(ratio), target);
    }

    let both = warm.door_memory + warm.host_memory;
    let processes = [
        ("door", warm.door_memory),
        ("host", warm.host_memory),
        ("door and host", both),
    ];
    for (what, memory) in processes {
        for (kind, bytes) in memory.kinds() {
            // Of the private pages there is no target: they are a part of the other two.
            let has_target = what == "door and host" && kind != "private";
            let target = match has_target {
                true => Target::Value {
                    most: IDLE_TARGET,
                    found: float(bytes),
                    written: "15 MB".to_owned(),
                },
                false => Target::None,
            };
            table.row(
                format!("idle {what}, {kind}"),
                megabytes(bytes),
                None,
                target,
            );
        }
    }
    Ok(table)
}

#[derive(Default)]
struct Cold {
    empty: Times,
    door: Times,
}

fn cold(programs: &Programs) -> Result<Cold> {
    let place = Place::new()?;
    let mut cold = Cold::default();
    for run in 0..WARM_UP + COLD_RUNS {
        progress(
            "cold start, waiting for the host to end each time",
            run,
            WARM_UP + COLD_RUNS,
        );
        let empty = empty_program(programs)?;
        let door = Door::open(&programs.pollux, &place, Sharing::Host)?;
        let start = door.start;
        let host = door::host(&programs.pollux, &place)?;
        door.close()?;
        door::wait_for_host(host)?;
        if run >= WARM_UP {
            cold.empty.add(empty);
            cold.door.add(start);
        }
    }
    Ok(cold)
}

#[derive(Default)]
struct Warm {
    empty: Times,
    door: Times,
    alone: Times,
    door_memory: Memory,
    host_memory: Memory,
}

fn warm(programs: &Programs) -> Result<Warm> {
    let place = Place::new()?;
    let mut warm = Warm::default();
    let mut resident = Door::open(&programs.pollux, &place, Sharing::Host)?;
    resident.snapshot()?;
    let host = door::host(&programs.pollux, &place)?;
    warm.door_memory = process::memory(resident.pid())?;
    warm.host_memory = process::memory(host)?;
    for run in 0..WARM_UP + WARM_RUNS {
        progress("warm start and --no-share", run, WARM_UP + WARM_RUNS);
        let empty = empty_program(programs)?;
        let shared = start_and_close(programs, &place, Sharing::Host)?;
        let alone = start_and_close(programs, &place, Sharing::OneProcess)?;
        if run >= WARM_UP {
            warm.empty.add(empty);
            warm.door.add(shared);
            warm.alone.add(alone);
        }
    }
    if door::host(&programs.pollux, &place)? != host {
        bail!("the host was replaced while it was measured");
    }
    resident.close()?;
    door::wait_for_host(host)?;
    Ok(warm)
}

fn start_and_close(programs: &Programs, place: &Place, sharing: Sharing) -> Result<Duration> {
    let door = Door::open(&programs.pollux, place, sharing)?;
    let start = door.start;
    door.close()?;
    Ok(start)
}

fn empty_program(programs: &Programs) -> Result<Duration> {
    // The same pipes as a door has, so that the same is compared.
    let begin = Instant::now();
    Command::new(&programs.empty)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?
        .wait()?;
    Ok(begin.elapsed())
}

/// One line that counts up in place.
pub(super) fn progress(what: &str, done: usize, all: usize) {
    print!("\r      {what}: {}/{all} ", done + 1);
    if done + 1 == all {
        println!();
    }
    let _only_a_progress_line = std::io::stdout().flush();
}
