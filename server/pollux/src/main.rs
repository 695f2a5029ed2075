//! The `pollux` program.

mod demo;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A coding agent that lives in your editor.
#[derive(Parser)]
#[command(name = "pollux")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play a turn with the offline demo model in the terminal.
    Demo(demo::DemoArgs),
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().command {
        Command::Demo(args) => demo::run(&args, &terminal_environment()),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment; everything below gets it as data"
)]
fn terminal_environment() -> demo::TerminalEnvironment {
    demo::TerminalEnvironment {
        no_color: std::env::var_os("NO_COLOR"),
        term: std::env::var_os("TERM"),
    }
}
