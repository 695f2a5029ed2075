//! Cycles of tool calls.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

use serde_json::{Map, Value};

const MAX_CYCLE: usize = 5;
const ROUNDS: usize = 5;
/// Enough for five rounds of the longest cycle.
const REMEMBERED: usize = MAX_CYCLE * ROUNDS;

/// The latest calls, as fingerprints: arguments can be whole files.
#[derive(Debug, Default)]
pub(super) struct CallCycles {
    /// Newest first.
    latest: VecDeque<u64>,
}

impl CallCycles {
    /// The length of the shortest cycle whose fifth round this call completes.
    pub(super) fn push(&mut self, name: &str, args: &Map<String, Value>) -> Option<usize> {
        self.latest.truncate(REMEMBERED - 1);
        self.latest.push_front(fingerprint(name, args));
        (1..=MAX_CYCLE).find(|cycle| self.repeats(*cycle))
    }

    pub(super) fn take_back(&mut self, count: usize) {
        self.latest.drain(..count.min(self.latest.len()));
    }

    fn repeats(&self, cycle: usize) -> bool {
        let needed = cycle * ROUNDS;
        if self.latest.len() < needed {
            return false;
        }
        let earlier = self.latest.iter().skip(cycle);
        let pairs = self.latest.iter().zip(earlier).take(needed - cycle);
        pairs.into_iter().all(|(newer, older)| newer == older)
    }
}

/// The twin takes SHA-256; nothing leaves the process here, so a fast hash that is stable within it will do.
fn fingerprint(name: &str, args: &Map<String, Value>) -> u64 {
    let mut sink = HashSink(DefaultHasher::new());
    name.hash(&mut sink.0);
    let hashed = serde_json::to_writer(&mut sink, args);
    debug_assert!(hashed.is_ok(), "hashing does no IO");
    sink.0.finish()
}

/// Hashes JSON while it is written, so that it is never held.
struct HashSink(DefaultHasher);

impl io::Write for HashSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
