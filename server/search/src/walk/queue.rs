//! Work that makes more work, shared by threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The last task that was added is done first, so what waits stays little.
pub(super) struct Queue<Task> {
    state: Mutex<State<Task>>,
    changed: Condvar,
}

struct State<Task> {
    waiting: Vec<Task>,
    /// Threads that are at a task, and may add others.
    busy: usize,
    idle: usize,
}

impl<Task> Queue<Task> {
    pub(super) fn new(first: Task) -> Self {
        Self {
            state: Mutex::new(State {
                waiting: vec![first],
                busy: 0,
                idle: 0,
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn add(&self, tasks: Vec<Task>) {
        if tasks.is_empty() {
            return;
        }
        let mut state = self.lock();
        state.waiting.extend(tasks);
        if state.idle > 0 {
            self.changed.notify_all();
        }
    }

    /// Drops everything nobody has begun.
    pub(super) fn clear(&self) {
        self.lock().waiting.clear();
    }

    /// Does tasks until there are none and nobody can add one.
    pub(super) fn work(&self, mut run: impl FnMut(Task)) {
        while let Some(task) = self.take() {
            let _busy = Busy(self);
            run(task);
        }
    }

    fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.waiting.pop() {
                state.busy += 1;
                return Some(task);
            }
            if state.busy == 0 {
                return None;
            }
            state.idle += 1;
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<Task>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Also a thread that panics is no longer busy; otherwise the others would wait for it.
struct Busy<'a, Task>(&'a Queue<Task>);

impl<Task> Drop for Busy<'_, Task> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.busy -= 1;
        if state.busy == 0 && state.idle > 0 {
            self.0.changed.notify_all();
        }
    }
}
