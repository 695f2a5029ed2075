//! Which tools there are, and which of them a call means.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use pollux_model::{FunctionCall, ToolDeclaration};
use pollux_policy::ApprovalMode;
use serde_json::{Map, Value};

use crate::Scratch;

use super::glob::Glob;
use super::grep_search::GrepSearch;
use super::list_background_processes::ListBackgroundProcesses;
use super::list_directory::ListDirectory;
use super::read_background_output::ReadBackgroundOutput;
use super::read_file::ReadFile;
use super::replace::Replace;
use super::run_shell_command::RunShellCommand;
use super::searching::SearchSetup;
use super::shell_setup::ShellSetup;
use super::watched::Watched;
use super::write_file::WriteFile;
use super::{ErrorKind, Tool, ToolError, schema};

/// How many names are suggested for a tool that does not exist.
const SUGGESTIONS: usize = 3;

/// What tools work with, beyond what every call has on its desk.
#[derive(Clone, Default)]
pub struct Equipment {
    /// Nothing: what is too long for the model is cut, and the rest is gone.
    pub scratch: Option<Arc<dyn Scratch>>,
    pub search: SearchSetup,
    /// Nothing: no commands are run.
    pub shell: Option<Arc<ShellSetup>>,
}

/// The tools of one session, in the order in which the model is told of them.
#[derive(Clone, Default)]
pub struct ToolSet {
    tools: Vec<Arc<dyn Tool>>,
    watched: Arc<Watched>,
}

impl ToolSet {
    /// The tools that come with Pollux, as far as the equipment goes.
    pub fn built_in(equipment: &Equipment) -> Self {
        let search = || equipment.search.clone();
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(ListDirectory(search())),
            Arc::new(ReadFile(search())),
            Arc::new(GrepSearch(search())),
            Arc::new(Glob(search())),
            Arc::new(Replace(search())),
            Arc::new(WriteFile),
        ];
        if let Some(shell) = &equipment.shell {
            tools.push(Arc::new(RunShellCommand {
                setup: Arc::clone(shell),
                scratch: equipment.scratch.clone(),
            }));
            tools.push(Arc::new(ListBackgroundProcesses(Arc::clone(shell))));
            tools.push(Arc::new(ReadBackgroundOutput(Arc::clone(shell))));
        }
        let shell = equipment.shell.as_ref();
        let build_files = shell.map(|shell| Arc::clone(&shell.changed_build_files));
        Self {
            tools,
            watched: Arc::new(Watched::new(build_files.unwrap_or_default())),
        }
    }

    /// With one more.
    #[cfg(test)]
    pub(crate) fn with(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    pub(super) fn watched(&self) -> &Watched {
        &self.watched
    }

    /// The names of all tools, whether or not the model is told of them.
    pub fn names(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.name()).collect()
    }

    /// The tools as the model is told about them.
    pub fn declarations(
        &self,
        mode: ApprovalMode,
        excluded: &BTreeSet<String>,
    ) -> Vec<ToolDeclaration> {
        self.offered(mode, excluded)
            .map(|tool| tool.declaration())
            .collect()
    }

    fn offered<'a>(
        &'a self,
        mode: ApprovalMode,
        excluded: &'a BTreeSet<String>,
    ) -> impl Iterator<Item = &'a Arc<dyn Tool>> {
        self.tools
            .iter()
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
        schema::check(&tool.declaration().parameters, &call.args)?;
        Ok(Arc::clone(tool))
    }

    fn not_registered(
        &self,
        name: &str,
        mode: ApprovalMode,
        excluded: &BTreeSet<String>,
    ) -> ToolError {
        let mut known: Vec<&str> = self
            .offered(mode, excluded)
            .map(|tool| tool.name())
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

    /// What a call does, in words for a person, whether or not it makes sense.
    pub(crate) fn title(&self, call: &FunctionCall) -> String {
        let name = current_name(&call.name);
        let tool = self.tools.iter().find(|tool| tool.name() == name);
        tool.map_or_else(|| call.name.clone(), |tool| tool.title(&call.args))
    }
}

/// Models that learned from older versions use older names.
fn current_name(name: &str) -> &str {
    match name {
        "search_file_content" => "grep_search",
        name => name,
    }
}

/// Whether a call asks to be made by itself, after the ones before it.
pub(crate) fn waits_for_previous(args: &Map<String, Value>) -> bool {
    args.get("wait_for_previous").and_then(Value::as_bool) == Some(true)
}
