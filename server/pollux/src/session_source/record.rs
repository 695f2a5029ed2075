//! Where a session is recorded, and what it was before.

use std::time::SystemTime;

use pollux_agent::Spent;
use pollux_agent::api::Prompt;
use pollux_sessions::{
    Left, Message, MessageId, NewSession, Place, Project, RandomIds, Recorder, SessionRef,
    Underway, Unrecorded, find_session, is_underway, resume_session,
};
use pollux_workspace::{SessionError, SessionId, SessionSummary, Which};

use super::{extras, kept, milliseconds, not_found, not_possible, one_line, recording};

/// Where a session is recorded, and what it was before.
pub(super) struct Record {
    pub(super) recorder: Recorder,
    pub(super) messages: Vec<Message>,
    pub(super) title: Option<String>,
    /// Nothing where it cannot be written.
    pub(super) underway: Option<Underway>,
    /// What was typed and never had its turn.
    pub(super) waiting: Vec<Prompt>,
    /// What it has cost.
    pub(super) spent: Spent,
}

pub(super) fn open(project: &Project, which: &Which) -> Result<Record, SessionError> {
    let now = SystemTime::now();
    match which {
        Which::New => {
            let id = pollux_sessions::SessionId::generate(&mut RandomIds);
            begin(project, id, now)
        }
        Which::Recorded(which) => match SessionRef::parse(which) {
            SessionRef::Id(id) if is_unrecorded(project, &id) => begin(project, id, now),
            wanted => go_on(project, &wanted, now),
        },
        Which::Again(id) => {
            let id = pollux_sessions::SessionId::new(id);
            match is_missing(project, &id) {
                true => begin(project, id, now),
                false => go_on(project, &SessionRef::Id(id), now),
            }
        }
    }
}

/// A line of the list for a session of which there is nothing but what was typed.
pub(super) fn waiting(left: &Unrecorded) -> SessionSummary {
    let texts = left.waiting.iter().map(|prompt| kept::from_json(0, prompt));
    let typed = texts.map(|prompt| prompt.stands_for.unwrap_or(prompt.text));
    let first = typed.into_iter().next().unwrap_or_default();
    SessionSummary {
        id: SessionId::from(left.id.as_str()),
        title: one_line(&first),
        updated: milliseconds(left.updated),
        messages: 0,
        first_prompt: Some(first),
    }
}

/// Whether a process ended after it had taken what was typed, and before anything was recorded.
fn is_unrecorded(project: &Project, id: &pollux_sessions::SessionId) -> bool {
    is_underway(project, id) && is_missing(project, id)
}

/// Whether it could be recorded under this id, and is not.
fn is_missing(project: &Project, id: &pollux_sessions::SessionId) -> bool {
    // A name that had to be made safe may be that of another session.
    id.file_segment().as_deref() == Some(id.as_str())
        && find_session(project, &SessionRef::Id(id.clone())).is_err()
}

/// A session without a record, under its own id if it has left something that was typed.
fn begin(
    project: &Project,
    id: pollux_sessions::SessionId,
    now: SystemTime,
) -> Result<Record, SessionError> {
    let new = NewSession {
        id,
        place: Place::Main,
        directories: Vec::new(),
        started: now,
    };
    let recorder = Recorder::start(project, &new, Box::new(RandomIds)).map_err(not_possible)?;
    let (underway, left) = open_underway(project, &new.id, &[]);
    Ok(Record {
        recorder,
        messages: Vec::new(),
        title: None,
        underway,
        waiting: prompts(&left),
        spent: Spent::new(),
    })
}

fn go_on(project: &Project, wanted: &SessionRef, now: SystemTime) -> Result<Record, SessionError> {
    let resumed = resume_session(project, wanted, now, Box::new(RandomIds)).map_err(not_found)?;
    let mut recorder = resumed.recorder;
    let mut messages = resumed.conversation.messages;
    let known = &resumed.conversation.metadata;
    let (underway, left) = open_underway(project, recorder.session_id(), &messages);
    let halves = left.turn.iter();
    for message in halves.flat_map(|half| recording::interrupted(half, now)) {
        let put = recorder.put(now, message.clone());
        // A full disk is told when the session is recorded to.
        let _recorded = put.map_err(not_possible)?;
        messages.push(message);
    }
    Ok(Record {
        title: known.summary().map(str::to_owned),
        spent: extras::spent_before(known.as_map()),
        recorder,
        messages,
        underway,
        waiting: prompts(&left),
    })
}

fn prompts(left: &Left) -> Vec<Prompt> {
    let kept = (1..).zip(&left.waiting);
    kept.map(|(name, prompt)| kept::from_json(name, prompt))
        .collect()
}

/// A session that cannot keep what it is in the middle of is a session all the same.
fn open_underway(
    project: &Project,
    id: &pollux_sessions::SessionId,
    messages: &[Message],
) -> (Option<Underway>, Left) {
    let is_recorded = |id: &MessageId| messages.iter().any(|message| message.id == *id);
    match Underway::open(project, id, is_recorded) {
        Ok((underway, left)) => (Some(underway), left),
        Err(error) => {
            tracing::warn!(%error, "what is under way cannot be kept");
            (None, Left::default())
        }
    }
}
