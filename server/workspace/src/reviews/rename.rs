//! Files that get another name. Their reviews, comments and what can be undone go with them.
//!
//! A rename by a command belongs to its turn, and undoing the turn puts the name back. A rename by a person is theirs: it is told by the
//! editor, or found out when a file is opened that has just the text of one that is gone.

use std::path::{Path, PathBuf};

use pollux_agent::FileError;

use super::attempt::Attempt;
use super::book::Book;
use super::file::{DiskNews, Presence, UnderWay};
use super::hands::Hands;
use super::operation::{Deed, Operation, Planned};
use super::record::Job;
use super::road::Road;
use super::{Location, Work};
use crate::{DocumentKey, EditId};

/// So many files that are new are remembered: one of them may be one that is gone.
const MOST_APPEARED: usize = 64;

/// What a file is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) key: DocumentKey,
    pub(super) at: Location,
    /// For people.
    pub(super) path: PathBuf,
}

/// A name and the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Renamed {
    pub(super) from: Name,
    pub(super) to: Name,
}

impl Name {
    /// A file below a folder.
    pub(super) fn below(root: &Path, path: &Path) -> Self {
        Self {
            key: DocumentKey::File(path.to_owned()),
            at: Location {
                root: root.to_owned(),
                path: path.to_owned(),
            },
            path: path.strip_prefix(root).unwrap_or(path).to_owned(),
        }
    }
}

impl Book {
    /// A file gets another name. One that is not reviewed is taken up, so that everything else waits for its turn.
    pub(super) fn take_up_renamed(&mut self, hands: &Hands<'_>, renamed: &Renamed, text: &str) {
        let Name { key, at, path } = &renamed.from;
        let is_known = self.files.contains_key(key);
        let file = self.file(hands, key, at, path, text, Presence::FILE);
        if is_known {
            // A buffer may have had what the disk has not.
            file.disk = DiskNews::Unread;
        }
        self.rename(hands, renamed);
    }

    /// A person has renamed a file or a folder.
    pub(crate) fn renamed_by_person(&mut self, hands: &Hands<'_>, from: &Path, to: &Path) {
        let mut known: Vec<(PathBuf, PathBuf)> = Vec::new();
        let reviewed = self.files.iter().map(|(key, file)| (key, &file.at));
        for (key, at) in reviewed.chain(self.history.places()) {
            let DocumentKey::File(path) = key else {
                continue;
            };
            let place = (at.root.clone(), path.clone());
            if path.starts_with(from) && !known.contains(&place) {
                known.push(place);
            }
        }
        for (root, path) in known {
            let Ok(rest) = path.strip_prefix(from) else {
                continue;
            };
            let target = match rest.as_os_str().is_empty() {
                true => to.to_owned(),
                false => to.join(rest),
            };
            let renamed = Renamed {
                from: Name::below(&root, &path),
                to: Name::below(&root, &target),
            };
            self.rename(hands, &renamed);
            self.advance(hands, &renamed.to.key);
        }
    }

    /// A file was opened that nobody has reviewed. It may be one of another name: then that one is gone.
    pub(super) fn look_for_renamed(&self, hands: &Hands<'_>, to: &DocumentKey) {
        let Some(view) = hands.views(to).first() else {
            return;
        };
        let length = view.text.len_bytes();
        let found = self.files.iter().find(|(key, file)| {
            let current = match &file.gone {
                Some(gone) => gone.review.current(),
                None => file.review.current(),
            };
            // Empty files are all alike.
            length > 0
                && current.len_bytes() == length
                && hands.views(key).is_empty()
                && view.text.is(&current.to_string())
        });
        let Some((from, file)) = found else {
            return;
        };
        let (at, from, to) = (file.at.clone(), from.clone(), to.clone());
        hands.elsewhere(
            move |disk| match disk.read(&at) {
                Ok(None) => Work::Gone { from, to },
                Ok(Some(_)) | Err(_) => Work::Removed,
            },
            || Work::Removed,
        );
    }

    /// A file that nobody has reviewed is new, or has changed.
    pub(super) fn appeared(&mut self, path: &Path) {
        if self.appeared.len() >= MOST_APPEARED {
            self.appeared.pop_front();
        }
        self.appeared.push_back(path.to_owned());
    }

    /// A file with something to decide is gone. It may lie somewhere else by now.
    pub(super) fn look_for_moved(&self, hands: &Hands<'_>, key: &DocumentKey) {
        let Some(file) = self.files.get(key) else {
            return;
        };
        // An empty one could be any.
        let text = file
            .gone
            .as_ref()
            .map(|state| state.review.current().to_string())
            .filter(|text| !text.is_empty());
        let (Some(text), DocumentKey::File(from)) = (text, key) else {
            return;
        };
        let (at, from) = (file.at.clone(), from.clone());
        let is_known = |path: &PathBuf| self.files.contains_key(&DocumentKey::File(path.clone()));
        let candidates: Vec<PathBuf> = self
            .appeared
            .iter()
            .filter(|path| !is_known(path))
            .cloned()
            .collect();
        hands.elsewhere(
            move |disk| match disk.find_moved(&at, &text, &candidates) {
                Some(to) if to != from => Work::Gone {
                    from: DocumentKey::File(from),
                    to: DocumentKey::File(to),
                },
                _ => Work::Removed,
            },
            || Work::Removed,
        );
    }

    /// One that was looked for is gone.
    pub(super) fn gone(&mut self, hands: &Hands<'_>, from: &DocumentKey, to: &DocumentKey) {
        if let (DocumentKey::File(from), DocumentKey::File(to)) = (from, to) {
            self.renamed_by_person(hands, from, to);
        }
    }

    /// Everything that is known of a file is known of another name from now on.
    pub(super) fn rename(&mut self, hands: &Hands<'_>, renamed: &Renamed) {
        let Renamed { from, to } = renamed;
        self.history.rename(from, to);
        if self.files.contains_key(&to.key) {
            return;
        }
        let Some(mut file) = self.files.remove(&from.key) else {
            return;
        };
        file.come_back();
        file.at = to.at.clone();
        file.path.clone_from(&to.path);
        file.in_step.clear();
        file.behind.clear();
        file.reading = None;
        file.saving = None;
        // It was on its way to a file that is not there any more.
        if let Some(under_way) = file.under_way.take() {
            file.queue.push_front(under_way.operation);
        }
        self.files.insert(to.key.clone(), file);
        let comments = self.comments.rename(&from.key, &to.key, &to.path);
        let rejected = self.rejected.rename(&from.key, to);
        if let Some(recorder) = self.recorders.get(&to.at.root) {
            recorder.send(Job::Settled(from.key.clone()));
            recorder.send(Job::CommentsGone(
                comments.iter().map(|comment| comment.id).collect(),
            ));
            for comment in comments {
                recorder.send(Job::Comment {
                    key: to.key.clone(),
                    line: comment.line,
                    text: comment.text,
                    id: comment.id,
                });
            }
            for (recorded, hunk) in rejected {
                recorder.send(Job::RejectedGone(recorded));
                recorder.send(Job::Rejected(hunk));
            }
        }
        if let Some(file) = self.files.get_mut(&to.key) {
            file.follow(hands, &to.key);
            file.look_around(hands, &to.key);
        }
        self.hold(&to.key);
        self.touch(&from.key);
        self.touch(&to.key);
    }

    /// Sets a rename on its way over the disk.
    pub(super) fn set_out_renaming(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        operation: Operation,
        planned: Planned,
        attempt: Attempt,
        id: EditId,
    ) {
        let (Deed::Rename { to, .. }, Some(file)) = (&operation.deed, self.files.get_mut(key))
        else {
            return;
        };
        let (from, to) = (file.at.clone(), to.at.clone());
        let (one, other) = (key.clone(), key.clone());
        hands.elsewhere(
            move |disk| Work::Renamed {
                key: one,
                id,
                result: disk.rename(&from, &to),
            },
            move || Work::Renamed {
                key: other,
                id,
                result: Err(FileError::NotFound),
            },
        );
        let text = file.review.current().to_string();
        file.under_way = Some(UnderWay {
            operation,
            session: None,
            planned,
            before: text.clone(),
            expected: text,
            road: Road::Disk { id },
            attempt,
        });
    }

    pub(super) fn rename_done(
        &mut self,
        hands: &Hands<'_>,
        key: &DocumentKey,
        id: EditId,
        result: Result<(), FileError>,
    ) {
        if !self.waits_for(key, id) {
            return;
        }
        let Some(file) = self.files.get_mut(key) else {
            return;
        };
        let from = Name {
            key: key.clone(),
            at: file.at.clone(),
            path: file.path.clone(),
        };
        let Some(under_way) = file.under_way.take() else {
            return;
        };
        let mut now = key.clone();
        match (result, under_way.operation.deed.clone()) {
            (Err(error), _) => {
                tracing::warn!(%error, "a name could not be put back");
                self.give_up(hands, key, under_way.operation, Err(error));
            }
            (Ok(()), Deed::Rename { to, .. }) => {
                // The record has it under the name that it had.
                self.commit(hands, key, under_way.operation, under_way.planned);
                now = to.key.clone();
                self.rename(hands, &Renamed { from, to });
            }
            (Ok(()), _) => {}
        }
        self.advance(hands, &now);
    }
}
