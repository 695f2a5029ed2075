//! What a person is asked or shown on behalf of something that is no session's: where to sign in.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};

/// Errands that wait at one editor. It is asked little.
const WAITING: usize = 16;

/// The editors that run errands.
#[derive(Clone, Default)]
pub struct Errands(Arc<Mutex<Attendants>>);

#[derive(Default)]
struct Attendants {
    numbers: u64,
    /// The newest is last.
    known: Vec<(u64, mpsc::Sender<Errand>)>,
}

/// One thing to be done in front of a person.
#[derive(Debug)]
pub struct Errand {
    /// Whose editor is meant.
    pub folder: PathBuf,
    pub deed: Deed,
    /// Whoever drops it is not there. Closed when nobody waits any more.
    pub done: oneshot::Sender<Done>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Opens a page outside of the editor.
    Open { url: String },
    /// Asks something that can be agreed to or not.
    Ask {
        message: String,
        yes: String,
        no: String,
    },
}

/// What came of an errand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    Yes,
    No,
    /// No editor of that folder can do this, or nobody has answered there.
    NotHere,
}

/// An editor that runs errands for as long as this lives.
pub struct Attendance {
    errands: Errands,
    number: u64,
    waiting: mpsc::Receiver<Errand>,
}

impl Errands {
    pub fn attend(&self) -> Attendance {
        let (sender, waiting) = mpsc::channel(WAITING);
        let mut attendants = self.lock();
        attendants.numbers += 1;
        let number = attendants.numbers;
        attendants.known.push((number, sender));
        Attendance {
            errands: self.clone(),
            number,
            waiting,
        }
    }

    /// Asks one editor after the other, the newest first, until one has done it.
    pub async fn run(&self, folder: &Path, deed: &Deed) -> Done {
        let attendants: Vec<_> = self.lock().known.clone();
        for (_, attendant) in attendants.into_iter().rev() {
            let (done, answer) = oneshot::channel();
            let errand = Errand {
                folder: folder.to_owned(),
                deed: deed.clone(),
                done,
            };
            // An editor that has so much to do does not answer anybody.
            if attendant.try_send(errand).is_err() {
                continue;
            }
            match answer.await {
                Ok(Done::NotHere) | Err(_) => {}
                Ok(done) => return done,
            }
        }
        Done::NotHere
    }

    /// Every change is a single insertion or removal, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Attendants> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attendance {
    pub async fn next(&mut self) -> Option<Errand> {
        self.waiting.recv().await
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        let number = self.number;
        let mut attendants = self.errands.lock();
        attendants.known.retain(|(known, _)| *known != number);
    }
}
