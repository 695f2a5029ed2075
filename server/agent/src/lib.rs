//! The agent: a conversation with a model, the tools that it calls, and the review of what it wants to change. Does no
//! IO of its own: files come through [`Files`], the model through `pollux-model`. Knows no protocol: doors send an
//! [`api::Op`] and show the [`api::Event`]s.

pub mod agents;
pub mod api;
mod commands;
mod compression;
mod context;
mod cost;
mod excerpt;
mod files;
mod gate;
mod history;
mod hooks;
mod instructions;
mod journal;
mod loop_detection;
mod masking;
mod mode;
mod path;
mod programs;
pub mod prompt;
mod routing;
mod scheduler;
mod scratch;
mod servers;
mod session;
mod shell_changes;
mod surroundings;
mod terminals;
#[cfg(test)]
mod testing;
mod title;
mod tools;
mod topic;
mod turn;
mod utility;
mod validity;
mod voices;
mod web;

pub use commands::{
    Beginning, CommandLine, CommandSource, Commands, CustomCommand, NoCommands, built_in_names,
    command_list,
};
pub use context::{ContextOptions, NextSpeaker};
pub use cost::{Price, Prices, Spent};
pub use files::{EditConflict, EditOrigin, FileError, Files, MAX_FILE_BYTES, Standing, Written};
pub use gate::{ClosedGate, Gate};
pub use hooks::{HookEvent, HookSettings, HookSetup, Hooks};
pub use instructions::{Instructions, PromptState};
pub use journal::{Entry, Fate, Given, Journal, Keep, PromptKeeper, Said};
pub use path::{PathError, WorkspacePath};
pub use pollux_policy::{SERVER_FINGERPRINT, TOOL_FINGERPRINT, mcp_tool_name};
pub use programs::{Completeness, Program, Programs, Punctuality, Ran};
pub use routing::{Classification, NumericalRouting, PlanRouting, Routing};
pub use scratch::Scratch;
pub use servers::{
    CallEvent, Lasting, Need, Offering, PromptArgument, Replies, ServerContent, ServerFailure,
    ServerOrder, ServerPrompt, ServerResource, ServerResult, ServerStanding, ServerState,
    ServerTool, ServerVerdict, Servers,
};
pub use session::{Baggage, LoopDetection, Mark};
pub use session::{Session, SessionClosed, SessionConfig, SessionHandle};
pub use shell_changes::{
    ChangedFile, Changes, Content, FileThen, NotReversible, ShellChanges, ShellOrigin, ShellWatch,
    Unwatched, Upcoming, Watching,
};
pub use surroundings::{Ignoring, Surroundings};
pub use terminals::{
    ClientTerminal, TerminalAnswer, TerminalClient, TerminalEnd, TerminalFailure, TerminalName,
    TerminalOffer, TerminalOrder, TerminalOutput, Terminals,
};
pub use tools::{
    Discovered, DiscoveryError, Equipment, Fetching, Keeper, Offered, PlansFolder, SearchSetup,
    ShellSetup, ToolSet,
};
pub use voices::{OneVoice, Thinking, Voice, Voices};
pub use web::Web;
