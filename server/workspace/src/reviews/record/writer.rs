//! The thread that writes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};

use pollux_ledger::{
    Draft, Durability, FileState, GroupId, Hash, Holder, HunkText, Ledger, LedgerError, Limits,
    NewRejected, OpId, Opened, Texts,
};
use serde_json::{Value, json};
use tracing::warn;

use super::late::{LATER, Late};
use super::{
    Held, Intent, Job, Names, NotRecorded, Records, recorded_key, recorded_origin, recovery, whose,
};
use crate::inbox::WeakInbox;
use crate::reviews::file::{Existence, State};
use crate::reviews::rejected::RecordedAs;
use crate::reviews::{Disk, ReviewWork, Work};
use crate::{EditId, Input, Origin, RejectedHunk};

/// Larger wishes of the agent are not kept beside a pending review.
const LONGEST_WISH: usize = 1 << 20;

/// So much is written down before the disk is waited for.
const MOST_AT_ONCE: usize = 4_096;

/// How long it is waited between two attempts to open a record: at first its holder may just be ending.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// What the thread has to work with.
pub(super) struct Writer {
    pub(super) records: Records,
    pub(super) root: PathBuf,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) inbox: WeakInbox,
}

/// What the thread knows of the record that it writes.
struct Open {
    ledger: Ledger,
    under_way: BTreeMap<EditId, OpId>,
    names: Names,
    /// What could not be written yet, in its order.
    late: Late,
}

impl Writer {
    pub(super) fn run(self, jobs: &Receiver<Job>) {
        // Nobody is there any more who wants the record, if it was not to be had.
        let Some((mut ledger, opened, early)) = self.open(jobs) else {
            return;
        };
        ledger.announce(&self.holder());
        for problem in &opened.problems {
            warn!(
                line = problem.line,
                what = problem.what,
                "a line of the record"
            );
        }
        let mut recovered = recovery::recovered(&mut ledger, &opened, &*self.disk, &self.root);
        recovered.root.clone_from(&self.root);
        let comments = recovered.comments.iter();
        let names = Names {
            comments: comments
                .map(|(id, _)| (crate::CommentId(id.0), *id))
                .collect(),
            ..Names::default()
        };
        self.post(Work::Recovered(Box::new(recovered)));
        let mut open = Open {
            ledger,
            under_way: BTreeMap::new(),
            names,
            late: Late::default(),
        };
        self.write_all(&mut open, early);
        loop {
            let next = match open.late.is_empty() {
                true => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => jobs.recv_timeout(LATER),
            };
            let mut batch = match next {
                Ok(first) => vec![first],
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            batch.extend(jobs.try_iter().take(MOST_AT_ONCE));
            self.write_all(&mut open, batch);
        }
        // The last chance for what had no room.
        self.write_all(&mut open, Vec::new());
    }

    /// Waits for the record for as long as anybody wants it. What was to be written meanwhile comes with it.
    fn open(&self, jobs: &Receiver<Job>) -> Option<(Ledger, Opened, Vec<Job>)> {
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut early = Vec::new();
        let mut told: Option<NotRecorded> = None;
        loop {
            let opened = Ledger::open(
                &self.records.base,
                &self.root,
                Limits::default(),
                Durability::default(),
            );
            let error = match opened {
                Ok((ledger, opened)) => return Some((ledger, opened, early)),
                Err(error) => error,
            };
            let may_be_ending = matches!(error, LedgerError::InUse { .. })
                && started.elapsed() < self.records.patience;
            if !may_be_ending {
                let why = NotRecorded::from(&error);
                if told.as_ref() != Some(&why) {
                    warn!(%error, "reviews are not recorded");
                    self.post(Work::Blocked {
                        root: self.root.clone(),
                        why: why.clone(),
                    });
                }
                for job in early.drain(..) {
                    self.refuse(job, &why);
                }
                told = Some(why);
            }
            // Nobody wakes this thread: there is no event for a lock that becomes free.
            match (jobs.recv_timeout(pause), &told) {
                (Ok(job), Some(why)) => self.refuse(job, why),
                (Ok(job), None) => early.push(job),
                (Err(RecvTimeoutError::Timeout), _) => {}
                (Err(RecvTimeoutError::Disconnected), _) => return None,
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Nobody may wait for what cannot be written.
    fn refuse(&self, job: Job, why: &NotRecorded) {
        if let Job::Intend(intent) = job {
            self.intended(&intent, Err(why.clone()));
        }
    }

    fn holder(&self) -> Holder {
        Holder {
            process: std::process::id(),
            socket: self.records.socket.clone(),
        }
    }

    /// Begins a new record if somebody has removed the old one. The room tells what is to be in it.
    fn begin_anew(&self, open: &mut Open) {
        if open.ledger.is_there() {
            return;
        }
        let opened = Ledger::open(
            &self.records.base,
            &self.root,
            Limits::default(),
            Durability::default(),
        );
        match opened {
            Ok((ledger, _)) => {
                open.ledger = ledger;
                open.ledger.announce(&self.holder());
                open.under_way.clear();
                open.names = Names::default();
                self.post(Work::BegunAnew(self.root.clone()));
            }
            Err(error) => warn!(%error, "the record was removed"),
        }
    }

    fn post(&self, work: Work) {
        if let Some(inbox) = self.inbox.upgrade() {
            inbox.post(Input::ReviewWork(ReviewWork(work)));
        }
    }

    fn intended(&self, intent: &Intent, result: Result<GroupId, NotRecorded>) {
        self.post(Work::Recorded {
            key: intent.key.clone(),
            id: intent.id,
            result,
        });
    }

    /// Writes in the order of the jobs, and waits for the disk once: a decision about a thousand files is as many operations.
    fn write_all(&self, open: &mut Open, jobs: Vec<Job>) {
        self.begin_anew(open);
        let was_late = !open.late.is_empty();
        if let Err(why) = self.catch_up(open) {
            // What comes now comes after what could not be written yet.
            for job in jobs {
                match job {
                    Job::Intend(intent) => self.intended(&intent, Err(why.clone())),
                    job => open.late.push(job),
                }
            }
            return;
        }
        if was_late {
            self.post(Work::Unwritten {
                root: self.root.clone(),
                why: None,
            });
        }
        // Texts come before the lines that name them, all of them, so that their folder too is waited for only once.
        let jobs: Vec<_> = jobs
            .into_iter()
            .map(|job| Prepared::new(&mut open.ledger, job))
            .collect();
        let mut intended = Vec::new();
        for job in jobs {
            match job {
                Prepared::Intent(intent, draft) => {
                    let written = draft.and_then(|draft| {
                        open.ledger.intend_unsynced(vec![*draft], SystemTime::now())
                    });
                    let result = written.as_ref().map_err(NotRecorded::from);
                    let result = result.map(|written| written.group);
                    if let Ok(written) = written {
                        let ids = written.ids.iter();
                        open.under_way.extend(ids.map(|op| (intent.id, *op)));
                    }
                    intended.push((intent, result));
                }
                Prepared::Rejected(hunk, texts) => {
                    let hunk = *hunk;
                    let kept = hunk.clone();
                    let written = texts.and_then(|texts| {
                        keep_rejected(&mut open.ledger, hunk, *texts, &mut open.names)
                    });
                    self.written(open, written, || Job::Rejected(kept));
                }
                Prepared::Line(job) => self.write_line(open, job),
            }
        }
        if intended.is_empty() {
            return;
        }
        let synced = open.ledger.sync().map_err(|error| {
            warn!(%error, "the record is not safe yet");
            NotRecorded::from(&error)
        });
        for (intent, result) in intended {
            let result = result.and_then(|group| synced.clone().map(|()| group));
            self.intended(&intent, result);
        }
    }

    fn write_line(&self, open: &mut Open, job: Job) {
        // Behind something that is late it is late too.
        if !open.late.is_empty() {
            return open.late.push(job);
        }
        let again = job.clone();
        let written = write(&mut open.ledger, job, &mut open.under_way, &mut open.names);
        self.written(open, written, || again);
    }

    /// Keeps what found no room, to be tried again.
    fn written(
        &self,
        open: &mut Open,
        written: Result<(), LedgerError>,
        job: impl FnOnce() -> Job,
    ) {
        let Err(error) = written else {
            return;
        };
        warn!(%error, "something was not recorded");
        if let LedgerError::Io { .. } = error {
            open.late.push(job());
            self.post(Work::Unwritten {
                root: self.root.clone(),
                why: Some(NotRecorded::from(&error)),
            });
        }
    }

    /// Writes what is late, as far as there is room.
    fn catch_up(&self, open: &mut Open) -> Result<(), NotRecorded> {
        while let Some(job) = open.late.pop() {
            let again = job.clone();
            let written = match Prepared::new(&mut open.ledger, job) {
                // These are never late.
                Prepared::Intent(..) => Ok(()),
                Prepared::Rejected(hunk, texts) => texts.and_then(|texts| {
                    keep_rejected(&mut open.ledger, *hunk, *texts, &mut open.names)
                }),
                Prepared::Line(job) => {
                    write(&mut open.ledger, job, &mut open.under_way, &mut open.names)
                }
            };
            match written {
                Err(error @ LedgerError::Io { .. }) => {
                    open.late.put_back(again);
                    return Err(NotRecorded::from(&error));
                }
                Err(error) => warn!(%error, "something was not recorded"),
                Ok(()) => {}
            }
        }
        Ok(())
    }
}

/// A job whose texts are put.
enum Prepared {
    Intent(Box<Intent>, Result<Box<Draft>, LedgerError>),
    Rejected(Box<RejectedHunk>, Result<Box<[HunkText; 2]>, LedgerError>),
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
                Self::Rejected(Box::new(hunk), texts.map(Box::new))
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
        Job::DamageTold => {
            ledger.told();
            Ok(())
        }
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
