//! The tools that a model can call: one file each, checked parameters in, a result for the model and a line for
//! the person out.

mod desk;
mod error;
mod params;
mod read_file;
mod replace;

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use pollux_model::{FunctionCall, ToolDeclaration};
use serde_json::{Map, Value};

pub(crate) use desk::Desk;
use error::ToolError;

/// What a tool hands back when it worked.
pub(crate) struct ToolOutput {
    /// For the model.
    pub(crate) response: Map<String, Value>,
    /// For the person: a few words.
    pub(crate) summary: String,
}

#[derive(Clone, Copy)]
enum Tool {
    ReadFile,
    Replace,
}

impl Tool {
    const ALL: [Self; 2] = [Self::ReadFile, Self::Replace];

    fn name(self) -> &'static str {
        match self {
            Self::ReadFile => read_file::NAME,
            Self::Replace => replace::NAME,
        }
    }

    fn named(name: &str) -> Result<Self, ToolError> {
        let found = Self::ALL.into_iter().find(|tool| tool.name() == name);
        found.ok_or_else(|| ToolError::not_registered(name, &BTreeSet::new()))
    }
}

impl ToolError {
    fn not_registered(name: &str, excluded: &BTreeSet<String>) -> Self {
        let known: Vec<&str> = Tool::ALL
            .into_iter()
            .map(Tool::name)
            .filter(|known| !excluded.contains(*known))
            .collect();
        Self::NotRegistered {
            name: name.to_owned(),
            known: known.join(", "),
        }
    }
}

/// The names of all tools there are.
pub fn tool_names() -> impl Iterator<Item = &'static str> {
    Tool::ALL.into_iter().map(Tool::name)
}

/// The tools as the model is told about them.
pub fn declarations(excluded: &BTreeSet<String>) -> Vec<ToolDeclaration> {
    Tool::ALL
        .into_iter()
        .filter(|tool| !excluded.contains(tool.name()))
        .map(|tool| match tool {
            Tool::ReadFile => read_file::declaration(),
            Tool::Replace => replace::declaration(),
        })
        .collect()
}

/// What a call does, in words for a person. Parameters are not checked yet.
pub(crate) fn title(call: &FunctionCall) -> String {
    match Tool::named(&call.name) {
        Ok(Tool::ReadFile) => read_file::title(call),
        Ok(Tool::Replace) => replace::title(call),
        Err(_) => call.name.clone(),
    }
}

/// Runs the call on the desk. A panic in a tool ends the call, not the session.
pub(crate) async fn run(desk: Desk<'_>) -> Result<ToolOutput, ToolError> {
    let tool = Tool::named(&desk.call.name)?;
    let excluded = &desk.config.excluded_tools;
    if excluded.contains(tool.name()) {
        return Err(ToolError::not_registered(tool.name(), excluded));
    }
    let running = async {
        match tool {
            Tool::ReadFile => read_file::run(desk).await,
            Tool::Replace => replace::run(desk).await,
        }
    };
    let ended = AssertUnwindSafe(running).catch_unwind().await;
    ended.unwrap_or_else(|_| {
        tracing::error!(tool = tool.name(), "a tool panicked");
        Err(ToolError::Panicked)
    })
}
