//! `bench sync`: what a keystroke costs in a small and in a large file, and what open files hold.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::Programs;
use super::door::{self, Door, Sharing};
use super::figures::{Times, float, megabytes, microseconds, ratio};
use super::place::Place;
use super::process;
use super::start::progress;
use super::table::{Table, Target};
use super::typist::{Typist, source};
use crate::shell;

const SMALL_LINES: usize = 100;
const LARGE_LINES: usize = 100_000;
const KEYSTROKES: usize = 3_000;
const ROUNDS: usize = 5;
const RATIO_TARGET: f64 = 1.3;

const FILES: usize = 1_000;
const FILE_BYTES: usize = 10_000;
const KEYSTROKES_PER_FILE: usize = 10;
const MEMORY_TARGET: f64 = 2.0;

pub(super) fn measure(programs: &Programs) -> Result<Table> {
    let mut table = Table::default();
    keystrokes(programs, &mut table)?;
    open_files(programs, &mut table)?;
    Ok(table)
}

fn keystrokes(programs: &Programs, table: &mut Table) -> Result<()> {
    let place = Place::new()?;
    let mut door = Door::open(&programs.pollux, &place, Sharing::Host)?;
    let mut small = open(&mut door, "small.rs", &source(SMALL_LINES))?;
    let mut large = open(&mut door, "large.rs", &source(LARGE_LINES))?;
    let host = door::host(&programs.pollux, &place)?;
    // Not measured: the first round also pays for opening the files.
    type_into(&mut door, &mut small)?;
    type_into(&mut door, &mut large)?;

    let (mut small_times, mut large_times) = (Times::default(), Times::default());
    for round in 0..ROUNDS {
        progress("typing into both files in turn", round, ROUNDS);
        small_times.add(type_into(&mut door, &mut small)?);
        large_times.add(type_into(&mut door, &mut large)?);
    }
    door.close()?;
    door::wait_for_host(host)?;

    let (small, large) = (small_times.median(), large_times.median());
    table.row(
        format!("keystroke, {SMALL_LINES} lines"),
        microseconds(small),
        Some(1.0),
        Target::None,
    );
    table.row(
        format!("keystroke, {LARGE_LINES} lines"),
        microseconds(large),
        Some(ratio(large, small)),
        Target::Ratio(RATIO_TARGET),
    );
    Ok(())
}

fn open_files(programs: &Programs, table: &mut Table) -> Result<()> {
    let place = Place::new()?;
    let mut door = Door::open(&programs.pollux, &place, Sharing::Host)?;
    door.snapshot()?;
    let host = door::host(&programs.pollux, &place)?;
    let resident = |door: &Door| -> Result<u64> {
        Ok((process::memory(door.pid())? + process::memory(host)?).resident)
    };
    let idle = resident(&door)?;

    let texts = realistic_texts()?;
    let total: usize = texts.iter().map(String::len).sum();
    let mut typists = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        if number % 100 == 99 {
            progress("opening files", number, FILES);
        }
        typists.push(open(&mut door, &format!("f{number}.rs"), text)?);
    }
    door.snapshot()?;
    let opened = resident(&door)?;

    for (number, typist) in typists.iter_mut().enumerate() {
        if number % 100 == 99 {
            progress("typing into each of them", number, FILES);
        }
        let keys = typist.keystrokes(KEYSTROKES_PER_FILE);
        door.client.write_bytes(&keys)?;
    }
    let snapshot = door.snapshot()?;
    let typed = resident(&door)?;
    if !typists.iter().all(|typist| typist.agrees_with(&snapshot)) {
        bail!("the room's files are not what was typed");
    }
    door.close()?;
    door::wait_for_host(host)?;

    let total = u64::try_from(total)?;
    table.row(
        format!("text of {FILES} open files"),
        megabytes(total),
        Some(1.0),
        Target::None,
    );
    // A text that was edited is a rope with room in it; nobody edits a thousand files at once.
    for (what, bytes, target) in [
        ("after opening", opened, Target::Ratio(MEMORY_TARGET)),
        ("after typing into each", typed, Target::None),
    ] {
        let added = bytes.saturating_sub(idle);
        table.row(
            format!("resident door and host {what}, less idle"),
            megabytes(added),
            Some(float(added) / float(total)),
            target,
        );
    }
    Ok(())
}

fn open(door: &mut Door, name: &str, text: &str) -> Result<Typist> {
    let (typist, opening) = Typist::open(format!("file:///bench/{name}"), text);
    door.client.write_bytes(&opening)?;
    Ok(typist)
}

/// The time per keystroke. The messages are made before the clock starts, and the snapshot at
/// the end makes sure that all of them have been applied.
fn type_into(door: &mut Door, typist: &mut Typist) -> Result<Duration> {
    let keys = typist.keystrokes(KEYSTROKES);
    let begin = Instant::now();
    door.client.write_bytes(&keys)?;
    let snapshot = door.snapshot()?;
    let elapsed = begin.elapsed();
    if !typist.agrees_with(&snapshot) {
        bail!("the room's file is not what was typed");
    }
    Ok(elapsed / u32::try_from(KEYSTROKES)?)
}

/// Pieces of this project's own source: invented text compresses too well to be honest.
fn realistic_texts() -> Result<Vec<String>> {
    let listing = shell::answer(shell::program("git").args(["ls-files", "-z", "--", "*.rs"]))?;
    let root = shell::root();
    let all: String = listing
        .split('\0')
        .filter(|path| !path.is_empty())
        .filter_map(|path| std::fs::read_to_string(root.join(path)).ok())
        .collect();
    let Some(room) = all.len().checked_sub(FILE_BYTES).filter(|room| *room > 0) else {
        bail!("there is too little source to take text from");
    };
    // A prime step gives every file another piece.
    let piece = |number: usize| {
        let start = all.floor_char_boundary(number * 7_919 % room);
        let end = all.floor_char_boundary(start + FILE_BYTES);
        all.get(start..end).unwrap_or_default().to_owned()
    };
    Ok((0..FILES).map(piece).collect())
}
