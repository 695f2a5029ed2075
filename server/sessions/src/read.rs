//! Reading a session's file line by line, whatever is in it.
//!
//! A file may be torn, huge, or of another program. Memory is bounded by what one line may take and by what
//! the conversation itself holds.

mod lines;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde_json::{Map, Value};

use crate::conversation::{Conversation, Fold};
use crate::error::SessionError;
use crate::id::SessionId;
use crate::record::{Line, Message};
use lines::{Lines, Piece};

/// No line of a real conversation comes near this: a request to a model may not either.
const LINE_LIMIT: usize = 64 * 1024 * 1024;
/// An older twin wrote the conversation as one document.
const DOCUMENT_LIMIT: u64 = 256 * 1024 * 1024;
/// In how much of a file the session's id is looked for before the whole is read.
const HEAD_LIMIT: u64 = 4096;

/// Reads a file of either format.
pub fn read_session(path: &Path) -> Result<Conversation, SessionError> {
    read_fold(path, |message| message).map(Conversation::from)
}

/// Reads lines from anywhere. Without metadata the result is empty of it, and the caller decides.
pub fn read_stream(stream: impl BufRead) -> io::Result<Conversation> {
    let mut fold: Fold<Message> = Fold::new(|message| message);
    fold_lines(stream, LINE_LIMIT, &mut fold)?;
    Ok(Conversation::from(fold))
}

/// Reads a file, keeping of each message only what `keep` says.
pub(crate) fn read_fold<T>(path: &Path, keep: fn(Message) -> T) -> Result<Fold<T>, SessionError> {
    let failed = || SessionError::io(path);
    let mut fold = Fold::new(keep);
    let file = open(path)?;
    fold_lines(BufReader::new(&file), LINE_LIMIT, &mut fold).map_err(failed())?;
    if fold.metadata.is_complete() {
        return Ok(fold);
    }
    let document = read_document(path)?;
    let mut fold = Fold::new(keep);
    fold.apply(Line::Metadata(document));
    Ok(fold)
}

/// The id of the session in a file, without reading more of it than needed.
pub(crate) fn read_session_id(path: &Path) -> Result<SessionId, SessionError> {
    let mut head = Vec::new();
    open(path)?
        .take(HEAD_LIMIT)
        .read_to_end(&mut head)
        .map_err(SessionError::io(path))?;
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if let Some(Line::Metadata(fields)) = Line::parse(first)
        && let Some(Value::String(id)) = fields.get("sessionId")
    {
        return Ok(SessionId::new(id));
    }
    let fold = read_fold(path, drop)?;
    fold.metadata.session_id().ok_or_else(|| unreadable(path))
}

fn open(path: &Path) -> Result<File, SessionError> {
    // A pipe in the place of a session would hang whoever lists them.
    let metadata = std::fs::metadata(path).map_err(SessionError::io(path))?;
    if !metadata.is_file() {
        return Err(unreadable(path));
    }
    File::open(path).map_err(SessionError::io(path))
}

fn fold_lines<T>(stream: impl BufRead, limit: usize, fold: &mut Fold<T>) -> io::Result<()> {
    let mut lines = Lines::new(stream, limit);
    while let Some(piece) = lines.next()? {
        match piece {
            Piece::Line(text) if text.trim_ascii().is_empty() => {}
            Piece::Line(text) => match Line::parse(text) {
                Some(line) => fold.apply(line),
                None => fold.unreadable_lines += 1,
            },
            Piece::TooLong => fold.unreadable_lines += 1,
        }
    }
    Ok(())
}

fn read_document(path: &Path) -> Result<Map<String, Value>, SessionError> {
    let mut text = Vec::new();
    open(path)?
        .take(DOCUMENT_LIMIT + 1)
        .read_to_end(&mut text)
        .map_err(SessionError::io(path))?;
    if text.len() as u64 > DOCUMENT_LIMIT {
        return Err(SessionError::TooLarge {
            path: path.to_path_buf(),
        });
    }
    let text = lines::without_mark(&text);
    let document: Map<String, Value> =
        serde_json::from_slice(text).map_err(|_| unreadable(path))?;
    let is_session = document.get("sessionId").is_some_and(Value::is_string)
        && document.get("messages").is_some_and(Value::is_array);
    if is_session {
        Ok(document)
    } else {
        Err(unreadable(path))
    }
}

fn unreadable(path: &Path) -> SessionError {
    SessionError::Unreadable {
        path: path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests;
