//! Work on the disk, with a limit to how much of it is done at the same time.
//!
//! What a client asks for beyond that waits without costing a thread, and is never begun if the client is gone by then.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Sessions that are opened, renamed or deleted, and their like, at the same time.
const AT_ONCE: usize = 16;

/// Lists that are made at the same time. Each may read the records of a whole project.
const LISTS: usize = 2;

pub(super) struct Work {
    slots: Arc<Semaphore>,
    lists: Arc<Semaphore>,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(AT_ONCE)),
            lists: Arc::new(Semaphore::new(LISTS)),
        }
    }
}

impl Work {
    /// `None` if it panicked.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        run_in(&self.slots, work).await
    }

    /// The same for what goes through many records.
    pub(super) async fn list<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        run_in(&self.lists, work).await
    }
}

async fn run_in<T: Send + 'static>(
    slots: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    let work = move || {
        let done = work();
        // Not before: whoever asked may have gone meanwhile.
        drop(slot);
        done
    };
    tokio::task::spawn_blocking(work).await.ok()
}

#[cfg(test)]
mod tests;
