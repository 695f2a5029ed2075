//! Ending every process of a command.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::{Left, Watch};

/// How long a process may take to end by itself.
const GRACE: Duration = Duration::from_millis(200);
const GLANCE: Duration = Duration::from_millis(5);
/// How long we do not pause at all. Who forks faster than we pause would be ahead for ever.
const WITHOUT_PAUSE: Duration = Duration::from_secs(1);

/// Asks, waits a moment, and then kills until nobody is left.
///
/// A process group is killed in one step that no fork can outrun. Processes that keep forking
/// into new sessions are killed one by one, again and again; each round only reads the tree below
/// the guard and is far shorter than the start of a program.
pub(super) fn everything(watch: &mut Watch) {
    watch.tree.signal(Signal::TERM);
    // A stopped process cannot act on what it was asked.
    watch.tree.signal(Signal::CONT);
    let asked = Instant::now();
    while asked.elapsed() < GRACE {
        if watch.reap() == Left::Nobody {
            return;
        }
        pause(watch, GLANCE);
    }
    let refused = Instant::now();
    loop {
        watch.tree.kill();
        if watch.reap() == Left::Nobody {
            return;
        }
        if refused.elapsed() > WITHOUT_PAUSE {
            // What is still there waits for a device and cannot be killed yet.
            pause(watch, GLANCE);
        }
    }
}

/// The other threads have nothing to say that matters now; a message only cuts a pause short.
fn pause(watch: &Watch, how_long: Duration) {
    let _event = watch.inbox.recv_timeout(how_long);
}
