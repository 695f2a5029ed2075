//! What happened in a session, from the first event on, for everyone who wants to know.
//!
//! A view that was closed is rebuilt by reading from the start; a view that follows reads on from
//! where it was. Nobody has a queue of their own that could grow: a slow reader simply reads more
//! at a time, and gets the pieces of a text in one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use pollux_agent::api::Event;
use tokio::sync::watch;

/// A place in a feed: how many events are before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor(pub u64);

/// The events of one session.
pub struct Feed {
    /// Held to push or to copy, never across an await.
    events: Mutex<Events>,
    length: watch::Sender<u64>,
    /// What a client's cursors count from. Each life of a session counts from further on than any before it, so that a
    /// cursor of another life is known for one.
    origin: u64,
}

/// A life has so many cursors for every millisecond until the next one begins. A host that is killed is replaced within
/// a second, so a coarser clock gives two lives the same origin. The numbers stay within what JavaScript counts exactly.
const CURSORS_PER_MILLISECOND: u64 = 1 << 9;

#[derive(Default)]
struct Events {
    kept: Vec<Kept>,
    /// Bytes of the pieces of answers.
    text: usize,
    /// The pieces before this place have no text any more.
    forgotten: usize,
}

/// One event. Nearly all of them are a few characters of an answer, and an event has room for the largest of its
/// kind.
enum Kept {
    Text(Box<str>),
    Event(Box<Event>),
}

/// A stretch of a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    pub events: Vec<Event>,
    /// Where to read on.
    pub next: Cursor,
}

/// So many events are read at once. A long session arrives in pieces, not as one huge message.
const BATCH: usize = 2_000;

/// Bytes of whole outputs that are kept; beyond them the oldest are forgotten but for their ends.
const MOST_OUTPUT: usize = 64 * 1024 * 1024;

/// Bytes of answers that are kept; beyond them the oldest pieces are forgotten. The record has them.
const MOST_TEXT: usize = 64 * 1024 * 1024;

/// Bytes that are kept of each end of an output that is forgotten.
const END_OF_OUTPUT: usize = 2_000;

/// Bytes that are kept of what one call prints.
const LONGEST_PRINT: usize = 100_000;

impl Feed {
    /// `after` is the last cursor of an earlier life, 0 if there was none.
    pub(crate) fn new(past: Vec<Event>, after: u64) -> Self {
        let next = (after / CURSORS_PER_MILLISECOND + 1) * CURSORS_PER_MILLISECOND;
        let now = milliseconds_now() * CURSORS_PER_MILLISECOND;
        let length = watch::Sender::new(past.len() as u64);
        let mut events = Events::default();
        for event in past {
            events.push(event);
        }
        Self {
            length,
            events: Mutex::new(events),
            origin: now.max(next),
        }
    }

    /// The place that a client's cursor means. Zero is the beginning; so is what was not given in this life of the session,
    /// because nobody knows any more what stood before it.
    pub fn place(&self, given: u64) -> Cursor {
        let place = given.checked_sub(self.origin).map(Cursor);
        place
            .filter(|place| *place <= self.end())
            .unwrap_or_default()
    }

    /// What a client is given for a place.
    pub fn given(&self, place: Cursor) -> u64 {
        self.origin + place.0
    }

    pub(crate) fn append(&self, event: Event) {
        let mut events = self.lock();
        events.push(event);
        forget_old_prints(&mut events.kept);
        forget_old_outputs(&mut events.kept);
        let length = events.kept.len() as u64;
        drop(events);
        self.length.send_replace(length);
    }

    /// What happened from the cursor on, with adjoining pieces of text joined.
    pub fn read(&self, from: Cursor) -> Batch {
        let events = self.lock();
        let events = &events.kept;
        let start = usize::try_from(from.0).unwrap_or(usize::MAX);
        let start = start.min(events.len());
        let end = events.len().min(start.saturating_add(BATCH));
        let fresh = events.get(start..end).unwrap_or_default();
        Batch {
            events: joined(fresh),
            next: Cursor(end as u64),
        }
    }

    /// Where the next event will be.
    pub fn end(&self) -> Cursor {
        Cursor(*self.length.borrow())
    }

    /// The newest event that means something to the reader. Pieces of the answer are not shown to it.
    pub fn find_last<T>(&self, wanted: impl FnMut(&Event) -> Option<T>) -> Option<T> {
        let events = self.lock();
        events
            .kept
            .iter()
            .rev()
            .filter_map(Kept::event)
            .find_map(wanted)
    }

    /// Bytes of what it holds, about.
    pub(crate) fn weight(&self) -> usize {
        let events = self.lock();
        let bodies = events.kept.iter().filter_map(Kept::event);
        let bodies: usize = bodies.map(weight).sum();
        events.text + events.kept.len() * size_of::<Kept>() + bodies
    }

    /// Resolves when there is something beyond the cursor.
    pub async fn beyond(&self, cursor: Cursor) {
        let mut length = self.length.subscribe();
        // The sender lives as long as the feed, which the caller holds.
        let _alive = length.wait_for(|length| *length > cursor.0).await;
    }

    fn lock(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Events {
    fn push(&mut self, event: Event) {
        let kept = Kept::from(event);
        if let Kept::Text(text) = &kept {
            self.text += text.len();
        }
        self.kept.push(kept);
        if self.text > MOST_TEXT {
            self.forget_old_text();
        }
    }

    /// Some more than needed, so that not every piece has to look for room.
    fn forget_old_text(&mut self) {
        let rest = self.kept.get_mut(self.forgotten..).unwrap_or_default();
        for kept in rest {
            if self.text <= MOST_TEXT / 4 * 3 {
                break;
            }
            if let Kept::Text(text) = kept {
                self.text -= text.len();
                *text = Box::default();
            }
            self.forgotten += 1;
        }
    }
}

/// Bytes of an event, as far as they can be many.
fn weight(event: &Event) -> usize {
    let body = match event {
        Event::ToolEnded { report, .. } => report.output.len(),
        Event::ThoughtReceived(thought) => thought.subject.len() + thought.description.len(),
        Event::ToolPrinted { text, .. } | Event::PromptQueued { text, .. } => text.len(),
        _ => 0,
    };
    size_of::<Event>() + body
}

fn milliseconds_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let milliseconds = now.map_or(0, |time| time.as_millis());
    u64::try_from(milliseconds).unwrap_or_default()
}

impl From<Event> for Kept {
    fn from(event: Event) -> Self {
        match event {
            Event::TextReceived(text) => Self::Text(text.into_boxed_str()),
            event => Self::Event(Box::new(event)),
        }
    }
}

impl Kept {
    fn event(&self) -> Option<&Event> {
        match self {
            Self::Text(_) => None,
            Self::Event(event) => Some(event),
        }
    }

    fn event_mut(&mut self) -> Option<&mut Event> {
        match self {
            Self::Text(_) => None,
            Self::Event(event) => Some(event),
        }
    }
}

/// What a tool prints is for watching it. A command that prints for hours must not fill the memory, so only the
/// newest part of it is kept; the events before stay in their places, without text.
fn forget_old_prints(events: &mut [Kept]) {
    let Some((last, before)) = events.split_last_mut() else {
        return;
    };
    let Some(Event::ToolPrinted { call, .. }) = last.event() else {
        return;
    };
    let mut kept = 0;
    for event in before.iter_mut().rev().filter_map(Kept::event_mut) {
        match event {
            Event::ToolPrinted { call: of, text } if of == call => {
                // What is behind an emptied one was emptied before.
                if text.is_empty() {
                    return;
                }
                kept += text.len();
                if kept > LONGEST_PRINT {
                    *text = String::new();
                }
            }
            Event::ToolStarted { call: of, .. } if of.id == *call => return,
            _ => {}
        }
    }
}

/// The newest outputs are those that somebody may still want to read whole.
fn forget_old_outputs(events: &mut [Kept]) {
    let Some(Event::ToolEnded { report, .. }) = events.last().and_then(Kept::event) else {
        return;
    };
    // Only a long one can be one too many.
    if report.output.len() <= 2 * END_OF_OUTPUT {
        return;
    }
    let mut kept = 0;
    for event in events.iter_mut().rev().filter_map(Kept::event_mut) {
        let Event::ToolEnded { report, .. } = event else {
            continue;
        };
        kept += report.output.len();
        if kept > MOST_OUTPUT && report.output.len() > 3 * END_OF_OUTPUT {
            let output = &report.output;
            let head = output.floor_char_boundary(END_OF_OUTPUT);
            let tail = output.ceil_char_boundary(output.len() - END_OF_OUTPUT);
            let ends = format!(
                "{}\n... [no longer kept] ...\n{}",
                output.get(..head).unwrap_or_default(),
                output.get(tail..).unwrap_or_default()
            );
            Arc::make_mut(report).output = ends;
        }
    }
}

fn joined(events: &[Kept]) -> Vec<Event> {
    let mut joined: Vec<Event> = Vec::with_capacity(events.len().min(64));
    for event in events {
        match (joined.last_mut(), event) {
            (Some(Event::TextReceived(text)), Kept::Text(more)) => text.push_str(more),
            (_, Kept::Text(text)) => joined.push(Event::TextReceived(text.to_string())),
            (last, Kept::Event(event)) => match (last, &**event) {
                (
                    Some(Event::ToolPrinted { call, text }),
                    Event::ToolPrinted {
                        call: same,
                        text: more,
                    },
                ) if call == same => text.push_str(more),
                (_, event) => joined.push(event.clone()),
            },
        }
    }
    joined
}

#[cfg(test)]
mod tests;
