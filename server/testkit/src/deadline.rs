//! How every wait in this crate ends: with the thing waited for, or with a panic that says what
//! was missing.
//!
//! The limit is meant for the clock on the wall. A test that pauses tokio's clock sees hours pass
//! in microseconds, so there an expired timer alone proves nothing: the wait is renewed until 70
//! limits have gone by on the paused clock. A wait for something that will never
//! come therefore still ends, and on a paused clock it ends at once.

use std::pin::pin;
use std::time::{Duration, Instant};

/// How long a wait may take unless the test says otherwise.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(60);

/// With the default limit this is a bit more than an hour of paused time, longer than any
/// sequence of retries.
const PAUSED_ROUNDS: u32 = 70;

/// Waits for `future`, and panics with `explain`'s text when it takes longer than `limit`.
///
/// # Panics
/// When the limit has passed.
pub async fn within<T>(
    limit: Duration,
    future: impl Future<Output = T>,
    explain: impl FnOnce() -> String,
) -> T {
    let started = Instant::now();
    let mut future = pin!(future);
    for _ in 0..PAUSED_ROUNDS {
        if let Ok(value) = tokio::time::timeout(limit, &mut future).await {
            return value;
        }
        if started.elapsed() >= limit {
            break;
        }
    }
    panic!("nothing happened within {limit:?}: {}", explain());
}
