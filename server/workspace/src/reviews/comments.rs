//! What people write beside lines, for the model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_text::{Edit, Splice};

use super::record::RecoveredComment;
use crate::{AnsweredComment, Comment, CommentId, CommentSent, DocumentKey, Origin};

/// A message to the model is never longer than this, in bytes.
const LONGEST_MESSAGE: usize = 32 * 1024;

/// So many answered comments are remembered.
const MOST_ANSWERED: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Comments {
    open: Vec<Stored>,
    answered: Vec<AnsweredComment>,
}

#[derive(Debug)]
struct Stored {
    key: DocumentKey,
    path: PathBuf,
    comment: Comment,
}

impl Comments {
    pub(super) fn add(&mut self, key: &DocumentKey, path: PathBuf, comment: Comment) {
        self.open.push(Stored {
            key: key.clone(),
            path,
            comment,
        });
    }

    pub(super) fn found(&mut self, id: CommentId, path: PathBuf, found: RecoveredComment) {
        let comment = Comment {
            id,
            line: found.line,
            text: found.text.into(),
            sent: CommentSent::NotYet,
        };
        self.add(&found.key, path, comment);
    }

    pub(super) fn join(&mut self, other: Self) {
        self.open.extend(other.open);
        self.answered.extend(other.answered);
    }

    /// A file has another name. Says what is written in it.
    pub(super) fn rename(
        &mut self,
        from: &DocumentKey,
        to: &DocumentKey,
        path: &Path,
    ) -> Vec<Comment> {
        let here = self.open.iter_mut().filter(|stored| stored.key == *from);
        here.map(|stored| {
            stored.key = to.clone();
            stored.path = path.to_owned();
            stored.comment.clone()
        })
        .collect()
    }

    /// The file it stood in, if it was there.
    pub(super) fn remove(&mut self, id: CommentId) -> Option<DocumentKey> {
        let at = self
            .open
            .iter()
            .position(|stored| stored.comment.id == id)?;
        Some(self.open.remove(at).key)
    }

    pub(super) fn of<'a>(&'a self, key: &'a DocumentKey) -> impl Iterator<Item = &'a Comment> {
        let here = self.open.iter().filter(move |stored| stored.key == *key);
        here.map(|stored| &stored.comment)
    }

    pub(super) fn has(&self, key: &DocumentKey) -> bool {
        self.of(key).next().is_some()
    }

    /// Whether something is written there that the model has not been told.
    pub(super) fn wait_in(&self, key: &DocumentKey) -> bool {
        self.of(key)
            .any(|comment| comment.sent == CommentSent::NotYet)
    }

    pub(super) fn path_of(&self, key: &DocumentKey) -> Option<PathBuf> {
        let here = self.open.iter().find(|stored| stored.key == *key)?;
        Some(here.path.clone())
    }

    pub(super) fn answered(&self) -> Arc<[AnsweredComment]> {
        self.answered.iter().cloned().collect()
    }

    /// The files in which something is written.
    pub(super) fn files(&self) -> Vec<DocumentKey> {
        self.open.iter().map(|stored| stored.key.clone()).collect()
    }

    /// All that was not sent yet, as one message; `line` gives the text of a line.
    pub(super) fn take(
        &mut self,
        line: impl Fn(&DocumentKey, usize) -> Option<String>,
    ) -> Option<String> {
        let mut message = String::from("The person commented on these lines:\n");
        let mut left_out = 0;
        let fresh = self
            .open
            .iter_mut()
            .filter(|stored| stored.comment.sent == CommentSent::NotYet);
        let mut any = false;
        for stored in fresh {
            any = true;
            let quoted = line(&stored.key, stored.comment.line).unwrap_or_default();
            let told = format!(
                "\n<comment path=\"{}\" line=\"{}\">\n> {}\n{}\n</comment>\n",
                stored.path.display(),
                stored.comment.line + 1,
                quoted.trim_end(),
                stored.comment.text
            );
            // What does not fit goes with the next message.
            if message.len() + told.len() > LONGEST_MESSAGE {
                left_out += 1;
                continue;
            }
            message.push_str(&told);
            stored.comment.sent = CommentSent::Yes;
        }
        if left_out > 0 {
            message.push_str(&format!("\n{left_out} more comments follow later.\n"));
        }
        any.then_some(message)
    }

    /// An edit of the editor moves the lines behind it.
    pub(super) fn edited(&mut self, key: &DocumentKey, edit: &Edit) {
        let Edit::Splice { range, text } = edit else {
            return;
        };
        let lines = range.start.line as usize..range.end.line as usize;
        self.shift(key, lines, text.matches('\n').count());
    }

    /// The text of a file has changed.
    pub(super) fn changed(&mut self, key: &DocumentKey, before: &str, after: &str) {
        for lines in moved(before, after).into_iter().rev() {
            self.shift(key, lines.at..lines.at + lines.removed, lines.added);
        }
    }

    /// The agent has changed lines that it was told about: those comments are answered, and go.
    pub(super) fn answer(
        &mut self,
        key: &DocumentKey,
        before: &str,
        after: &str,
        origin: &Origin,
    ) -> Vec<CommentId> {
        let touched = moved(before, after);
        let mut gone = Vec::new();
        self.open.retain(|stored| {
            let line = stored.comment.line;
            let is_touched = touched
                .iter()
                .any(|lines| (lines.at..lines.at + lines.removed.max(1)).contains(&line));
            if stored.key != *key || stored.comment.sent == CommentSent::NotYet || !is_touched {
                return true;
            }
            gone.push(AnsweredComment {
                comment: stored.comment.clone(),
                key: key.clone(),
                by: origin.clone(),
            });
            false
        });
        let ids = gone.iter().map(|answered| answered.comment.id).collect();
        self.answered.append(&mut gone);
        let surplus = self.answered.len().saturating_sub(MOST_ANSWERED);
        self.answered.drain(..surplus);
        ids
    }

    fn shift(&mut self, key: &DocumentKey, lines: std::ops::Range<usize>, added: usize) {
        for stored in self.open.iter_mut().filter(|stored| stored.key == *key) {
            let line = &mut stored.comment.line;
            if *line >= lines.end && *line >= lines.start {
                *line = *line - lines.len() + added;
            } else if *line > lines.start {
                *line = lines.start;
            }
        }
    }
}

/// Lines that gave way to others.
struct Moved {
    at: usize,
    removed: usize,
    added: usize,
}

fn moved(before: &str, after: &str) -> Vec<Moved> {
    let count = |text: &str| pollux_text::lines(text).len();
    let splices = Splice::between(before, after);
    let lines = splices.iter().map(|splice| Moved {
        at: count(before.get(..splice.range.start).unwrap_or_default()),
        removed: count(before.get(splice.range.clone()).unwrap_or_default()),
        added: count(&splice.text),
    });
    lines.collect()
}
