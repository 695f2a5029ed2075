use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{Part, ToolDeclaration};
use pollux_policy::ApprovalMode;
use serde_json::{Map, Value};

use super::{Desk, ToolError};
use crate::ServerTool;
use crate::api::{CommandExit, EditedFile, MadeEdit, Subject};

/// Something that the model can have done. A tool checks, asks nobody and decides nothing: the scheduler has the
/// policy's word before [`Tool::run`] is called.
pub(crate) trait Tool: Send + Sync {
    fn name(&self) -> &str;

    fn declaration(&self) -> ToolDeclaration;

    /// What a call does, in words for a person: "Read src/a.rs". The arguments are not checked yet.
    fn title(&self, args: &Map<String, Value>) -> String;

    /// Whether the model is told of the tool in this mode.
    fn is_offered(&self, _mode: ApprovalMode) -> bool {
        true
    }

    /// What the schema cannot say, checked before anybody is asked.
    fn check(&self, _desk: &Desk<'_>) -> Result<(), ToolError> {
        Ok(())
    }

    /// How a person is asked where the policy wants that.
    fn asks<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<Asks, ToolError>> {
        let subject = Subject::Other {
            arguments: serde_json::to_string_pretty(&desk.call.args).unwrap_or_default(),
        };
        async { Ok(Asks::Person(subject)) }.boxed()
    }

    /// What the model is told when the person says no.
    fn denied(&self, feedback: Option<&str>) -> ToolError {
        ToolError::denied_by_person(feedback)
    }

    /// Whether the model is told that a call may wait for the ones before it. Every call may, told or not.
    fn waiting(&self) -> Waiting {
        Waiting::Unmentioned
    }

    /// Where the tool is from, when a server outside brings it along.
    fn outside(&self) -> Option<&Arc<ServerTool>> {
        None
    }

    /// Carries the call out.
    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>>;
}

/// Whether a schema mentions `wait_for_previous`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    Mentioned,
    Unmentioned,
}

/// How a person is asked about a call.
pub(crate) enum Asks {
    Person(Subject),
    /// As above, but nobody may say "always": the next such call may be another matter.
    PersonEachTime(Subject),
    /// The call will come to nothing by itself, so nobody is bothered.
    Nobody,
    /// By the tool itself, hunk by hunk, once it knows what it would change.
    InReview,
}

/// What a tool hands back when it worked.
#[derive(Debug, Default)]
pub(crate) struct ToolOutput {
    /// For the model.
    pub(crate) response: Map<String, Value>,
    /// For the model, beside the response: images and documents.
    pub(crate) attachments: Vec<Part>,
    /// For the person: a few words.
    pub(crate) summary: String,
    /// For the person: the file that was changed.
    pub(crate) edited: Option<EditedFile>,
    /// For the record: how.
    pub(crate) edit: Option<MadeEdit>,
    /// For the person: how a command ended.
    pub(crate) exit: Option<CommandExit>,
    /// For the record: the run of the sub-agent that did it.
    pub(crate) agent: Option<String>,
    /// Another call whose result stands for this one's.
    pub(crate) tail: Option<TailCall>,
}

/// What a tool wants done in its place.
#[derive(Debug)]
pub(crate) struct TailCall {
    pub(crate) name: String,
    pub(crate) args: Map<String, Value>,
}

impl ToolOutput {
    /// Nothing of its own.
    pub(crate) fn tail(call: TailCall) -> Self {
        Self {
            tail: Some(call),
            ..Self::default()
        }
    }

    /// Text for the model, and a few words for the person.
    pub(crate) fn text(output: impl Into<String>, summary: impl Into<String>) -> Self {
        let mut response = Map::new();
        response.insert("output".to_owned(), Value::String(output.into()));
        Self {
            response,
            summary: summary.into(),
            ..Self::default()
        }
    }
}
