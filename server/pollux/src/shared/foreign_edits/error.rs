//! Errors of files, as they are told to another process.

use std::io;

use pollux_agent::FileError;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireError {
    kind: Kind,
    /// Of the system's error, if there is one.
    cause: Option<Cause>,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    NotFound,
    IsFolder,
    OutsideWorkspace,
    NotText,
    Changed,
    Exists,
    NotTaken,
    Stopped,
    NotRecorded,
    #[serde(other)]
    Unwritable,
}

/// Those that somebody acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Cause {
    Busy,
    Full,
    Denied,
    #[serde(other)]
    Other,
}

impl From<FileError> for WireError {
    fn from(error: FileError) -> Self {
        let kind = match &error {
            FileError::NotFound => Kind::NotFound,
            FileError::IsFolder => Kind::IsFolder,
            FileError::OutsideWorkspace => Kind::OutsideWorkspace,
            FileError::NotText => Kind::NotText,
            FileError::Changed => Kind::Changed,
            FileError::Exists => Kind::Exists,
            FileError::NotTaken => Kind::NotTaken,
            FileError::Stopped => Kind::Stopped,
            FileError::NotRecorded { .. } => Kind::NotRecorded,
            FileError::TooLarge { .. }
            | FileError::Unencodable(_)
            | FileError::Unreadable { .. }
            | FileError::Unwritable { .. } => Kind::Unwritable,
        };
        let (cause, text) = match &error {
            FileError::NotRecorded { source }
            | FileError::Unwritable { source }
            | FileError::Unreadable { source } => (Some(Cause::of(source)), source.to_string()),
            error => (None, error.to_string()),
        };
        Self { kind, cause, text }
    }
}

impl From<WireError> for FileError {
    fn from(error: WireError) -> Self {
        let source = || {
            let kind = error
                .cause
                .map_or(io::ErrorKind::Other, |cause| cause.kind());
            io::Error::new(kind, error.text.clone())
        };
        match error.kind {
            Kind::NotFound => Self::NotFound,
            Kind::IsFolder => Self::IsFolder,
            Kind::OutsideWorkspace => Self::OutsideWorkspace,
            Kind::NotText => Self::NotText,
            Kind::Changed => Self::Changed,
            Kind::Exists => Self::Exists,
            Kind::NotTaken => Self::NotTaken,
            Kind::Stopped => Self::Stopped,
            Kind::NotRecorded => Self::NotRecorded { source: source() },
            Kind::Unwritable => Self::Unwritable { source: source() },
        }
    }
}

impl Cause {
    fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ResourceBusy => Self::Busy,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::Denied,
            _ => Self::Other,
        }
    }

    fn kind(self) -> io::ErrorKind {
        match self {
            Self::Busy => io::ErrorKind::ResourceBusy,
            Self::Full => io::ErrorKind::StorageFull,
            Self::Denied => io::ErrorKind::PermissionDenied,
            Self::Other => io::ErrorKind::Other,
        }
    }
}
