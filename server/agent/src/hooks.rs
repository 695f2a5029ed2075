//! Programs of the user that have a say in what happens: which of them an event concerns, what they are told, and
//! what their answers come to.
//!
//! A hook never widens what the policy allows: it may refuse, have somebody asked, change what goes in and add to what
//! comes out.

mod answer;
mod command_line;
mod matching;
mod merged;
mod run;
mod settings;
mod tool;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use pollux_exec::Variable;

use crate::Programs;

pub(crate) use merged::Ruling;
pub use settings::{HookEvent, HookSettings};
pub(crate) use tool::{AfterTool, BeforeTool};

/// The hooks of a session. There are none by default.
#[derive(Clone, Default)]
pub struct Hooks(Option<Arc<HookSetup>>);

/// What hooks are run with.
pub struct HookSetup {
    pub settings: HookSettings,
    pub programs: Arc<dyn Programs>,
    /// Everything they get to see of the environment, before what is told to hooks alone.
    pub variables: Vec<Variable>,
    pub session: String,
    /// Where the session is recorded. Nothing: it is not.
    pub transcript: Option<PathBuf>,
    /// The folder of the session.
    pub folder: PathBuf,
    /// Where plans lie.
    pub plans: Option<PathBuf>,
}

impl Hooks {
    pub fn new(setup: HookSetup) -> Self {
        Self((!setup.settings.is_empty()).then(|| Arc::new(setup)))
    }
}
