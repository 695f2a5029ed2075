//! `bench exec`: what it costs to confine a command that only reads, against the same command unconfined.
//!
//! Both start behind a guard, by turns and in one process, so that whatever else the machine does falls on both.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::figures::{Times, milliseconds, ratio};
use super::start::progress;
use super::table::{Table, Target};
use crate::{shell, tidy};

const ROUNDS: usize = 101;
const WARM_UP: usize = 5;
const TARGET: f64 = 1.15;

const COMMANDS: &[(&str, &str)] = &[
    ("a command that does nothing", "true"),
    ("ls -l /etc", "ls -l /etc"),
];

pub(super) fn measure() -> Result<Table> {
    shell::run(shell::cargo().args([
        "build",
        "--release",
        "--package",
        "pollux-exec",
        "--bin",
        "exec-actor",
    ]))?;
    let program = tidy::target_folder()?.join("release/exec-actor");
    let mut table = Table::default();
    for (what, command) in COMMANDS {
        let mut actor = shell::program(&program)
            .args(["compare", command])
            .stdout(Stdio::piped())
            .spawn()?;
        let lines = BufReader::new(actor.stdout.take().context("the output is piped")?).lines();
        let (mut plain, mut confined) = (Times::default(), Times::default());
        let mut seen = 0;
        for line in lines.take(WARM_UP + ROUNDS) {
            let (first, second) = parse(&line?)?;
            seen += 1;
            if seen > WARM_UP {
                progress(what, seen - WARM_UP - 1, ROUNDS);
                plain.add(first);
                confined.add(second);
            }
        }
        let _ended_meanwhile = actor.kill();
        actor.wait()?;
        if seen < WARM_UP + ROUNDS {
            bail!("commands cannot be confined here, so there is nothing to compare");
        }
        table.row(
            format!("{what}, unconfined"),
            milliseconds(plain.median()),
            Some(1.0),
            Target::None,
        );
        table.row(
            format!("{what}, read-only"),
            milliseconds(confined.median()),
            Some(ratio(confined.median(), plain.median())),
            Target::Ratio(TARGET),
        );
    }
    Ok(table)
}

/// Two times in nanoseconds.
fn parse(line: &str) -> Result<(Duration, Duration)> {
    let (plain, confined) = line.split_once(' ').context("two times are expected")?;
    let time = |text: &str| Ok::<_, anyhow::Error>(Duration::from_nanos(text.parse()?));
    Ok((time(plain)?, time(confined)?))
}
