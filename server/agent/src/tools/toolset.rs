//! Which tools there are, and which of them a call means.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use pollux_model::{FunctionCall, ToolDeclaration};
use pollux_policy::ApprovalMode;
use serde_json::{Map, Value, json};

use crate::agents::{AgentTools, Agents};
use crate::{Scratch, Servers, Web};

use super::ask_user::AskUser;
use super::complete_task::CompleteTask;
use super::discovered::Discovered;
use super::glob::Glob;
use super::grep_search::GrepSearch;
use super::invoke_agent::InvokeAgent;
use super::list_background_processes::ListBackgroundProcesses;
use super::list_directory::ListDirectory;
use super::plan_mode::{EnterPlanMode, ExitPlanMode, PlansFolder};
use super::read_background_output::ReadBackgroundOutput;
use super::read_file::ReadFile;
use super::read_many_files::{self, ReadManyFiles};
use super::replace::Replace;
use super::run_shell_command::RunShellCommand;
use super::searching::SearchSetup;
use super::server_tools::ServerTools;
use super::shell_setup::ShellSetup;
use super::tool::Waiting;
use super::update_topic::UpdateTopic;
use super::watched::Watched;
use super::web_fetch::{DirectFetch, WebFetch};
use super::web_search::WebSearch;
use super::write_file::WriteFile;
use super::write_todos::WriteTodos;
use super::{ErrorKind, Tool, ToolError, invoke_agent, schema, tracker, update_topic};

/// How many names are suggested for a tool that does not exist.
const SUGGESTIONS: usize = 3;
/// What any call may say to be made by itself.
pub(super) const WAIT_FOR_PREVIOUS: &str = "wait_for_previous";
/// The tools that only the session itself has.
const NOT_FOR_AGENTS: [&str; 2] = [invoke_agent::NAME, update_topic::NAME];
/// The tools that write files.
const WRITERS: [&str; 2] = ["write_file", "replace"];
/// What their descriptions begin with in plan mode.
const ONLY_PLANS: &str = "ONLY FOR PLANS: writes nothing but .md files in the plans folder now. ";

/// What tools work with, beyond what every call has on its desk.
#[derive(Clone, Default)]
pub struct Equipment {
    /// Nothing: what is too long for the model is cut, and the rest is gone.
    pub scratch: Option<Arc<dyn Scratch>>,
    pub search: SearchSetup,
    /// Whether several files may be read by one call.
    pub many_files: Offered,
    /// Nothing: no commands are run.
    pub shell: Option<Arc<ShellSetup>>,
    pub topics: Offered,
    pub todos: Offered,
    /// Only where somebody could answer.
    pub questions: Offered,
    /// Nothing: there is no planning first.
    pub plans: Option<PlansFolder>,
    /// The folder of the scratch for tasks. Nothing: there is no task tracker.
    pub tracker: Option<String>,
    /// Nothing: no page is fetched.
    pub web: Option<Arc<dyn Web>>,
    pub fetching: Fetching,
    /// Only where the model's service searches.
    pub web_search: Offered,
    /// What the project brings along.
    pub discovered: Discovered,
    /// Nothing: no server is configured.
    pub servers: Option<Arc<dyn Servers>>,
    /// Nothing: there is nobody to hand a job to.
    pub agents: Option<Arc<dyn Agents>>,
}

/// Who reads the pages that are fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fetching {
    /// A model, which answers what is asked about them.
    #[default]
    Answered,
    /// Nobody: they come as they are (`experimental.directWebFetch`).
    Direct,
}

/// Whether the model is told of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offered {
    Yes,
    #[default]
    No,
}

/// The tools of one session, in the order in which the model is told of them.
#[derive(Clone, Default)]
pub struct ToolSet {
    tools: Vec<Arc<dyn Tool>>,
    /// Those that come and go, behind the others.
    servers: Option<Arc<ServerTools>>,
    watched: Arc<Watched>,
    agents: Option<Arc<dyn Agents>>,
    /// Which of those that come and go may be used.
    allowed: AgentTools,
    /// The only folder that is written to in plan mode.
    plans: Option<PlansFolder>,
}

impl ToolSet {
    /// The tools that come with Pollux, as far as the equipment goes.
    pub fn built_in(equipment: &Equipment) -> Self {
        let search = || equipment.search.clone();
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        if equipment.topics == Offered::Yes {
            tools.push(Arc::new(UpdateTopic));
        }
        tools.push(Arc::new(ListDirectory(search())));
        tools.push(Arc::new(ReadFile(search())));
        tools.push(Arc::new(GrepSearch(search())));
        tools.push(Arc::new(Glob(search())));
        tools.push(Arc::new(Replace(search())));
        tools.push(Arc::new(WriteFile));
        if equipment.many_files == Offered::Yes {
            tools.push(Arc::new(ReadManyFiles(search())));
        }
        match (&equipment.web, equipment.fetching) {
            (Some(web), Fetching::Answered) => {
                tools.push(Arc::new(WebFetch::new(Arc::clone(web))));
            }
            (Some(web), Fetching::Direct) => {
                tools.push(Arc::new(DirectFetch::new(Arc::clone(web))));
            }
            (None, _) => {}
        }
        if let Some(shell) = &equipment.shell {
            tools.push(Arc::new(RunShellCommand {
                setup: Arc::clone(shell),
                scratch: equipment.scratch.clone(),
            }));
            tools.push(Arc::new(ListBackgroundProcesses(Arc::clone(shell))));
            tools.push(Arc::new(ReadBackgroundOutput(Arc::clone(shell))));
        }
        if equipment.web_search == Offered::Yes {
            tools.push(Arc::new(WebSearch));
        }
        if equipment.questions == Offered::Yes {
            tools.push(Arc::new(AskUser));
        }
        if equipment.todos == Offered::Yes {
            tools.push(Arc::new(WriteTodos));
        }
        if let Some(agents) = &equipment.agents {
            tools.push(Arc::new(InvokeAgent(Arc::clone(agents))));
        }
        if let Some(folder) = &equipment.plans {
            tools.push(Arc::new(ExitPlanMode(folder.clone())));
            tools.push(Arc::new(EnterPlanMode(folder.clone())));
        }
        if let (Some(scratch), Some(folder)) = (&equipment.scratch, &equipment.tracker) {
            tools.extend(tracker::tools(Arc::clone(scratch), folder));
        }
        tools.extend(equipment.discovered.0.iter().cloned());
        let shell = equipment.shell.as_ref();
        let build_files = shell.map(|shell| Arc::clone(&shell.changed_build_files));
        Self {
            tools,
            servers: ServerTools::new(equipment).map(Arc::new),
            watched: Arc::new(Watched::new(build_files.unwrap_or_default())),
            agents: equipment.agents.clone(),
            allowed: AgentTools::All,
            plans: equipment.plans.clone(),
        }
    }

    /// Those that a sub-agent may use, and the one by which it hands in its work. It can neither hand a job on nor say what
    /// the session is about.
    pub(crate) fn for_agent(&self, allowed: &AgentTools, complete_task: CompleteTask) -> Self {
        let mut tools = self.tools.clone();
        tools
            .retain(|tool| !NOT_FOR_AGENTS.contains(&tool.name()) && allowed.contains(tool.name()));
        tools.push(Arc::new(complete_task));
        Self {
            tools,
            servers: self.servers.clone().filter(|_| allowed.may_be_outside()),
            watched: Arc::clone(&self.watched),
            agents: None,
            allowed: allowed.clone(),
            plans: self.plans.clone(),
        }
    }

    /// With one more.
    #[cfg(test)]
    pub(crate) fn with(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    pub(crate) fn watched(&self) -> &Watched {
        &self.watched
    }

    /// The name that settings list for `read_many_files`.
    pub const MANY_FILES: &str = read_many_files::NAME;

    /// The servers that tools come from.
    pub(crate) fn servers(&self) -> Option<&Arc<dyn Servers>> {
        self.servers.as_ref().map(|servers| servers.servers())
    }

    /// Those who can be handed a job.
    pub(crate) fn agents(&self) -> Option<&Arc<dyn Agents>> {
        self.agents.as_ref()
    }

    /// The sub-agents that a prompt could name.
    pub(crate) fn agents_in(&self, prompt: &str) -> Vec<String> {
        match &self.agents {
            Some(agents) if prompt.contains('@') => {
                let offered = agents.offered().into_iter();
                offered.map(|agent| agent.name.clone()).collect()
            }
            Some(_) | None => Vec::new(),
        }
    }

    /// The names of all tools, whether or not the model is told of them.
    pub fn names(&self) -> Vec<String> {
        self.all().map(|tool| tool.name().to_owned()).collect()
    }

    /// Whether there is a tool of this name that is always there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name() == name)
    }

    /// All that are there now.
    fn all(&self) -> impl Iterator<Item = Arc<dyn Tool>> + '_ {
        let outside = self.servers.iter().flat_map(|servers| servers.now());
        let outside = outside.filter(|tool| self.allowed.contains(tool.name()));
        self.tools.iter().cloned().chain(outside)
    }

    /// The tools as the model is told about them.
    pub fn declarations(
        &self,
        mode: ApprovalMode,
        excluded: &BTreeSet<String>,
    ) -> Vec<ToolDeclaration> {
        self.offered(mode, excluded)
            .map(|tool| declared(&*tool, mode))
            .collect()
    }

    fn offered<'a>(
        &'a self,
        mode: ApprovalMode,
        excluded: &'a BTreeSet<String>,
    ) -> impl Iterator<Item = Arc<dyn Tool>> + 'a {
        self.all()
            .filter(move |tool| tool.is_offered(mode) && !excluded.contains(tool.name()))
    }

    /// The tool that a call means, with its arguments in the right shape.
    pub(crate) fn find(
        &self,
        call: &FunctionCall,
        mode: ApprovalMode,
        excluded: &BTreeSet<String>,
    ) -> Result<Arc<dyn Tool>, ToolError> {
        let name = current_name(&call.name);
        let found = self
            .offered(mode, excluded)
            .find(|tool| tool.name() == name);
        let tool = found.ok_or_else(|| self.not_registered(name, mode, excluded))?;
        schema::check(&declared(&*tool, mode).parameters, &call.args)?;
        Ok(tool)
    }

    fn not_registered(
        &self,
        name: &str,
        mode: ApprovalMode,
        excluded: &BTreeSet<String>,
    ) -> ToolError {
        let mut known: Vec<String> = self
            .offered(mode, excluded)
            .map(|tool| tool.name().to_owned())
            .collect();
        known.sort_by_key(|known| strsim::levenshtein(known, name));
        known.truncate(SUGGESTIONS);
        let told = match known.as_slice() {
            [] => format!("Tool \"{name}\" not found, and there are no others."),
            [one] => format!("Tool \"{name}\" not found. Did you mean \"{one}\"?"),
            several => format!(
                "Tool \"{name}\" not found. Did you mean one of: \"{}\"?",
                several.join("\", \"")
            ),
        };
        ToolError::new(ErrorKind::NotRegistered, told)
    }

    pub(crate) fn plans(&self) -> Option<&PlansFolder> {
        self.plans.as_ref()
    }

    /// What a call does, in words for a person, whether or not it makes sense.
    pub fn title(&self, call: &FunctionCall) -> String {
        let name = current_name(&call.name);
        let tool = self.all().find(|tool| tool.name() == name);
        tool.map_or_else(|| call.name.clone(), |tool| tool.title(&call.args))
    }
}

/// A tool as the model is told of it in this mode.
fn declared(tool: &dyn Tool, mode: ApprovalMode) -> ToolDeclaration {
    let mut declaration = tool.declaration();
    if mode == ApprovalMode::Plan && WRITERS.contains(&tool.name()) {
        declaration.description = format!("{ONLY_PLANS}{}", declaration.description);
    }
    if tool.waiting() == Waiting::Mentioned {
        mention_waiting(&mut declaration.parameters);
    }
    declaration
}

/// Adds the flag that the scheduler looks for to the schema of an object.
fn mention_waiting(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return;
    }
    let properties = schema
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Some(properties) = properties.as_object_mut() {
        let described = "True: run after the calls before it in this answer have ended.";
        properties.insert(
            WAIT_FOR_PREVIOUS.to_owned(),
            json!({ "type": "boolean", "description": described }),
        );
    }
}

/// Models that learned from older versions use older names.
pub(crate) fn current_name(name: &str) -> &str {
    match name {
        "search_file_content" => "grep_search",
        name => name,
    }
}

/// Whether a call asks to be made by itself, after the ones before it.
pub(crate) fn waits_for_previous(args: &Map<String, Value>) -> bool {
    args.get(WAIT_FOR_PREVIOUS).and_then(Value::as_bool) == Some(true)
}
