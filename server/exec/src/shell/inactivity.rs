//! Knowing when nothing happens any more.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// Resolves when the count has not changed for so long. A count that nobody holds any more does
/// not change again.
pub(super) async fn silence(mut printed: watch::Receiver<u64>, limit: Duration) {
    loop {
        match timeout(limit, printed.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return sleep(limit).await,
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests;
