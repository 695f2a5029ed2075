//! The thread that writes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, SystemTime};

use pollux_ledger::{
    Draft, Durability, FileState, Hash, HunkText, Ledger, LedgerError, Limits, NewRejected, OpId,
    Opened, Texts,
};
use serde_json::{Value, json};
use tracing::warn;

use super::{Held, Intent, Job, Names, recorded_key, recorded_origin, recovery, whose};
use crate::inbox::WeakInbox;
use crate::reviews::file::{Existence, State};
use crate::reviews::rejected::RecordedAs;
use crate::reviews::{Disk, ReviewWork, Work};
use crate::{EditId, Input, Origin, RejectedHunk};

/// Larger wishes of the agent are not kept beside a pending review.
const LONGEST_WISH: usize = 1 << 20;

/// So much is written down before the disk is waited for.
const MOST_AT_ONCE: usize = 4_096;

/// How long it is waited for a record that somebody else has open.
const PATIENCE: u32 = 40;
const PAUSE: Duration = Duration::from_millis(50);

/// What the thread has to work with.
pub(super) struct Desk {
    pub(super) base: PathBuf,
    pub(super) root: PathBuf,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) inbox: WeakInbox,
}

impl Desk {
    pub(super) fn run(self, jobs: &Receiver<Job>) {
        let opened = self.open();
        let (mut ledger, recovered) = match opened {
            Ok((mut ledger, opened)) => {
                for problem in &opened.problems {
                    warn!(
                        line = problem.line,
                        what = problem.what,
                        "a line of the record"
                    );
                }
                let mut recovered =
                    recovery::recovered(&mut ledger, &opened, &*self.disk, &self.root);
                recovered.root.clone_from(&self.root);
                (Some(ledger), recovered)
            }
            Err(error) => {
                warn!(%error, "reviews are not recorded");
                let recovered = recovery::Recovered {
                    root: self.root.clone(),
                    ..recovery::Recovered::default()
                };
                (None, recovered)
            }
        };
        let comments = recovered.comments.iter();
        let mut names = Names {
            comments: comments
                .map(|(id, _)| (crate::CommentId(id.0), *id))
                .collect(),
            ..Names::default()
        };
        self.post(Work::Recovered(Box::new(recovered)));
        let mut under_way = BTreeMap::new();
        while let Ok(first) = jobs.recv() {
            let mut batch = vec![first];
            batch.extend(jobs.try_iter().take(MOST_AT_ONCE));
            let Some(ledger) = &mut ledger else {
                // Nobody may wait for what cannot be written.
                for job in batch {
                    if let Job::Intend(intent) = job {
                        self.intended(&intent, None);
                    }
                }
                continue;
            };
            self.write_all(ledger, batch, &mut under_way, &mut names);
        }
    }

    /// A host that ends may still be at the last lines of its own.
    fn open(&self) -> Result<(Ledger, Opened), LedgerError> {
        let mut attempts = 0;
        loop {
            let opened = Ledger::open(
                &self.base,
                &self.root,
                Limits::default(),
                Durability::default(),
            );
            match opened {
                Err(LedgerError::InUse { .. }) if attempts < PATIENCE => {
                    attempts += 1;
                    // Nobody wakes this thread: there is no event for a lock that becomes free.
                    std::thread::park_timeout(PAUSE);
                }
                opened => return opened,
            }
        }
    }

    fn post(&self, work: Work) {
        if let Some(inbox) = self.inbox.upgrade() {
            inbox.post(Input::ReviewWork(ReviewWork(work)));
        }
    }

    fn intended(&self, intent: &Intent, group: Option<pollux_ledger::GroupId>) {
        self.post(Work::Recorded {
            key: intent.key.clone(),
            id: intent.id,
            group,
        });
    }

    /// Writes in the order of the jobs, and waits for the disk once: a decision about a thousand files is as many operations.
    fn write_all(
        &self,
        ledger: &mut Ledger,
        jobs: Vec<Job>,
        under_way: &mut BTreeMap<EditId, OpId>,
        names: &mut Names,
    ) {
        // Texts come before the lines that name them, all of them, so that their folder too is waited for only once.
        let jobs: Vec<_> = jobs
            .into_iter()
            .map(|job| Prepared::new(ledger, job))
            .collect();
        let mut intended = Vec::new();
        for job in jobs {
            let written = match job {
                Prepared::Intent(intent, draft) => {
                    let written = draft
                        .and_then(|draft| ledger.intend_unsynced(vec![*draft], SystemTime::now()));
                    let group = written.as_ref().ok().map(|written| written.group);
                    let ids = written.map(|written| {
                        under_way.extend(written.ids.iter().map(|op| (intent.id, *op)));
                    });
                    intended.push((intent, group));
                    ids
                }
                Prepared::Rejected(hunk, texts) => {
                    texts.and_then(|texts| keep_rejected(ledger, hunk, texts, names))
                }
                Prepared::Line(job) => write(ledger, job, under_way, names),
            };
            if let Err(error) = written {
                warn!(%error, "something was not recorded");
            }
        }
        if intended.is_empty() {
            return;
        }
        let synced = ledger.sync();
        if let Err(error) = &synced {
            warn!(%error, "the record is not safe yet");
        }
        for (intent, group) in intended {
            self.intended(&intent, group);
        }
    }
}

/// A job whose texts are put.
enum Prepared {
    Intent(Box<Intent>, Result<Box<Draft>, LedgerError>),
    Rejected(RejectedHunk, Result<[HunkText; 2], LedgerError>),
    /// It has none, or they may come with its line.
    Line(Job),
}

impl Prepared {
    fn new(ledger: &mut Ledger, job: Job) -> Self {
        match job {
            Job::Intend(intent) => {
                let draft = draft(ledger, &intent).map(Box::new);
                Self::Intent(intent, draft)
            }
            Job::Rejected(hunk) => {
                let removed = ledger.put_hunk(&hunk.removed);
                let texts =
                    removed.and_then(|removed| Ok([removed, ledger.put_hunk(&hunk.added)?]));
                Self::Rejected(hunk, texts)
            }
            job => Self::Line(job),
        }
    }
}

fn keep_rejected(
    ledger: &mut Ledger,
    hunk: RejectedHunk,
    [removed, added]: [HunkText; 2],
    names: &mut Names,
) -> Result<(), LedgerError> {
    let recorded = ledger.keep_rejected(NewRejected {
        key: recorded_key(&hunk.key),
        path: hunk.path,
        line: hunk.line,
        removed,
        added,
        origin: None,
    })?;
    names.rejected.insert(hunk.id, recorded);
    Ok(())
}

fn write(
    ledger: &mut Ledger,
    job: Job,
    under_way: &mut BTreeMap<EditId, OpId>,
    names: &mut Names,
) -> Result<(), LedgerError> {
    match job {
        // These come with their texts.
        Job::Intend(_) | Job::Rejected(_) => Ok(()),
        Job::Done { id, now } => {
            if let Some(op) = under_way.remove(&id) {
                ledger.done(op)?;
            }
            match now {
                Some(held) => hold(ledger, &held),
                None => Ok(()),
            }
        }
        Job::Held(held) => hold(ledger, &held),
        Job::Abandoned(id) => match under_way.remove(&id) {
            Some(op) => ledger.abandon(op),
            None => Ok(()),
        },
        Job::Settled(key) => ledger.settle(recorded_key(&key)),
        Job::RejectedGone(recorded) => {
            let recorded = match recorded {
                RecordedAs::Handed(id) => names.rejected.remove(&id),
                RecordedAs::Found(id) => Some(id),
            };
            match recorded {
                Some(id) => ledger.remove_rejected(id),
                None => Ok(()),
            }
        }
        Job::Comment {
            key,
            line,
            text,
            id,
        } => {
            let recorded = ledger.comment(recorded_key(&key), line, text.to_string())?;
            names.comments.insert(id, recorded);
            Ok(())
        }
        Job::CommentsMoved(lines) => lines.into_iter().try_for_each(|(id, line)| {
            let recorded = names.comments.get(&id);
            recorded.map_or(Ok(()), |recorded| ledger.move_comment(*recorded, line))
        }),
        Job::CommentsGone(ids) => {
            let ids: Vec<_> = ids
                .iter()
                .filter_map(|id| names.comments.remove(id))
                .collect();
            ledger.remove_comments(&ids)
        }
    }
}

fn draft(ledger: &mut Ledger, intent: &Intent) -> Result<Draft, LedgerError> {
    let (before, _) = texts(ledger, &intent.before)?;
    let (after, theirs) = texts(ledger, &intent.after)?;
    let renamed_from = intent.renamed_from.as_deref();
    Ok(Draft {
        key: recorded_key(&intent.key),
        path: intent.path.clone(),
        what: intent.what,
        origin: intent.origin.as_ref().map(recorded_origin),
        target: intent.target.clone(),
        before,
        after,
        detail: with(
            detail(intent.origin.as_ref(), theirs, Some(intent.step)),
            [
                ("whose", whose::to_value(&intent.whose_after)),
                ("whoseBefore", whose::to_value(&intent.whose_before)),
                ("decides", whose::decided_to_value(&intent.decides)),
                // A name that is no text is not put back after a restart.
                (
                    "renamedFrom",
                    json!(renamed_from.and_then(|from| from.to_str())),
                ),
            ],
        ),
        words: intent.words.to_string(),
    })
}

fn hold(ledger: &mut Ledger, held: &Held) -> Result<(), LedgerError> {
    let (texts, theirs) = texts(ledger, &held.state)?;
    ledger.hold(FileState {
        key: recorded_key(&held.key),
        path: held.path.clone(),
        texts,
        detail: with(
            detail(held.origin.as_ref(), theirs, None),
            [("whose", whose::to_value(&held.whose))],
        ),
    })
}

/// What the record does not need to understand.
fn detail(origin: Option<&Origin>, theirs: Option<String>, step: Option<u64>) -> Value {
    json!({
        "session": origin.map(|origin| origin.session.as_str()),
        "turn": origin.map(|origin| origin.turn.0),
        "theirs": theirs,
        "step": step,
    })
}

/// What is nothing takes no room in the log.
fn with<const MORE: usize>(mut detail: Value, more: [(&str, Value); MORE]) -> Value {
    if let Some(fields) = detail.as_object_mut() {
        let known = more.into_iter().filter(|(_, value)| !value.is_null());
        fields.extend(known.map(|(name, value)| (name.to_owned(), value)));
    }
    detail
}

/// The texts of a state, and what the agent wants where that is something else.
fn texts(ledger: &mut Ledger, state: &State) -> Result<(Texts, Option<String>), LedgerError> {
    let texts = state.review.texts();
    let mut put = |text: &str, existence| -> Result<Option<Hash>, LedgerError> {
        match existence {
            Existence::Present => Ok(Some(ledger.put(text.as_bytes())?)),
            Existence::Missing => Ok(None),
        }
    };
    let base = put(&texts.base, state.presence.base)?;
    let current = put(&texts.current, state.presence.now)?;
    let agent = match texts.agent == texts.current {
        true => None,
        false => put(&texts.agent, Existence::Present)?,
    };
    let theirs = (texts.theirs != texts.current && texts.theirs.len() <= LONGEST_WISH)
        .then_some(texts.theirs);
    Ok((
        Texts {
            base,
            current,
            agent,
        },
        theirs,
    ))
}
