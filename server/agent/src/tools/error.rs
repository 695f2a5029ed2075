use serde_json::{Map, Value};

use crate::api::ToolOutcome;
use crate::{FileError, PathError};

/// Why a tool call came to nothing. The text goes to the model, so it says what to send instead.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error("there is no tool `{name}`; the tools are: {known}")]
    NotRegistered { name: String, known: String },
    #[error("`{name}` {must_be}")]
    InvalidParams {
        name: &'static str,
        must_be: &'static str,
    },
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "old_string does not occur in the file; read it again with read_file and copy the text exactly, \
         blanks and indentation included"
    )]
    NoOccurrence,
    #[error(
        "old_string occurs {count} times; add lines around it until it is unique, or set allow_multiple"
    )]
    SeveralOccurrences { count: usize },
    #[error(
        "the file would stay as it is, because old_string and new_string come to the same text"
    )]
    NoChange,
    #[error(
        "the file exists, and an empty old_string stands for a new file; send the text to replace"
    )]
    FileExists,
    /// Its own outcome: not a fault of the tool or of the model.
    #[error("[Operation Cancelled] the turn was stopped")]
    Cancelled,
    #[error("the tool broke down; this is a fault in Pollux")]
    Panicked,
}

impl ToolError {
    /// The type under which the twin knows this error.
    pub(crate) fn error_type(&self) -> &'static str {
        match self {
            Self::NotRegistered { .. } => "tool_not_registered",
            Self::InvalidParams { .. } => "invalid_tool_params",
            Self::Path(PathError::Empty | PathError::ControlCharacter) => "invalid_tool_params",
            Self::Path(PathError::OutsideWorkspace | PathError::Closed { .. }) => {
                "path_not_in_workspace"
            }
            Self::File(FileError::OutsideWorkspace) => "path_not_in_workspace",
            Self::File(FileError::NotFound) => "file_not_found",
            Self::File(FileError::IsFolder) => "target_is_directory",
            Self::File(FileError::TooLarge { .. }) => "file_too_large",
            Self::File(FileError::NotText | FileError::Unreadable { .. }) => "read_content_failure",
            Self::File(FileError::Exists) => "attempt_to_create_existing_file",
            Self::File(
                FileError::Changed | FileError::Unencodable(_) | FileError::Unwritable { .. },
            ) => "file_write_failure",
            Self::NoOccurrence => "edit_no_occurrence_found",
            Self::SeveralOccurrences { .. } => "edit_expected_occurrence_mismatch",
            Self::NoChange => "edit_no_change",
            Self::FileExists => "attempt_to_create_existing_file",
            Self::Cancelled => "cancelled",
            Self::Panicked => "unhandled_exception",
        }
    }

    /// What the person sees.
    pub(crate) fn outcome(&self) -> ToolOutcome {
        match self {
            Self::Cancelled => ToolOutcome::Cancelled,
            _ => ToolOutcome::Failed {
                error_type: self.error_type(),
                message: self.message_for_person(),
            },
        }
    }

    /// Without the advice to the model, which means nothing to a person.
    fn message_for_person(&self) -> String {
        match self {
            Self::NoOccurrence => "the text to replace is not in the file".to_owned(),
            Self::SeveralOccurrences { count } => {
                format!("the text to replace is in the file {count} times")
            }
            Self::NoChange => "it would change nothing".to_owned(),
            Self::FileExists => "the file exists already".to_owned(),
            _ => self.to_string(),
        }
    }

    /// What the model sees.
    pub(crate) fn response(&self) -> Map<String, Value> {
        let mut response = Map::new();
        response.insert("error".to_owned(), self.to_string().into());
        response.insert("error_type".to_owned(), self.error_type().into());
        response
    }
}
