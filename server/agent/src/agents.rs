//! Sub-agents: who there is to hand a job to, and what each may do.

mod assignment;
mod clock;
mod delegate;
mod handed_in;
mod instructions;
mod template;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::tools::current_name;
use crate::{Journal, Voices};

pub(crate) use assignment::Assignment;
pub(crate) use delegate::Delegate;
pub(crate) use handed_in::HandedIn;

/// What the names of tools begin with that servers bring along.
const OUTSIDE: &str = "mcp_";

/// The sub-agents of a session, and what each run of one needs.
pub trait Agents: Send + Sync {
    /// Those that may be asked now, in the order in which the model is told of them.
    fn offered(&self) -> Vec<Arc<AgentDefinition>>;

    /// Who speaks for this agent. Nothing: whoever speaks for the session.
    fn voices(&self, agent: &AgentDefinition) -> Option<Arc<dyn Voices>>;

    /// The same voices, asked in the way that the author wants: with a temperature of the agent's own.
    fn tempered(&self, _: &AgentDefinition, voices: Arc<dyn Voices>) -> Arc<dyn Voices> {
        voices
    }

    /// What stands for a `${name}` in an author's words, where that is not for the job to say: `today`, `cliVersion`.
    fn fact(&self, name: &str) -> Option<String>;

    /// Takes down one run of an agent, under the session that wanted it.
    fn journal(&self, run: &AgentRun<'_>) -> Box<dyn Journal>;

    /// Words for the person that have not been said yet, such as that a project brings agents along. Asked with each
    /// prompt; what was given once is not given again.
    fn news(&self) -> Option<String> {
        None
    }
}

/// What a person can have done with sub-agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentOrder {
    List,
    /// Reads their files anew.
    Reload,
    Enable(String),
    Disable(String),
    /// Lets the model have an agent of the project, as it is described now.
    Acknowledge(String),
    AcknowledgeAll,
}

/// One run of a sub-agent.
#[derive(Clone, Copy, Debug)]
pub struct AgentRun<'a> {
    /// No other run has this name: a UUID.
    pub id: &'a str,
    pub agent: &'a AgentDefinition,
}

/// A sub-agent, as its author has described it.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentDefinition {
    /// What the model calls it: `codebase_investigator`.
    pub name: String,
    /// What people call it. Nothing: by its name.
    pub display_name: Option<String>,
    /// What it is good for, in words for the model that chooses.
    pub description: String,
    /// What it is told before its job, with `${…}` for what is filled in.
    pub instructions: String,
    /// What its job begins with, with `${…}` for what is filled in.
    pub query: String,
    /// The name under which the job is filled in: `query`.
    pub input: String,
    pub tools: AgentTools,
    pub result: AgentResult,
    /// How often it may ask its model.
    pub max_turns: u32,
    /// How long it may work. Waiting for a person does not count.
    pub max_time: Duration,
}

/// What an agent may use. It never gets to ask other agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AgentTools {
    /// Whatever the session has.
    #[default]
    All,
    /// By name; `*`, `mcp_*` and `mcp_<server>_*` stand for several. A name that nothing has is passed over.
    Named(Vec<String>),
}

impl AgentTools {
    /// Whether an agent may use the tool of this name.
    pub(crate) fn contains(&self, tool: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(|name| match name.strip_suffix('*') {
                // Nothing but `*` and the tools of servers can be named together.
                Some(start) if start.is_empty() || start.starts_with(OUTSIDE) => {
                    tool.starts_with(start)
                }
                Some(_) | None => current_name(name) == tool,
            }),
        }
    }

    /// Whether a tool of a server could be among them.
    pub(crate) fn may_be_outside(&self) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => {
                let outside = |name: &String| name == "*" || name.starts_with(OUTSIDE);
                names.iter().any(outside)
            }
        }
    }
}

/// What an agent hands in at its end.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentResult {
    /// Words.
    Text,
    /// A value of this shape, under this name.
    Shaped { name: String, schema: Value },
}

impl AgentDefinition {
    /// The twin's limits for whoever does not name any.
    pub const MAX_TURNS: u32 = 30;
    pub const MAX_TIME: Duration = Duration::from_secs(10 * 60);

    /// What people are shown.
    pub fn shown_name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.name)
    }
}
