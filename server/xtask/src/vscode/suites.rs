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
    let again = shell::same(&node);
    attempted(&mut node, &report, |_| again)
}

/// What the extension is measured at, a line for each figure. With another server than the one of the tests.
pub(crate) fn figures(workbench: &Workbench, pollux: &Path) -> Result<String> {
    shell::run(shell::cargo().args(["build", "--package", "pollux-testkit"]))?;
    let mut node = with_workbench(workbench)?;
    node.env("POLLUX_BINARY", pollux)
        // For a word with the inspector of the extension host; newer ones need not be told.
        .args(["--experimental-websocket", "--enable-source-maps"])
        .arg("dist/tests/figures.js");
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
    let ends = super::folder().join("tests/ends.mjs");
    node.arg("--import")
        .arg(ends)
        .args(["--enable-source-maps", "--test"])
        .args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
        .arg("--test-reporter=tap")
        .arg(format!("--test-reporter-destination={}", report.display()));
    let mut again = shell::same(node);
    attempted(node.args(tests), &report, |first| {
        again.args(first.failures.iter().map(|failure| only(failure)));
        again.args(tests);
        again
    })
}

fn report(name: &str) -> Result<PathBuf> {
    Ok(tidy::target_folder()?.join(format!("node-{name}.tap")))
}

/// What fails gets a second attempt: a busy machine must not turn a change away. Who was right the first time is not
/// asked again, or many steady tests would come to one unsteady suite.
fn attempted(
    node: &mut Command,
    report: &Path,
    again: impl FnOnce(&Outcome) -> Command,
) -> Result<Outcome> {
    let ended = shell::run(node);
    let first = outcome(&read(report)?)?;
    if first.failed == 0 {
        return ended.map(|()| first);
    }
    println!("      once more, because of: {}", first.failures.join("; "));
    // How it ends is said by what it leaves in the report.
    let _said_in_the_report = shell::run(&mut again(&first));
    Ok(second_attempt(first, &read(report)?))
}

fn read(report: &Path) -> Result<String> {
    fs::read_to_string(report).context("node has left no report")
}

/// The second attempt counts for what failed in the first. What needed it is unsteady.
fn second_attempt(first: Outcome, report: &str) -> Outcome {
    let passed = |failure: &str| {
        let mut lines = passing(report);
        lines.any(|line| test_name(line) == test_name(failure))
    };
    let (unsteady, failures): (Vec<_>, Vec<_>) =
        first.failures.into_iter().partition(|name| passed(name));
    Outcome {
        passed: first.passed + unsteady.len(),
        failed: first.failed - unsteady.len(),
        unsteady,
        failures,
    }
}

/// The argument by which node runs this test, and none that only begins like it.
fn only(failure: &str) -> String {
    let mut pattern = String::from("--test-name-pattern=^");
    for letter in test_name(failure).chars() {
        if r"\^$.*+?()[]{}|/".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern + "$"
}

/// Of `2 - its name`.
fn test_name(line: &str) -> &str {
    line.split_once(" - ").map_or(line, |(_, name)| name)
}

/// A remark behind the name says that it was left out, whatever the reason: that is not passed.
fn is_left_out(line: &&str) -> bool {
    line.contains(" # ")
}

fn passing(report: &str) -> impl Iterator<Item = &str> {
    let ran = report.lines().filter_map(|line| line.strip_prefix("ok "));
    ran.filter(|line| !is_left_out(line))
}

/// A line for each test, `ok 1 - its name` or `not ok 2 - its name`, and how many there are to be, `1..2`.
fn outcome(report: &str) -> Result<Outcome> {
    let planned = report.lines().find_map(|line| line.strip_prefix("1.."));
    let planned: usize = planned
        .and_then(|count| count.trim().parse().ok())
        .context("the report does not say how many tests there are")?;
    if planned == 0 {
        bail!("no test ran");
    }
    let ran = |prefix| {
        report
            .lines()
            .filter_map(move |line| line.strip_prefix(prefix))
    };
    let passed = passing(report).count();
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
