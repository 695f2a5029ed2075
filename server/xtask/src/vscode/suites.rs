//! Running the extension's tests with node's own runner and reading what it counted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Program, Workbench, in_folder, npm, pack};
use crate::test::Outcome;
use crate::{run, shell, tidy};

#[cfg(test)]
mod tests;

/// The pure parts, without an editor.
pub(crate) fn unit() -> Result<Outcome> {
    build()?;
    counted(
        &mut in_folder("node"),
        &["dist/tests/unit.test.js".into()],
        "unit",
    )
}

/// The chat alone, in a browser, with a host that plays what a test says.
pub(crate) fn view() -> Result<Outcome> {
    shell::run(npm().args(["run", "--silent", "build"]))?;
    build()?;
    let folder = super::folder().join("dist/tests/view");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|file| file.to_string_lossy().ends_with(".test.js"));
    files.sort();
    let mut node = in_folder("node");
    // Each has a browser of its own, and some measure.
    node.arg("--test-concurrency=1");
    counted(&mut node, &files, "view")
}

/// The packed extension in a real workbench, with the server that was just built.
pub(crate) fn in_a_workbench() -> Result<Outcome> {
    let workbench = Workbench::installed()?;
    let with_program = pack(&workbench, Program::ForTests(&run::binary("debug")?))?;
    let mut node = with_workbench(&workbench)?;
    node.env("POLLUX_VSIX_WITH_PROGRAM", with_program);
    counted(&mut node, &["dist/tests/e2e.test.js".into()], "e2e")
}

/// The language client and the commands, inside the extension host.
pub(crate) fn in_the_host() -> Result<Outcome> {
    in_the_host_of(&Workbench::installed()?, "host")
}

/// The same in the oldest VS Code that the manifest names.
pub(crate) fn in_the_oldest_host() -> Result<Outcome> {
    in_the_host_of(&Workbench::oldest()?, "oldest-host")
}

fn in_the_host_of(workbench: &Workbench, name: &str) -> Result<Outcome> {
    let report = report(name)?;
    let mut node = with_workbench(workbench)?;
    // The tests write the report themselves: node's runner does not live in an extension host.
    node.env("POLLUX_REPORT", &report)
        .args(["--enable-source-maps", "dist/tests/host.js"]);
    attempted(&mut node, &report)
}

/// What the extension is measured at, a line for each figure. With another server than the one of the tests.
pub(crate) fn figures(workbench: &Workbench, pollux: &Path) -> Result<String> {
    shell::run(shell::cargo().args(["build", "--package", "pollux-testkit"]))?;
    let mut node = with_workbench(workbench)?;
    node.env("POLLUX_BINARY", pollux)
        .args(["--enable-source-maps", "dist/tests/figures.js"]);
    shell::answer(&mut node)
}

/// Node with all that a test in a workbench asks for.
fn with_workbench(workbench: &Workbench) -> Result<Command> {
    let package = pack(&Workbench::installed()?, Program::Elsewhere)?;
    build()?;
    let target = tidy::target_folder()?;
    let mut node = in_folder("node");
    node.env("POLLUX_WORKBENCH", workbench.folder())
        .env("POLLUX_VSIX", package)
        .env("POLLUX_BINARY", run::binary("debug")?)
        .env("POLLUX_SCRIPTED_MODEL", target.join("debug/scripted-model"))
        .env("POLLUX_PICTURES", target.join("e2e"));
    Ok(node)
}

fn build() -> Result<()> {
    shell::run(npm().args(["run", "--silent", "build", "--", "--tests"]))
}

/// On the screen for people, and in a file for us.
pub(crate) fn counted(node: &mut Command, tests: &[PathBuf], name: &str) -> Result<Outcome> {
    let report = report(name)?;
    node.args(["--enable-source-maps", "--test", "--test-force-exit"])
        .args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
        .arg("--test-reporter=tap")
        .arg(format!("--test-reporter-destination={}", report.display()))
        .args(tests);
    attempted(node, &report)
}

fn report(name: &str) -> Result<PathBuf> {
    Ok(tidy::target_folder()?.join(format!("node-{name}.tap")))
}

/// What fails gets a second attempt: a busy machine must not turn a change away.
fn attempted(node: &mut Command, report: &Path) -> Result<Outcome> {
    let mut once = || {
        let ended = shell::run(node);
        let text = fs::read_to_string(report).context("node has left no report")?;
        let outcome = outcome(&text)?;
        if outcome.failed == 0 {
            ended?;
        }
        anyhow::Ok(outcome)
    };
    let first = once()?;
    if first.failed == 0 {
        return Ok(first);
    }
    println!("      once more, because of: {}", first.failures.join("; "));
    Ok(second_attempt(first, once()?))
}

/// The second attempt counts. What failed only in the first is unsteady.
fn second_attempt(first: Outcome, second: Outcome) -> Outcome {
    let unsteady = first.failures.into_iter();
    Outcome {
        unsteady: unsteady
            .filter(|name| !second.failures.contains(name))
            .collect(),
        ..second
    }
}

/// A line for each test, `ok 1 - its name` or `not ok 2 - its name`, and how many there are to be, `1..2`. The counts
/// that node writes behind them are lost when it is made to exit.
fn outcome(report: &str) -> Result<Outcome> {
    let planned = report.lines().find_map(|line| line.strip_prefix("1.."));
    let planned: usize = planned
        .and_then(|count| count.trim().parse().ok())
        .context("the report does not say how many tests there are")?;
    if planned == 0 {
        bail!("no test ran");
    }
    // A remark behind the name says that it was left out, whatever the reason: that is not passed.
    let is_left_out = |line: &&str| line.contains(" # ");
    let ran = |prefix| {
        report
            .lines()
            .filter_map(move |line| line.strip_prefix(prefix))
    };
    let passed = ran("ok ").filter(|line| !is_left_out(line)).count();
    let failures: Vec<String> = ran("not ok ")
        .chain(ran("ok ").filter(is_left_out))
        .map(str::to_owned)
        .collect();
    Ok(Outcome {
        passed,
        failures,
        failed: planned.saturating_sub(passed),
        ..Outcome::default()
    })
}
