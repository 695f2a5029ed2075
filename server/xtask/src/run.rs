//! `cargo xtask run`: build, then try it out, in VS Code or in this terminal.
//!
//! The dev profile is used: it builds several times faster than the release profile, and a demo
//! turn does nothing that needs the speed.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::{shell, tidy, vscode};

pub(crate) fn main(arguments: &[String]) -> Result<ExitCode> {
    println!("[1/2] building pollux (dev profile; the first build takes a few minutes)");
    if let Err(error) = shell::run(shell::cargo().args(["build", "--package", "pollux"])) {
        bail!("{error:#}{}", what_a_build_needs());
    }
    let Some((place, rest)) = arguments.split_first() else {
        println!("[2/2] VS Code on a sample project, with the demo model");
        return hand_over(&mut vscode::prepare()?);
    };
    if place != "terminal" {
        bail!("`{place}` is nothing to run in: leave it out for VS Code, or say `terminal`");
    }
    println!("[2/2] a turn with the demo model: no key and no network needed");
    let own = rest.strip_prefix(&["--".to_owned()]).unwrap_or(rest);
    hand_over(Command::new(binary("debug")?).arg("demo").args(own))
}

/// Where cargo puts our binary for a profile's folder.
pub(crate) fn binary(profile_folder: &str) -> Result<PathBuf> {
    let name = format!("pollux{}", std::env::consts::EXE_SUFFIX);
    Ok(tidy::target_folder()?.join(profile_folder).join(name))
}

/// What was started takes our place, so that Ctrl-C and the exit code are its own.
#[cfg(unix)]
fn hand_over(command: &mut Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).context("pollux was built but does not start")
}

#[cfg(not(unix))]
fn hand_over(command: &mut Command) -> Result<ExitCode> {
    let status = command
        .status()
        .context("pollux was built but does not start")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Asked only after a build went wrong: a linker set up by hand is none of our business.
fn what_a_build_needs() -> String {
    let mut advice = String::new();
    if !shell::answers(shell::cargo().arg("--version")) {
        advice.push_str("\ncargo is missing: install Rust with rustup, or put cargo on the PATH");
    }
    if cfg!(unix) && !shell::answers(shell::program("cc").arg("--version")) {
        advice.push_str(
            "\na C compiler is missing, which Rust needs to link: \
             `apt-get install gcc libc6-dev`, `dnf install gcc`, or `xcode-select --install`",
        );
    }
    advice
}
