//! What found no room in the record, and is written as soon as there is some.

use std::collections::VecDeque;
use std::time::Duration;

use super::Job;

/// How often it is tried again while nothing else happens.
pub(super) const LATER: Duration = Duration::from_secs(1);

/// No disk is full for so many decisions of a person.
const MOST: usize = 4_096;

/// In the order in which it is to be written.
#[derive(Debug, Default)]
pub(super) struct Late(VecDeque<Job>);

impl Late {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How a file is left replaces how it was left before: nothing came in between that could be undone.
    pub(super) fn push(&mut self, job: Job) {
        if let Job::Held(held) = &job {
            self.0
                .retain(|late| !matches!(late, Job::Held(other) if other.key == held.key));
        }
        self.0.push_back(job);
        if self.0.len() > MOST {
            tracing::warn!("too much was not recorded; the oldest of it is forgotten");
            self.0.pop_front();
        }
    }

    pub(super) fn pop(&mut self) -> Option<Job> {
        self.0.pop_front()
    }

    pub(super) fn put_back(&mut self, job: Job) {
        self.0.push_front(job);
    }
}
