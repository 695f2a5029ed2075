//! Running the tests with cargo-nextest and reading its closing summary.
//!
//! The summary line is read rather than the JSON output, which is still an experiment of nextest.

use std::io::IsTerminal;

use anyhow::{Context, Result};

use super::tally::Outcome;
use crate::shell;

#[cfg(test)]
mod tests;

pub(crate) fn run() -> Result<Outcome> {
    // The output goes through a pipe, where nextest would not colour it by itself.
    let color = if std::io::stderr().is_terminal() {
        "--color=always"
    } else {
        "--color=never"
    };
    let everything = [
        "nextest",
        "run",
        "--workspace",
        "--locked",
        "--no-fail-fast",
    ];
    let (status, heard) = shell::overhear(
        shell::cargo()
            .args(everything)
            .arg(color)
            // Set to anything, it makes every comparison rewrite itself and pass.
            .env_remove("UPDATE_EXPECT")
            .env("PROPTEST_RNG_SEED", seed()),
    )?;
    let mut outcome = outcome(&heard)
        .with_context(|| format!("nextest ended with {status} and without a summary"))?;
    if !status.success() && outcome.failed == 0 {
        outcome.failed = 1;
        outcome
            .failures
            .push(format!("nextest ended with {status}"));
    }
    Ok(outcome)
}

/// Where random cases begin: at the same place in every run, so that a change is judged by what it changes. Who wants
/// to see others sets the variable.
fn seed() -> String {
    std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| "1".to_owned())
}

/// What nextest's output says. `None` when it has no summary: it did not get that far.
fn outcome(output: &str) -> Option<Outcome> {
    let plain = without_colours(output);
    let (place, line) = plain
        .lines()
        .enumerate()
        .filter(|(_, line)| is_summary(line))
        .last()?;
    let summary = parse(line)?;

    // After the summary nextest repeats what failed; lines before it may be a test's own output.
    let after = plain.lines().skip(place + 1);
    let (unsteady, mut failures): (Vec<String>, Vec<String>) = after
        .map(str::trim)
        .filter(|line| line.contains(" [") && !line.starts_with("error"))
        // Tests that print figures are repeated there too.
        .filter(|line| !line.starts_with("PASS"))
        .map(str::to_owned)
        .partition(|line| line.starts_with("FLAKY"));
    if summary.skipped > 0 {
        failures.push(format!(
            "{} tests were skipped; a test that does not run has failed",
            summary.skipped
        ));
    }
    if summary.not_run > 0 {
        failures.push(format!("{} tests were not started", summary.not_run));
    }
    Some(Outcome {
        passed: summary.passed,
        failures,
        failed: summary.failed + summary.skipped + summary.not_run,
        unsteady,
    })
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Summary {
    passed: usize,
    /// Failed, timed out, or could not be started.
    failed: usize,
    skipped: usize,
    /// Left over when the run was cut short.
    not_run: usize,
}

fn is_summary(line: &str) -> bool {
    line.trim_start().starts_with("Summary [") && line.contains(" run: ")
}

/// `Summary [ 2.0s] 4/5 tests run: 1 passed (1 slow), 2 failed, 1 timed out, 1 skipped`
fn parse(line: &str) -> Option<Summary> {
    let (_, rest) = line.split_once(']')?;
    let (head, counts) = rest.split_once(" run: ")?;
    let mut summary = Summary::default();
    for part in without_brackets(counts).split(',') {
        let (count, word) = part.trim().split_once(' ')?;
        let count: usize = count.parse().ok()?;
        match word.trim() {
            "passed" => summary.passed += count,
            "skipped" => summary.skipped += count,
            // Anything else, also what a later nextest may invent, is not a pass.
            _ => summary.failed += count,
        }
    }
    let tests = head.split_whitespace().next()?;
    if let Some((run, planned)) = tests.split_once('/') {
        let (run, planned): (usize, usize) = (run.parse().ok()?, planned.parse().ok()?);
        summary.not_run = planned.saturating_sub(run);
    }
    Some(summary)
}

/// `1 passed (1 slow, 1 leaky), 2 failed` without the brackets and what is in them.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    text.chars()
        .filter(|character| {
            match character {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}

/// Without the terminal's escape sequences (`ESC [ … letter`).
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            characters.by_ref().skip(1).find(char::is_ascii_alphabetic);
        } else {
            plain.push(character);
        }
    }
    plain
}
