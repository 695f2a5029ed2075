use serde_json::{Map, Value};

use crate::api::ToolOutcome;
use crate::{FileError, PathError};

/// Why a tool call came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolError {
    kind: ErrorKind,
    /// For the model: says what to send instead.
    told: String,
    /// For the person, where that differs: without advice that means nothing to them.
    shown: Option<String>,
    /// What there was before it failed, such as the output of a command that was stopped.
    partial: Option<String>,
    denial: Option<Denial>,
    /// For the record: the run of the sub-agent that failed.
    agent: Option<String>,
}

/// How a person said no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denial {
    Plain,
    WithAdvice,
}

/// The types under which the twin knows errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    PolicyViolation,
    InvalidParams,
    NotRegistered,
    ExecutionFailed,
    FileNotFound,
    FileWriteFailure,
    ReadContentFailure,
    FileExists,
    FileTooLarge,
    PermissionDenied,
    NoSpaceLeft,
    /// The review could not take an edit down, so it was not made.
    NotRecorded,
    TargetIsDirectory,
    PathNotInWorkspace,
    SearchPathNotFound,
    NoOccurrence,
    OccurrenceMismatch,
    NoChange,
    Glob,
    Grep,
    List,
    PathIsNotADirectory,
    ReadManyFiles,
    Shell,
    Discovered,
    FetchFallback,
    FetchProcessing,
    WebSearch,
    /// A tool of a server.
    Server,
    /// A hook has ended the turn with this call.
    Stopped,
    Panicked,
    /// Its own outcome: not a fault of the tool or of the model.
    Cancelled,
}

impl ErrorKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::PolicyViolation => "policy_violation",
            Self::InvalidParams => "invalid_tool_params",
            Self::NotRegistered => "tool_not_registered",
            Self::ExecutionFailed => "execution_failed",
            Self::FileNotFound => "file_not_found",
            Self::FileWriteFailure => "file_write_failure",
            Self::ReadContentFailure => "read_content_failure",
            Self::FileExists => "attempt_to_create_existing_file",
            Self::FileTooLarge => "file_too_large",
            Self::PermissionDenied => "permission_denied",
            Self::NoSpaceLeft => "no_space_left",
            Self::NotRecorded => "edit_not_recorded",
            Self::TargetIsDirectory => "target_is_directory",
            Self::PathNotInWorkspace => "path_not_in_workspace",
            Self::SearchPathNotFound => "search_path_not_found",
            Self::NoOccurrence => "edit_no_occurrence_found",
            Self::OccurrenceMismatch => "edit_expected_occurrence_mismatch",
            Self::NoChange => "edit_no_change",
            Self::Glob => "glob_execution_error",
            Self::Grep => "grep_execution_error",
            Self::List => "ls_execution_error",
            Self::PathIsNotADirectory => "path_is_not_a_directory",
            Self::ReadManyFiles => "read_many_files_search_error",
            Self::Shell => "shell_execute_error",
            Self::Discovered => "discovered_tool_execution_error",
            Self::FetchFallback => "web_fetch_fallback_failed",
            Self::FetchProcessing => "web_fetch_processing_error",
            Self::WebSearch => "web_search_failed",
            Self::Server => "mcp_tool_error",
            Self::Stopped => "stop_execution",
            Self::Panicked => "unhandled_exception",
            Self::Cancelled => "cancelled",
        }
    }
}

impl ToolError {
    pub(crate) fn new(kind: ErrorKind, told: impl Into<String>) -> Self {
        Self {
            kind,
            told: told.into(),
            shown: None,
            partial: None,
            denial: None,
            agent: None,
        }
    }

    /// With other words for the person.
    pub(crate) fn shown_as(mut self, shown: impl Into<String>) -> Self {
        self.shown = Some(shown.into());
        self
    }

    /// With what there was before it failed.
    pub(crate) fn after(mut self, partial: impl Into<String>) -> Self {
        self.partial = Some(partial.into());
        self
    }

    /// Of this run of a sub-agent.
    pub(crate) fn of_agent(mut self, run: String) -> Self {
        self.agent = Some(run);
        self
    }

    pub(crate) fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// With something else that the model is told.
    pub(crate) fn with_note(mut self, note: &str) -> Self {
        // Whoever reads the short words needs no note.
        self.shown.get_or_insert_with(|| self.told.clone());
        self.told.push_str("\n\n");
        self.told.push_str(note);
        self
    }

    pub(crate) fn invalid(told: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidParams, told)
    }

    /// The turn was stopped.
    pub(crate) fn cancelled() -> Self {
        Self::new(
            ErrorKind::Cancelled,
            "[Operation Cancelled] the turn was stopped",
        )
    }

    /// It was this call alone that a person has stopped; the turn goes on.
    pub(crate) fn by_person(self) -> Self {
        Self {
            told: "[Operation Cancelled] The user has stopped this call. Go on without it."
                .to_owned(),
            ..self
        }
    }

    /// The person said no.
    pub(crate) fn denied_by_person(feedback: Option<&str>) -> Self {
        let told = match feedback {
            None => "[Operation Cancelled] User denied execution.".to_owned(),
            Some(feedback) => {
                format!("[Operation Cancelled] User denied execution. They say: {feedback}")
            }
        };
        Self::denied(told, feedback)
    }

    /// The person said no, in the words of the tool that asked.
    pub(crate) fn denied(told: impl Into<String>, feedback: Option<&str>) -> Self {
        Self {
            denial: Some(match feedback {
                None => Denial::Plain,
                Some(_) => Denial::WithAdvice,
            }),
            ..Self::new(ErrorKind::Cancelled, told)
        }
    }

    /// An earlier call of the same answer was denied.
    pub(crate) fn called_off() -> Self {
        Self::new(
            ErrorKind::Cancelled,
            "[Operation Cancelled] an earlier call was denied, so this one was not made",
        )
    }

    pub(crate) fn panicked() -> Self {
        Self::new(
            ErrorKind::Panicked,
            "the tool broke down; this is a fault in Pollux",
        )
    }

    /// Whether a person did not want the call.
    pub(crate) fn denial(&self) -> Option<Denial> {
        self.denial
    }

    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What the person sees.
    pub(crate) fn outcome(&self) -> ToolOutcome {
        match self.kind {
            ErrorKind::Cancelled => ToolOutcome::Cancelled,
            kind => ToolOutcome::Failed {
                error_type: kind.name(),
                message: self.shown.clone().unwrap_or_else(|| self.told.clone()),
            },
        }
    }

    /// What the model sees.
    pub(crate) fn response(&self) -> Map<String, Value> {
        let mut response = Map::new();
        response.insert("error".to_owned(), self.told.as_str().into());
        if self.kind != ErrorKind::Cancelled {
            response.insert("error_type".to_owned(), self.kind.name().into());
        }
        if let Some(partial) = &self.partial {
            response.insert("output".to_owned(), partial.as_str().into());
        }
        response
    }
}

impl ToolError {
    /// A path that no tool may use.
    pub(crate) fn path(spelled: &str, error: &PathError) -> Self {
        match error {
            PathError::Empty | PathError::ControlCharacter | PathError::LogFragment => {
                Self::invalid(error.to_string())
            }
            PathError::OutsideWorkspace | PathError::Closed { .. } => {
                let told = format!(
                    "Path not in workspace: Attempted path \"{spelled}\" is refused: {error}"
                );
                Self::new(ErrorKind::PathNotInWorkspace, told).shown_as(error.to_string())
            }
        }
    }
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        let kind = match &error {
            FileError::OutsideWorkspace => ErrorKind::PathNotInWorkspace,
            FileError::NotFound => ErrorKind::FileNotFound,
            FileError::IsFolder => ErrorKind::TargetIsDirectory,
            FileError::TooLarge { .. } => ErrorKind::FileTooLarge,
            FileError::NotText | FileError::Unreadable { .. } => ErrorKind::ReadContentFailure,
            FileError::Unwritable { source } => match source.kind() {
                std::io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                    ErrorKind::NoSpaceLeft
                }
                _ => ErrorKind::FileWriteFailure,
            },
            FileError::NotRecorded { source } => match source.kind() {
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                    ErrorKind::NoSpaceLeft
                }
                _ => ErrorKind::NotRecorded,
            },
            FileError::Changed
            | FileError::NotTaken
            | FileError::Stopped
            | FileError::Unencodable(_) => ErrorKind::FileWriteFailure,
            FileError::Exists => ErrorKind::FileExists,
        };
        Self::new(kind, error.to_string())
    }
}
