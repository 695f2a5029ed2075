//! `/name` at the beginning of a prompt: commands of our own, one file each, and those that people have written.
//!
//! A command answers in words, changes the session, or becomes a prompt. Nothing that looks like a command and is none
//! reaches the model by accident; a path such as `/usr/bin` is no command.

mod agents;
mod compress;
mod custom;
mod help;
mod init;
mod invocation;
mod mcp;
mod memory;
mod model;
mod plan;
pub(crate) mod retry;
mod rewind;
mod server_prompt;
mod stats;
mod template;
mod tools;

use std::sync::Arc;

use futures_util::future::BoxFuture;

use pollux_model::Content;

use crate::agents::AgentOrder;
use crate::api::{ApprovalMode, NewVoices, TurnId};
use crate::prompt::{Memory, MemoryFile};
use crate::{Instructions, Offering, SessionConfig};

pub(crate) use custom::{shell_call, shell_with_arguments, takes_arguments, with_arguments};
pub(crate) use invocation::{Invocation, invocation};
pub(crate) use memory::listed as memory_list;
pub(crate) use template::{Piece, Trigger, UnclosedInjection, pieces};

/// What the host knows about commands. Asked anew each time, so that an edited file counts at once.
pub trait Commands: Send + Sync {
    /// Those that people have written, with names that are not taken.
    fn custom(&self) -> BoxFuture<'_, Vec<CustomCommand>>;

    /// The models that a name stands for; the error is for the person.
    fn voices<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<NewVoices, String>>;

    /// What the session would begin with if it began now; the error is for the person.
    fn beginning(&self) -> BoxFuture<'_, Result<Beginning, String>> {
        Box::pin(async { Err("the memory files cannot be read anew here".to_owned()) })
    }

    /// Does something with the sub-agents; the answer is for the person.
    fn agents(&self, _: AgentOrder) -> BoxFuture<'_, String> {
        Box::pin(async { "There are no sub-agents here.".to_owned() })
    }
}

/// What a model is told before the person's first word.
pub struct Beginning {
    pub instructions: Arc<dyn Instructions>,
    pub opening: Vec<Content>,
    pub memory: Memory,
}

/// A command that somebody has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomCommand {
    pub name: String,
    pub description: String,
    /// The prompt it stands for, with places to fill.
    pub prompt: String,
    pub source: CommandSource,
}

/// A line of the list of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// Without the slash.
    pub name: String,
    pub description: String,
    /// What may follow the name.
    pub arguments: Option<String>,
    pub source: CommandSource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandSource {
    BuiltIn,
    User,
    Workspace,
    /// A prompt of a server.
    Server,
}

/// For sessions without any but our own.
pub struct NoCommands;

impl Commands for NoCommands {
    fn custom(&self) -> BoxFuture<'_, Vec<CustomCommand>> {
        Box::pin(async { Vec::new() })
    }

    fn voices<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<NewVoices, String>> {
        Box::pin(async { Err("the model cannot be changed here".to_owned()) })
    }
}

/// All commands, our own first and those of servers last.
pub fn command_list(custom: &[CustomCommand], offering: &Offering) -> Vec<CommandLine> {
    let own = BUILT_IN.iter().map(|command| CommandLine {
        name: command.name.to_owned(),
        description: command.description.to_owned(),
        arguments: command.arguments.map(str::to_owned),
        source: CommandSource::BuiltIn,
    });
    let written = custom.iter().map(|command| CommandLine {
        name: command.name.clone(),
        description: command.description.clone(),
        arguments: command
            .prompt
            .contains(template::ARGS)
            .then(|| "arguments".to_owned()),
        source: command.source,
    });
    let mut lines: Vec<CommandLine> = own.chain(written).collect();
    let taken: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
    lines.extend(server_prompt::lines(offering, &taken));
    lines
}

/// The names that no command of a person's making can have.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|command| command.name)
}

/// A command of our own.
struct BuiltIn {
    name: &'static str,
    description: &'static str,
    arguments: Option<&'static str>,
    deed: Deed,
}

#[derive(Clone, Copy)]
enum Deed {
    Agents,
    Compress,
    Help,
    Init,
    Mcp,
    Memory,
    Model,
    Plan,
    Retry,
    Rewind,
    Stats,
    Tools,
}

const BUILT_IN: [BuiltIn; 12] = [
    agents::COMMAND,
    compress::COMMAND,
    help::COMMAND,
    init::COMMAND,
    mcp::COMMAND,
    memory::COMMAND,
    model::COMMAND,
    plan::COMMAND,
    retry::COMMAND,
    rewind::COMMAND,
    stats::COMMAND,
    tools::COMMAND,
];

/// What a session has at hand for a command.
pub(crate) struct Counter<'a> {
    pub(crate) config: &'a SessionConfig,
    pub(crate) commands: &'a dyn Commands,
    pub(crate) memory: &'a [MemoryFile],
    /// The turns that the conversation can go back to, with their prompts.
    pub(crate) turns: Vec<(TurnId, String)>,
    pub(crate) figures: Figures,
}

/// What a session has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) turns: u64,
    pub(crate) requests: u64,
    pub(crate) prompt_tokens: u64,
}

/// What a command comes to.
pub(crate) enum Outcome {
    /// Words for the person, as Markdown.
    Answer(String),
    /// The same, to somebody who has named no command.
    Unknown(String),
    /// A prompt of ours.
    Prompt(String),
    /// A prompt that somebody has written, with its places still to fill.
    Custom(CustomCommand),
    Compress,
    /// Begin with these from now on.
    Refresh(Box<Beginning>),
    /// Go back to before this turn.
    Rewind(TurnId),
    SetModel(NewVoices),
    /// And then ask this, if anything.
    SetMode(ApprovalMode, Option<String>),
}

impl Counter<'_> {
    pub(crate) async fn serve(&self, invocation: &Invocation<'_>) -> Outcome {
        let own = BUILT_IN.iter().find(|own| own.name == invocation.name);
        if let Some(own) = own {
            return match own.deed {
                Deed::Agents => agents::run(self.commands, &invocation.arguments).await,
                Deed::Compress => compress::run(),
                Deed::Help => help::run(&self.commands.custom().await, &self.offering()),
                Deed::Init => init::run(self.config).await,
                Deed::Mcp => mcp::run(self.config, &invocation.arguments).await,
                Deed::Memory => {
                    memory::run(self.memory, self.commands, &invocation.arguments).await
                }
                Deed::Model => model::run(self.config, self.commands, &invocation.arguments).await,
                Deed::Plan => plan::run(&invocation.arguments),
                Deed::Retry => retry::run(),
                Deed::Rewind => rewind::run(&self.turns, &invocation.arguments),
                Deed::Stats => stats::run(self.config, self.figures),
                Deed::Tools => tools::run(self.config),
            };
        }
        let custom = self.commands.custom().await;
        let own = command_list(&custom, &Offering::default());
        let taken: Vec<String> = own.into_iter().map(|line| line.name).collect();
        let offering = self.offering();
        if let Some(servers) = self.config.tools.servers()
            && let Some((prompt, name)) = server_prompt::find(&offering, invocation.name, &taken)
        {
            return server_prompt::run(&**servers, &prompt, &name, invocation).await;
        }
        let found = custom.iter().find(|custom| custom.name == invocation.name);
        match found {
            Some(custom) => Outcome::Custom(custom.clone()),
            None => {
                let known = command_list(&custom, &offering);
                let known = known.into_iter().map(|line| line.name).collect();
                Outcome::Unknown(invocation::unknown(invocation.name, known))
            }
        }
    }

    /// What servers offer now.
    fn offering(&self) -> Arc<Offering> {
        let servers = self.config.tools.servers();
        servers
            .map(|servers| servers.offering())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
