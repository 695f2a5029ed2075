//! Servers outside of Pollux that bring tools, prompts and resources along. How they are reached is not known here.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use pollux_model::Part;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use crate::api::{Progress, Question, Reply};

/// What a person has answered, by the question's place.
pub type Replies = BTreeMap<usize, Reply>;

/// The servers of a workspace. They come and go while a session runs: whoever asks gets what is there now, and never
/// waits for one that is not.
pub trait Servers: Send + Sync {
    /// What is there now. The same pointer as long as nothing has changed.
    fn offering(&self) -> Arc<Offering>;

    /// Calls a tool. What happens meanwhile is told to `events`; dropping the future calls the call off.
    fn call<'a>(
        &'a self,
        tool: &'a ServerTool,
        args: &'a Map<String, Value>,
        events: mpsc::Sender<CallEvent>,
    ) -> BoxFuture<'a, Result<ServerResult, ServerFailure>>;

    /// The text that a prompt stands for, with what was typed behind its name. The error is for the person.
    fn prompt<'a>(
        &'a self,
        prompt: &'a ServerPrompt,
        typed: &'a str,
    ) -> BoxFuture<'a, Result<String, String>>;

    fn read<'a>(
        &'a self,
        resource: &'a ServerResource,
    ) -> BoxFuture<'a, Result<Vec<ServerContent>, ServerFailure>>;

    /// What the person wants done about a server. The answer is for them, as Markdown.
    fn order<'a>(&'a self, order: ServerOrder<'a>) -> BoxFuture<'a, String>;
}

/// What all servers together have to offer.
#[derive(Debug, Default)]
pub struct Offering {
    /// By server.
    pub tools: Vec<Arc<ServerTool>>,
    pub prompts: Vec<Arc<ServerPrompt>>,
    pub resources: Vec<Arc<ServerResource>>,
    /// One for each that is configured, by name.
    pub states: Vec<ServerState>,
}

/// A tool of a server.
#[derive(Debug, PartialEq)]
pub struct ServerTool {
    /// What the model calls it.
    pub name: String,
    pub server: String,
    /// What the server calls it.
    pub tool: String,
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
    /// What the server says about it, such as `readOnlyHint`.
    pub annotations: Map<String, Value>,
}

/// A prompt of a server, which is a command for the person.
#[derive(Debug, PartialEq)]
pub struct ServerPrompt {
    /// What the person types, without the slash.
    pub name: String,
    pub server: String,
    /// What the server calls it.
    pub prompt: String,
    pub description: String,
    pub arguments: Vec<PromptArgument>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptArgument {
    pub name: String,
    pub description: Option<String>,
    pub need: Need,
}

/// Whether something may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Required,
    Optional,
}

/// Something that a server lets be read.
#[derive(Debug, PartialEq, Eq)]
pub struct ServerResource {
    pub server: String,
    pub uri: String,
    pub name: String,
    pub description: Option<String>,
    pub mime_type: Option<String>,
}

/// How it stands with a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerState {
    pub server: String,
    pub standing: ServerStanding,
    /// What it says about itself, for the model.
    pub instructions: Option<String>,
    /// Tools that were left out, with the reason.
    pub left_out: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerStanding {
    Connecting,
    Connected,
    /// It is tried again after a while, or once its settings are others.
    Failed {
        reason: String,
    },
    /// The person has to sign in first.
    NeedsAuthentication,
    /// It is not to be connected, for this reason.
    Blocked {
        reason: String,
    },
}

/// What happens while a call runs.
#[derive(Debug)]
pub enum CallEvent {
    Progressed(Progress),
    /// The server asks the person something. Nothing: nobody wants to answer.
    Asked {
        message: String,
        questions: Vec<Question>,
        answer: oneshot::Sender<Option<Replies>>,
    },
}

/// What a tool of a server came to.
#[derive(Debug, Default, PartialEq)]
pub struct ServerResult {
    pub content: Vec<ServerContent>,
    pub verdict: ServerVerdict,
}

/// Whether the server itself calls the result a success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ServerVerdict {
    #[default]
    Fine,
    Error,
}

/// A piece of a result or of a resource.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerContent {
    Text(String),
    /// A note for the model about what follows, and the thing itself.
    Data {
        note: String,
        shown: String,
        part: Part,
    },
    /// Where something is to be found.
    Link {
        title: String,
        uri: String,
    },
    /// Nothing for the model.
    Unknown(String),
}

/// Why a server did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerFailure {
    #[error("the server {server} is not connected: {reason}")]
    NotConnected { server: String, reason: String },
    #[error("the server {server} has gone while it was asked")]
    Gone { server: String },
    #[error("the server {server} has not answered within {seconds} seconds")]
    TimedOut { server: String, seconds: u64 },
    #[error("the server {server} refuses: {reason}")]
    Refused { server: String, reason: String },
}

/// What a person can have done with servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerOrder<'a> {
    /// Connects all of them anew, by the settings as they are now.
    Reload,
    Enable(&'a str, Lasting),
    Disable(&'a str, Lasting),
    Authenticate(Option<&'a str>),
    /// Forgets what the person has signed in with.
    SignOut(&'a str),
}

/// How long an order holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    Session,
    ForGood,
}

impl fmt::Display for ServerStanding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connecting => f.write_str("connecting"),
            Self::Connected => f.write_str("connected"),
            Self::Failed { reason } => write!(f, "not connected: {reason}"),
            Self::NeedsAuthentication => f.write_str("needs you to sign in, by `/mcp auth`"),
            Self::Blocked { reason } => write!(f, "off: {reason}"),
        }
    }
}
