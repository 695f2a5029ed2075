//! Planning first: the folder that plans lie in, and the two tools that lead into plan mode and out of it.

mod enter;
mod exit;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

pub(super) use enter::EnterPlanMode;
pub(super) use exit::ExitPlanMode;

use super::{Desk, ErrorKind, ToolError};
use crate::{Scratch, WorkspacePath};

/// Where plans lie.
#[derive(Clone)]
pub enum PlansFolder {
    /// Beside the session's other papers, under this name.
    Scratch(Arc<dyn Scratch>, String),
    /// In the project, where a person wants to see them.
    Workspace(WorkspacePath),
}

/// A plan by name; whether it is there is another question.
struct PlanFile {
    /// Within the folder, with forward slashes.
    name: String,
    place: PathBuf,
}

impl PlansFolder {
    /// Where the folder lies, for a workspace with this root.
    pub fn place(&self, root: &Path) -> PathBuf {
        match self {
            Self::Scratch(scratch, folder) => scratch.place(folder),
            Self::Workspace(folder) => root.join(folder.as_path()),
        }
    }

    /// The plan that a model means: by its name in the folder, or by a path that leads there.
    fn find(&self, root: &Path, spelled: &str) -> Result<PlanFile, ToolError> {
        let folder = self.place(root);
        let outside = || {
            let told = format!(
                "the plan must be a file in {}, and \"{spelled}\" is not",
                folder.display()
            );
            ToolError::invalid(told)
        };
        let path = Path::new(spelled.trim());
        let path = path.strip_prefix(&folder).unwrap_or(path);
        let path = match self {
            Self::Workspace(folder) => path.strip_prefix(folder.as_path()).unwrap_or(path),
            Self::Scratch(..) => path,
        };
        let path = path.strip_prefix(".").unwrap_or(path);
        // `plans/x.md` means the folder of plans, wherever it lies.
        let path = path.strip_prefix("plans").unwrap_or(path);
        let mut names = Vec::new();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::Normal(name) => {
                    let name = name.to_str().ok_or_else(outside)?;
                    if name.chars().any(char::is_control) {
                        return Err(outside());
                    }
                    names.push(name);
                }
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(outside());
                }
            }
        }
        if names.is_empty() {
            return Err(outside());
        }
        let name = names.join("/");
        let place = folder.join(&name);
        Ok(PlanFile { name, place })
    }

    /// Where a plan is written that a model names. A path with folders in it must lead to the folder of plans.
    pub(super) fn plan_place(&self, root: &Path, spelled: &str) -> Result<PathBuf, ToolError> {
        let plan = self.find(root, spelled)?;
        let is_named =
            !plan.name.contains('/') || Path::new(spelled.trim()).starts_with(self.place(root));
        if !is_named || !plan.name.ends_with(".md") {
            let told = format!(
                "in plan mode only Markdown files in {} may be written, and \"{spelled}\" is none",
                self.place(root).display()
            );
            return Err(ToolError::new(ErrorKind::PolicyViolation, told));
        }
        Ok(plan.place)
    }

    /// The text of a plan, which must be there and say something.
    async fn read(&self, desk: &Desk<'_>, plan: &PlanFile) -> Result<String, ToolError> {
        let missing = || {
            let told = format!(
                "there is no plan {}; write it before you ask for approval",
                plan.place.display()
            );
            ToolError::new(ErrorKind::FileNotFound, told)
        };
        let text = match self {
            Self::Scratch(scratch, folder) => {
                let name = format!("{folder}/{}", plan.name);
                let reading = desk.or_cancelled(scratch.read(&name)).await?;
                reading.map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound => missing(),
                    _ => ToolError::new(
                        ErrorKind::ReadContentFailure,
                        format!("the plan cannot be read: {error}"),
                    ),
                })?
            }
            Self::Workspace(folder) => {
                let path = folder.as_path().join(&plan.name);
                let spelled = path.to_string_lossy();
                let path = WorkspacePath::new(&desk.config.root, &spelled)
                    .map_err(|error| ToolError::path(&spelled, &error))?;
                desk.read(&path).await.map_err(|error| match error.kind() {
                    ErrorKind::FileNotFound => missing(),
                    _ => error,
                })?
            }
        };
        if text.trim().is_empty() {
            let told = format!(
                "the plan {} is empty; write it before you ask for approval",
                plan.place.display()
            );
            return Err(ToolError::new(ErrorKind::ExecutionFailed, told));
        }
        Ok(text)
    }
}
