//! Tests of a package that is no member of the workspace, all in one process: what they share may take longer to make than
//! they take to run.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use super::tally::Outcome;
use crate::shell;

#[cfg(test)]
mod tests;

pub(crate) fn run(manifest: &Path, target: &Path, env: &[(&str, &Path)]) -> Result<Outcome> {
    let mut cargo = shell::cargo();
    cargo.args(["test", "--locked", "--no-fail-fast", "--manifest-path"]);
    cargo.arg(manifest).arg("--target-dir").arg(target);
    cargo.envs(env.iter().copied()).stdin(Stdio::null());
    // Set to anything, it makes every comparison rewrite itself and pass.
    cargo.env_remove("UPDATE_EXPECT").stderr(Stdio::inherit());
    let output = cargo.output().context("cargo could not be started")?;
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    let mut outcome = outcome(&text)?;
    if !output.status.success() && outcome.failed == 0 {
        outcome.failed = 1;
        outcome
            .failures
            .push(format!("cargo test ended with {}", output.status));
    }
    Ok(outcome)
}

/// Each program of tests ends with `test result: ok. 2 passed; 0 failed; 0 ignored; …`.
fn outcome(report: &str) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for line in report.lines() {
        if let Some((_, counts)) = line.split_once("test result: ") {
            outcome.passed += count(counts, "passed");
            // What did not run is not passed.
            outcome.failed += count(counts, "failed") + count(counts, "ignored");
        }
        let name = line.strip_prefix("test ").unwrap_or_default();
        if name.contains(" ... FAILED") || name.contains(" ... ignored") {
            outcome.failures.push(name.to_owned());
        }
    }
    if outcome.passed + outcome.failed == 0 {
        bail!("no test ran");
    }
    Ok(outcome)
}

/// The number before a word.
fn count(counts: &str, word: &str) -> usize {
    let mut parts = counts.split([';', '.']).map(str::trim);
    let number = parts.find_map(|part| part.strip_suffix(word)?.trim().parse().ok());
    number.unwrap_or_default()
}
