//! Tools that a program of the project declares (`tools.discoveryCommand`) and another one carries out
//! (`tools.callCommand`).

mod call;
mod declarations;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use super::Tool;
use crate::{Completeness, Program, Programs};
use call::DiscoveredTool;

/// What the discovery may print, and what a call may print.
const OUTPUT_LIMIT: usize = 10 * 1024 * 1024;
/// What the names of these tools begin with.
const PREFIX: &str = "discovered_tool_";

/// The tools that a project has told of.
#[derive(Clone, Default)]
pub struct Discovered(pub(super) Vec<Arc<dyn Tool>>);

/// Why a project's tools are not there.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    #[error("`{setting}` is not a command: {command}")]
    NotACommand {
        setting: &'static str,
        command: String,
    },
    #[error("the discovery command cannot be run: {source}")]
    NotStarted { source: std::io::Error },
    #[error("the discovery command ended badly ({how}): {stderr}")]
    Failed { how: String, stderr: String },
    #[error("the discovery command printed more than {OUTPUT_LIMIT} bytes")]
    TooLong,
    #[error("the discovery command must print a JSON array of tools: {reason}")]
    NotDeclarations { reason: String },
}

impl Discovered {
    /// Asks the project. Runs a program of it, so only where the folder is trusted.
    pub async fn find(
        programs: Arc<dyn Programs>,
        discovery_command: &str,
        call_command: Option<&str>,
        root: &Path,
    ) -> Result<Self, DiscoveryError> {
        let argv = split("tools.discoveryCommand", discovery_command)?;
        let call = match call_command {
            Some(command) => split("tools.callCommand", command)?,
            None => Vec::new(),
        };
        let ran = programs
            .run(Program {
                argv: &argv,
                folder: root,
                input: "",
                output_limit: OUTPUT_LIMIT,
                variables: None,
                time_limit: None,
            })
            .await
            .map_err(|source| DiscoveryError::NotStarted { source })?;
        if ran.output == Completeness::Cut {
            return Err(DiscoveryError::TooLong);
        }
        if ran.code != Some(0) {
            return Err(DiscoveryError::Failed {
                how: match (ran.code, ran.signal) {
                    (Some(code), _) => format!("exit code {code}"),
                    (None, Some(signal)) => format!("signal {signal}"),
                    (None, None) => "no exit code".to_owned(),
                },
                stderr: ran.stderr.trim().chars().take(2_000).collect(),
            });
        }
        let declared = declarations::parse(&ran.stdout)
            .map_err(|reason| DiscoveryError::NotDeclarations { reason })?;
        let tools = declared.into_iter().map(|declaration| {
            let tool = DiscoveredTool::new(declaration, call.clone(), Arc::clone(&programs));
            Arc::new(tool) as Arc<dyn Tool>
        });
        Ok(Self(tools.collect()))
    }
}

fn split(setting: &'static str, command: &str) -> Result<Vec<String>, DiscoveryError> {
    let argv = shlex::split(command).unwrap_or_default();
    match argv.is_empty() {
        false => Ok(argv),
        true => Err(DiscoveryError::NotACommand {
            setting,
            command: command.to_owned(),
        }),
    }
}
