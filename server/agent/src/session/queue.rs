//! Prompts that wait for their turn, and the care that none of them is lost.

use std::collections::VecDeque;
use std::sync::Arc;

use super::handle::Shelf;
use crate::Keep;
use crate::api::{Event, KeptId, Prompt, PromptMark, QueuedId, Refusal, ServedBy};

/// Whatever was typed is on the shelf from the moment it is heard until it is recorded or at its end.
pub(super) struct Queue {
    waiting: VecDeque<(QueuedId, Prompt)>,
    pace: Pace,
    numbers: u64,
    shelf: Shelf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Running,
    /// The person has stopped a turn, or something else has: nothing starts by itself until they say something again.
    Held,
}

impl Queue {
    /// `waiting` was left by another process, and is kept already.
    pub(super) fn new(waiting: Vec<Prompt>, shelf: Shelf) -> Self {
        let numbered: VecDeque<(QueuedId, Prompt)> = (1..).map(QueuedId).zip(waiting).collect();
        Self {
            pace: match numbered.is_empty() {
                true => Pace::Running,
                false => Pace::Held,
            },
            numbers: numbered.len() as u64,
            waiting: numbered,
            shelf,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn hold(&mut self) {
        self.pace = Pace::Held;
    }

    pub(super) fn release(&mut self) {
        self.pace = Pace::Running;
    }

    pub(super) fn next(&mut self) -> Option<(QueuedId, Prompt)> {
        match self.pace {
            Pace::Held => None,
            Pace::Running => self.waiting.pop_front(),
        }
    }

    /// It need not be kept any longer.
    pub(super) fn gone(&self, kept: Option<KeptId>) {
        if let Some(id) = kept {
            self.shelf.gone(id);
        }
    }

    /// A prompt that is kept waits behind the others.
    pub(super) fn push(&mut self, prompt: Prompt) -> Event {
        self.numbers += 1;
        let id = QueuedId(self.numbers);
        let queued = queued(id, &prompt);
        self.waiting.push_back((id, prompt));
        queued
    }

    /// What there is to tell about it. Whoever waits for a marked prompt hears that nothing will come of it.
    pub(super) fn remove(&mut self, id: QueuedId) -> Vec<Event> {
        let removed = self.place(id).and_then(|place| self.waiting.remove(place));
        let Some((_, prompt)) = removed else {
            return vec![Event::OpRefused(Refusal::NotQueued)];
        };
        self.gone(prompt.kept);
        let served = prompt.mark.map(|mark| Event::PromptServed {
            mark,
            by: ServedBy::Nothing,
        });
        let mut told = vec![Event::PromptUnqueued(id)];
        told.extend(served);
        told
    }

    /// Nothing to tell when it is not waiting any more.
    pub(super) fn take_back(&mut self, mark: &PromptMark) -> Vec<Event> {
        let is_meant = |(_, prompt): &&(QueuedId, Prompt)| prompt.mark.as_ref() == Some(mark);
        match self.waiting.iter().find(is_meant) {
            Some((id, _)) => self.remove(*id),
            None => Vec::new(),
        }
    }

    pub(super) fn edit(&mut self, id: QueuedId, text: String) -> Event {
        let Some((_, prompt)) = self.waiting.iter_mut().find(|(waiting, _)| *waiting == id) else {
            return Event::OpRefused(Refusal::NotQueued);
        };
        if text.trim().is_empty() && prompt.attachments.is_empty() {
            return Event::OpRefused(Refusal::EmptyPrompt);
        }
        prompt.text.clone_from(&text);
        if let Some(id) = prompt.kept {
            self.shelf.put(Keep::Prompt { id, prompt });
        }
        Event::PromptEdited { id, text }
    }

    /// A place beyond the last one is the last one.
    pub(super) fn shift(&mut self, id: QueuedId, place: usize) -> Event {
        let found = self.place(id);
        let Some(moved) = found.and_then(|from| self.waiting.remove(from)) else {
            return Event::OpRefused(Refusal::NotQueued);
        };
        self.waiting.insert(place.min(self.waiting.len()), moved);
        let names = self.waiting.iter().filter_map(|(_, prompt)| prompt.kept);
        self.shelf.put(Keep::Order(names.collect()));
        Event::QueueOrdered(self.waiting.iter().map(|(id, _)| *id).collect())
    }

    /// What waits, for whoever has not heard of it.
    pub(super) fn announced(&self) -> Vec<Event> {
        let waiting = self.waiting.iter();
        waiting.map(|(id, prompt)| queued(*id, prompt)).collect()
    }

    fn place(&self, id: QueuedId) -> Option<usize> {
        self.waiting.iter().position(|(waiting, _)| *waiting == id)
    }
}

fn queued(id: QueuedId, prompt: &Prompt) -> Event {
    Event::PromptQueued {
        id,
        text: prompt.text.clone(),
        attachments: Arc::clone(&prompt.attachments),
    }
}
