use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use url::Url;

/// How often a host may be asked, and in what time.
const MOST: usize = 10;
const WINDOW: Duration = Duration::from_secs(60);

/// When each host was asked, as long as it matters.
#[derive(Default)]
pub(super) struct Rate(Mutex<HashMap<String, VecDeque<Instant>>>);

impl Rate {
    /// Counts a request, or says why it may not be made now.
    pub(super) fn take(&self, url: &str) -> Result<(), String> {
        let host = Url::parse(url).ok();
        let host = host.as_ref().and_then(Url::host_str).unwrap_or_default();
        let now = Instant::now();
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.retain(|_, times| {
            times.retain(|time| now.duration_since(*time) < WINDOW);
            !times.is_empty()
        });
        let times = hosts.entry(host.to_owned()).or_default();
        match times.front() {
            Some(first) if times.len() >= MOST => {
                let wait = WINDOW.saturating_sub(now.duration_since(*first));
                Err(format!(
                    "{host} was asked {MOST} times within a minute; wait {} seconds",
                    wait.as_secs_f64().ceil()
                ))
            }
            _ => {
                times.push_back(now);
                Ok(())
            }
        }
    }
}
