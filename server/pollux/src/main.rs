//! The `pollux` binary: arguments, settings files, the host and its doors. It holds no logic.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::doctor::Format;
use crate::lsp::Sharing;

mod acp;
mod agents;
mod alone;
#[cfg(unix)]
mod attach;
mod auth;
mod custom_commands;
mod demo;
mod disk_files;
mod disk_surroundings;
mod doctor;
mod environment;
mod equipment;
mod frugal;
mod headless_view;
mod keychain;
mod logging;
mod lsp;
mod mcp;
mod mcp_servers;
mod mentions;
mod policy;
mod programs;
mod prompt_files;
mod room_view;
mod run;
mod services;
mod session_source;
mod settings_file;
#[cfg(unix)]
mod shared;
mod shell_changes;
mod stdio;
mod terminal;
#[cfg(test)]
#[cfg(unix)]
mod testing;
mod undo;
mod usual;

/// The agent that lives in your editor.
#[derive(Parser)]
#[command(name = "pollux", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Speak the language server protocol on standard input and output
    Lsp {
        /// Run everything in this process instead of sharing a host
        #[arg(long)]
        no_share: bool,
    },
    /// Speak the Agent Client Protocol on standard input and output, for Zed and other clients of it
    Acp(acp::AcpArgs),
    /// Tell any client of the Model Context Protocol what the editor shows, and have its edits decided there
    Mcp(mcp::McpArgs),
    /// Play a turn with the offline demo model, here in the terminal
    Demo(demo::DemoArgs),
    /// Have a conversation without a screen: prompt in, answer out
    Run(run::RunArgs),
    #[cfg(unix)]
    /// Follow a session here in the terminal, and take part in it
    Attach(attach::AttachArgs),
    /// Say what the agent may do, and by which rule
    Policy(policy::PolicyArgs),
    /// Bring back what a command of the agent has destroyed
    Undo(undo::UndoArgs),
    /// Configure MCP servers, whose tools the agent can call
    McpServers(mcp_servers::McpServersArgs),
    /// Keep a Gemini key in the keychain of this system
    Auth(auth::AuthArgs),
    /// Say what is there, what is wrong and how to fix it
    Doctor {
        /// Print one JSON object instead
        #[arg(long)]
        json: bool,
    },
    #[cfg(unix)]
    /// Stand between a session and one of its commands; sessions start it by themselves
    #[command(name = equipment::GUARD, hide = true)]
    Guard {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
    #[cfg(unix)]
    /// Serve every editor and terminal of this user; doors start it by themselves
    Host {
        /// Leave the terminal and the files of whoever started it
        #[arg(long)]
        detached: bool,
        /// Stay so many milliseconds after the last door has closed
        #[arg(long, value_name = "MS")]
        grace: Option<u64>,
    },
}

fn main() -> ExitCode {
    let usual = usual::command(std::env::args_os());
    let command = usual.unwrap_or_else(|| Arguments::parse().command);
    if needs_home(&command)
        && let Some(problem) = environment::home_problem(&environment::of_this_process())
    {
        complain(&anyhow::Error::msg(problem));
        return ExitCode::from(run::CONFIGURATION);
    }
    match run(command) {
        Ok(code) => code,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// What reads or writes the user's own files. A guard is given all it needs.
fn needs_home(command: &Command) -> bool {
    #[cfg(unix)]
    if matches!(command, Command::Guard { .. }) {
        return false;
    }
    !matches!(command, Command::Demo(_))
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Lsp { no_share } => {
            let sharing = match no_share {
                true => Sharing::NoHost,
                false => Sharing::OneHost,
            };
            lsp::run(&environment::of_this_process(), sharing)
        }
        Command::Acp(arguments) => acp::run(&arguments, &environment::of_this_process()),
        Command::Mcp(arguments) => mcp::run(&arguments, &environment::of_this_process()),
        Command::Demo(arguments) => demo::run(&arguments, &environment::of_this_process()),
        Command::Run(arguments) => run::run(&arguments, &environment::of_this_process()),
        #[cfg(unix)]
        Command::Attach(arguments) => attach::run(&arguments, &environment::of_this_process()),
        Command::Policy(arguments) => policy::run(&arguments, &environment::of_this_process()),
        Command::Undo(arguments) => undo::run(&arguments, &environment::of_this_process()),
        Command::McpServers(arguments) => {
            mcp_servers::run(&arguments, &environment::of_this_process())
        }
        Command::Auth(arguments) => auth::run(&arguments, &environment::of_this_process()),
        Command::Doctor { json } => {
            let format = match json {
                true => Format::Json,
                false => Format::Text,
            };
            doctor::run(&environment::of_this_process(), format)
        }
        #[cfg(unix)]
        Command::Guard { arguments } => Ok(pollux_exec::guard_main(arguments)),
        #[cfg(unix)]
        Command::Host { detached, grace } => {
            if detached {
                pollux_exec::detach()?;
            }
            let grace = grace.map_or(shared::GRACE, std::time::Duration::from_millis);
            shared::run(&environment::of_this_process(), grace)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The last words of a program that cannot go on.
fn complain(error: &anyhow::Error) {
    terminal::complain(&format!("{error:#}"));
}
