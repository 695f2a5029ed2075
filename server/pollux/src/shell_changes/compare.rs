//! Changes, made of what was and what is.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::{ChangedFile, Changes, Content, FileThen, NotReversible};

use super::after::{Candidate, Candidates, held};
use super::before::Held;

/// So many are listed one by one.
const MOST_LISTED: usize = 1_000;

/// The names of the objects that git has to be asked for.
pub(super) fn objects(candidates: &Candidates) -> Vec<String> {
    let objects = candidates.files.values();
    objects
        .filter_map(|candidate| match &candidate.before {
            Some((_, Held::Git(oid))) => Some(oid.to_string()),
            _ => None,
        })
        .collect()
}

/// `objects` are the contents that git had.
pub(super) fn changes(
    candidates: Candidates,
    objects: &BTreeMap<String, Arc<[u8]>>,
    root: &std::path::Path,
) -> Changes {
    let mut changes = Changes::default();
    let beyond = candidates.beyond.len();
    for (path, candidate) in candidates.files {
        match judge(&candidate, objects) {
            Judged::Same => {}
            Judged::Changed(before, after) => changes.files.push(ChangedFile {
                path,
                moved_from: None,
                before,
                after,
            }),
            Judged::Lost(reason) => changes.not_reversible.push(NotReversible {
                path,
                reason: reason.to_owned(),
            }),
        }
    }
    let listed = candidates.beyond.into_iter().take(MOST_LISTED);
    changes
        .not_reversible
        .extend(listed.map(|path| NotReversible {
            path,
            reason: "too much has changed at once".to_owned(),
        }));
    if let Some(rest) = beyond.checked_sub(MOST_LISTED).filter(|rest| *rest > 0) {
        changes.not_reversible.push(NotReversible {
            path: root.to_path_buf(),
            reason: format!("{rest} more files have changed in it"),
        });
    }
    join_moves(&mut changes.files);
    changes
}

enum Judged {
    /// Only touched.
    Same,
    Changed(Option<FileThen>, Option<FileThen>),
    Lost(&'static str),
}

fn judge(candidate: &Candidate, objects: &BTreeMap<String, Arc<[u8]>>) -> Judged {
    let after = match &candidate.after {
        None => None,
        Some(now) => match now.file() {
            Some(file) => Some(file),
            None => return Judged::Lost("it is too large to be reviewed, or cannot be read"),
        },
    };
    let Some((stamp, kept)) = &candidate.before else {
        return Judged::Changed(None, after);
    };
    let content = match kept {
        Held::Git(oid) => match objects.get(&oid.to_string()) {
            // Line ends, filters: git would have to write the file to tell what it was.
            Some(bytes) if bytes.len() as u64 != stamp.size => {
                return Judged::Lost("git stores it in another form");
            }
            Some(bytes) => Content::Bytes(Arc::clone(bytes)),
            None => return Judged::Lost("git no longer has it"),
        },
        Held::Nowhere(why) => return Judged::Lost(why.words()),
        kept => match held(kept) {
            Some(content) => content,
            None => return Judged::Same,
        },
    };
    let before = FileThen {
        content,
        mode: stamp.mode,
    };
    match &after {
        Some(after) if is_same(&before, after) => Judged::Same,
        _ => Judged::Changed(Some(before), after),
    }
}

fn is_same(before: &FileThen, after: &FileThen) -> bool {
    let is_content = match (&before.content, &after.content) {
        (Content::Text(text), Content::Bytes(bytes)) => text.as_bytes() == &**bytes,
        (before, after) => before == after,
    };
    is_content && before.mode == after.mode
}

/// A text that an editor or a review has is on the disk as well, unless it was not saved.
fn bytes(content: &Content) -> Option<&[u8]> {
    match content {
        Content::Bytes(bytes) => Some(bytes),
        Content::Text(text) => Some(text.as_bytes()),
        Content::Link(_) => None,
    }
}

/// What was deleted here and has come up there was moved.
fn join_moves(files: &mut Vec<ChangedFile>) {
    let mut gone: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for (place, file) in files.iter().enumerate() {
        if let (Some(before), None) = (&file.before, &file.after)
            && let Some(bytes) = bytes(&before.content)
            // Empty files are all alike.
            && !bytes.is_empty()
        {
            gone.entry(bytes).or_default().push(place);
        }
    }
    let mut moves: Vec<(usize, usize)> = Vec::new();
    for (place, file) in files.iter().enumerate() {
        if let (None, Some(after)) = (&file.before, &file.after)
            && let Content::Bytes(bytes) = &after.content
            && let Some(from) = gone.get_mut(&**bytes).and_then(Vec::pop)
        {
            moves.push((from, place));
        }
    }
    let mut taken: Vec<Option<(PathBuf, Option<FileThen>)>> = vec![None; files.len()];
    let mut is_moved = vec![Moved::No; files.len()];
    for (from, to) in moves {
        let old = files
            .get(from)
            .map(|file| (file.path.clone(), file.before.clone()));
        if let (Some(slot), Some(mark)) = (taken.get_mut(to), is_moved.get_mut(from)) {
            (*slot, *mark) = (old, Moved::Away);
        }
    }
    let all = std::mem::take(files).into_iter();
    for ((mut file, old), moved) in all.zip(taken).zip(is_moved) {
        if moved == Moved::Away {
            continue;
        }
        if let Some((path, before)) = old {
            (file.moved_from, file.before) = (Some(path), before);
        }
        files.push(file);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    No,
    Away,
}
