//! `bench review`: hunks of large files, against git on the same files, and decisions about many files at once.
//!
//! Ours is timed inside its process, because that is where it runs; git from its start to its end. What its start alone
//! costs is a row of its own, so that nobody has to guess.
//!
//! The many files are decided about in a room, over a real disk and with a real record.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::figures::{Times, microseconds, milliseconds, ratio};
use super::place::Place;
use super::table::{Table, Target};
use crate::{shell, tidy};

const ROUNDS: usize = 7;
const ROOM_ROUNDS: usize = 3;
const MANY_HUNKS: u32 = 10_000;
const DIFF_TARGET: f64 = 1.0;
const MEMORY_TARGET: f64 = 4.0;

pub(super) fn measure() -> Result<Table> {
    let program = built("pollux-text", "review_timed")?;
    let place = Place::new()?;
    let folder = place.workspace();
    let ours = Ours::measured(&program, &folder, || {
        std::fs::write(folder.join("empty"), "")?;
        std::fs::write(folder.join("blank"), "\n")?;
        Ok(Git {
            start: git(&folder, "empty", "blank")?,
            few: git(&folder, "base", "few")?,
            other: git(&folder, "base", "other")?,
        })
    })?;

    let mut table = Table::beside(vec!["git".to_owned()]);
    table.row("git's own start", "", None, Target::None);
    table.peers(vec![milliseconds(ours.git.start)]);
    for (name, what, theirs) in [
        ("few", "diff, 10 changes in 100000 lines", ours.git.few),
        (
            "other",
            "diff, another file of 100000 lines",
            ours.git.other,
        ),
    ] {
        let time = ours.time(name)?;
        table.row(
            what,
            milliseconds(time),
            Some(ratio(time, theirs)),
            Target::Ratio(DIFF_TARGET),
        );
        table.peers(vec![milliseconds(theirs)]);
    }
    // Git takes most of a minute for the first of these, which nobody wants to wait for.
    for (name, what) in [
        ("many", "diff, 10000 changes in 100000 lines"),
        ("edit", "an edit of the agent with 10000 hunks"),
        ("reject", "reject 10000 hunks"),
    ] {
        table.row(what, milliseconds(ours.time(name)?), None, Target::None);
    }
    for (name, what) in [
        ("keystroke", "hunks after a keystroke, 1 pending"),
        ("shift", "hunks after a keystroke, 10000 pending"),
    ] {
        table.row(what, microseconds(ours.time(name)?), None, Target::None);
    }
    many_files(&mut table)?;
    let memory = *ours.figures.get("memory").context("no figure for memory")?;
    table.row(
        "memory of a pending file, per byte of text",
        format!("{memory:.2}"),
        None,
        Target::Value {
            most: MEMORY_TARGET,
            found: memory,
            written: format!("{MEMORY_TARGET}"),
        },
    );
    Ok(table)
}

/// What a room takes for a decision about everything.
fn many_files(table: &mut Table) -> Result<()> {
    let program = built("pollux-workspace", "room_timed")?;
    let mut times: BTreeMap<String, Times> = BTreeMap::new();
    for _ in 0..ROOM_ROUNDS {
        let place = Place::new()?;
        let mut command = Command::new(&program);
        let output = command.arg(place.workspace()).stderr(Stdio::inherit());
        let output = output.output()?;
        if !output.status.success() {
            bail!("the room ended with {}", output.status);
        }
        for line in String::from_utf8(output.stdout)?.lines() {
            let (name, number) = line.split_once(' ').context("not a figure")?;
            let time = Duration::from_nanos(number.parse()?);
            times.entry(name.to_owned()).or_default().add(time);
        }
    }
    for (name, what) in [
        ("keep_shown", "keep all, 10 hunks in each of 1000 files"),
        ("keep", "  … until all is on the disk"),
        ("reject_shown", "reject all of them, files written"),
        ("reject", "  … until all is on the disk"),
    ] {
        let time = times.get(name).context("a figure is missing")?.median();
        table.row(what, milliseconds(time), None, Target::None);
        let each = time.checked_div(MANY_HUNKS).unwrap_or_default();
        table.row("  per hunk", microseconds(each), None, Target::None);
    }
    Ok(())
}

/// An example as it would be shipped.
fn built(package: &str, example: &str) -> Result<PathBuf> {
    shell::run(shell::cargo().args([
        "build",
        "--release",
        "--package",
        package,
        "--example",
        example,
    ]))?;
    let name = format!("release/examples/{example}{}", std::env::consts::EXE_SUFFIX);
    Ok(tidy::target_folder()?.join(name))
}

struct Git {
    start: Duration,
    few: Duration,
    other: Duration,
}

struct Ours {
    figures: BTreeMap<String, f64>,
    git: Git,
}

impl Ours {
    /// Runs our half. While it waits with its texts written, git has the machine for itself.
    fn measured(
        program: &Path,
        folder: &Path,
        measure_git: impl FnOnce() -> Result<Git>,
    ) -> Result<Self> {
        let mut child = Command::new(program)
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| program.display().to_string())?;
        let mut stdin = child.stdin.take().context("the child has no stdin")?;
        let stdout = child.stdout.take().context("the child has no stdout")?;
        let mut lines = BufReader::new(stdout).lines();
        lines.next().context("the timed half said nothing")??;
        let git = measure_git()?;
        stdin.write_all(b"go\n")?;
        let mut figures = BTreeMap::new();
        for line in lines {
            let line = line?;
            let (name, number) = line.split_once(' ').context("not a figure")?;
            figures.insert(name.to_owned(), number.parse()?);
        }
        let status = child.wait()?;
        if !status.success() {
            bail!("the timed half ended with {status}");
        }
        Ok(Self { figures, git })
    }

    fn time(&self, name: &str) -> Result<Duration> {
        let figure = self.figures.get(name);
        let nanoseconds = figure.with_context(|| format!("no figure for {name}"))?;
        Ok(Duration::from_secs_f64(nanoseconds / 1e9))
    }
}

fn git(folder: &Path, before: &str, after: &str) -> Result<Duration> {
    let mut times = Times::default();
    for round in 0..=ROUNDS {
        let mut command = Command::new("git");
        command
            .current_dir(folder)
            .args(["diff", "--no-index", "--no-ext-diff", "--histogram"])
            .args([before, after]);
        let begin = Instant::now();
        let output = command.stdin(Stdio::null()).output()?;
        let elapsed = begin.elapsed();
        // One means that there are differences.
        if output.status.code() != Some(1) {
            bail!("git ended with {}", output.status);
        }
        // Not measured: the first round also pays for what is not in memory yet.
        if round > 0 {
            times.add(elapsed);
        }
    }
    Ok(times.median())
}
