//! How persistently a door looks for another host after its host has died.

use std::io;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::Connect;

/// A host that has to be replaced more often than this is not replaced once more.
pub(crate) const HOSTS: u32 = 5;
const HOSTS_PER: Duration = Duration::from_secs(60);

/// Before the second attempt, and twice as long before each that follows.
const BACK_OFF: Duration = Duration::from_millis(100);

/// The reconnect policy of every door: when it connected again, and how often it still may.
#[derive(Debug, Default)]
pub struct Reconnect {
    attempts: Vec<Instant>,
}

impl Reconnect {
    /// Connects to another host. Waits before every attempt but the first, and fails after too many of them.
    pub async fn next_host<C: Connect>(
        &mut self,
        connect: &mut C,
    ) -> io::Result<(C::Reader, C::Writer)> {
        let mut last = io::Error::other("the host keeps dying; see its log");
        loop {
            self.attempts.retain(|at| at.elapsed() < HOSTS_PER);
            let before = u32::try_from(self.attempts.len()).unwrap_or(u32::MAX);
            if before >= HOSTS {
                return Err(last);
            }
            if let Some(doublings) = before.checked_sub(1) {
                sleep(BACK_OFF * 2_u32.pow(doublings)).await;
            }
            self.attempts.push(Instant::now());
            match connect.connect().await {
                Ok(host) => return Ok(host),
                Err(error) => last = error,
            }
        }
    }
}
