//! What the tests start, and how they wait.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pollux_exec::{
    CommandAccess, Ended, EnvironmentOptions, Guard, Input, Limits, Live, Running, ShellCommand,
    Size, Spool, Terminal, sanitised, start,
};

/// Far more than anything here takes.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) fn actor() -> PathBuf {
    env!("CARGO_BIN_EXE_exec-actor").into()
}

pub(crate) fn guard() -> Guard {
    Guard {
        program: actor(),
        arguments: vec!["guard".into()],
    }
}

pub(crate) fn on_terminal(command: &str) -> ShellCommand {
    let size = Size {
        rows: 24,
        columns: 80,
    };
    ShellCommand {
        terminal: Terminal::Emulated(size),
        ..on_pipes(command)
    }
}

pub(crate) fn on_pipes(command: &str) -> ShellCommand {
    #[expect(clippy::disallowed_methods, reason = "tests need programs to run")]
    let environment = std::env::vars_os();
    ShellCommand {
        command: command.to_owned(),
        folder: std::env::temp_dir(),
        environment: sanitised(environment, &EnvironmentOptions::default()),
        terminal: Terminal::Pipes,
        input: Input::Nothing,
        inactivity: None,
        sandbox: None,
        access: CommandAccess::Write,
        spool: Spool::Nowhere,
        limits: Limits::default(),
    }
}

pub(crate) async fn run(command: ShellCommand) -> Arc<Ended> {
    let running = start(&guard(), command).await.unwrap();
    in_time(running.wait()).await
}

pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.unwrap()
}

pub(crate) fn text(ended: &Arc<Ended>) -> String {
    ended.output.whole().unwrap()
}

/// Waits until the command has printed this.
pub(crate) async fn printed(running: &Running, wanted: &str) -> String {
    let mut live = running.live();
    in_time(async {
        loop {
            let text = shown(&live);
            if text.contains(wanted) {
                return text;
            }
            assert!(live.more().await.is_some(), "ended with {text:?}");
        }
    })
    .await
}

fn shown(live: &Live) -> String {
    live.captured().whole().unwrap_or_default()
}

/// Whether a process is there and not merely waiting to be reaped.
pub(crate) fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
    match stat {
        Ok(stat) => {
            let (_, fields) = stat.rsplit_once(')').unwrap();
            !fields.trim_start().starts_with(['Z', 'X'])
        }
        Err(_) => false,
    }
}

/// The numbers a command printed, as process ids.
pub(crate) fn ids(text: &str) -> Vec<u32> {
    text.split_ascii_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect()
}
