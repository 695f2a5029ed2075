//! When a request that failed is sent again, and after how long.

use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use crate::{ModelError, QuotaCause, Retry, RetryRule};

/// How often and how patiently a request is sent.
#[derive(Clone, Debug)]
pub struct RetryPolicy {
    /// All of them, the first one included.
    pub attempts: u32,
    /// The first pause; each later one is twice as long.
    pub initial_delay: Duration,
    pub longest_delay: Duration,
    pub fetch_errors: FetchErrors,
    pub capacity: OnCapacity,
    pub jitter: Jitter,
}

/// What happens after faults that may or may not pass (`general.retryFetchErrors`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchErrors {
    Retry,
    Fail,
}

/// What happens when the model has no room ([`QuotaCause::Capacity`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnCapacity {
    /// There is no other model: wait for this one.
    KeepTrying,
    /// Two quick attempts, then the caller takes another model.
    TryTwiceMore,
    Fail,
}

/// Where randomness comes from: a number from 0 to 1.
#[derive(Clone)]
pub struct Jitter(Arc<dyn Fn() -> f64 + Send + Sync>);

/// Either side of a pause that we chose.
const SPREAD: f64 = 0.3;
/// On top of a pause that the server asked for.
const SERVER_SPREAD: f64 = 0.2;
const QUICK_DELAYS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 10,
            initial_delay: Duration::from_secs(5),
            longest_delay: Duration::from_secs(30),
            fetch_errors: FetchErrors::Retry,
            capacity: OnCapacity::KeepTrying,
            jitter: Jitter::random(),
        }
    }
}

impl RetryPolicy {
    pub fn with_attempts(self, attempts: u32) -> Self {
        Self { attempts, ..self }
    }
}

impl Jitter {
    pub fn random() -> Self {
        // The standard library seeds its hash maps from the operating system.
        Self::from_fn(|| {
            (RandomState::new().build_hasher().finish() >> 32) as f64 / f64::from(u32::MAX)
        })
    }

    /// Always this number. For tests.
    pub fn fixed(unit: f64) -> Self {
        Self::from_fn(move || unit)
    }

    pub fn from_fn(unit: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(unit))
    }

    fn unit(&self) -> f64 {
        (self.0)().clamp(0.0, 1.0)
    }
}

impl fmt::Debug for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Jitter")
    }
}

/// Ends a pause early. Clones end the same one.
#[derive(Clone, Debug, Default)]
pub struct RetryTrigger(CancellationToken);

impl RetryTrigger {
    /// Sends the request now.
    pub fn retry_now(&self) {
        self.0.cancel();
    }

    /// Waits until somebody ends the pause.
    pub async fn fired(&self) {
        self.0.cancelled().await;
    }
}

/// A pause is told apart by what is said about it.
impl PartialEq for RetryTrigger {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for RetryTrigger {}

/// The pauses of one request.
#[derive(Debug)]
pub(crate) struct Backoff {
    policy: RetryPolicy,
    failed: u32,
    delay: Duration,
    quick: std::array::IntoIter<Duration, 2>,
}

impl Backoff {
    pub(crate) fn new(policy: &RetryPolicy) -> Self {
        Self {
            policy: policy.clone(),
            failed: 0,
            delay: policy.initial_delay,
            quick: QUICK_DELAYS.into_iter(),
        }
    }

    /// An attempt failed: the pause before the next one, or `None` when there is none.
    pub(crate) fn after(&mut self, error: &ModelError) -> Option<Retry> {
        self.failed += 1;
        if self.failed >= self.policy.attempts {
            return None;
        }
        let delay = match error {
            ModelError::QuotaExhausted {
                cause: QuotaCause::Capacity,
                ..
            } => match self.policy.capacity {
                OnCapacity::KeepTrying => self.own_delay(),
                OnCapacity::TryTwiceMore => self.quick.next()?,
                OnCapacity::Fail => return None,
            },
            ModelError::RateLimited {
                delay: Some(asked), ..
            } => self.server_delay(*asked),
            error => match (error.retry_rule(), self.policy.fetch_errors) {
                (RetryRule::Never, _) | (RetryRule::FetchError, FetchErrors::Fail) => return None,
                (RetryRule::Always, _) | (RetryRule::FetchError, FetchErrors::Retry) => {
                    self.own_delay()
                }
            },
        };
        Some(Retry {
            attempt: self.failed,
            attempts: self.policy.attempts,
            delay,
            at: SystemTime::now().checked_add(delay),
            error: error.clone(),
            trigger: RetryTrigger::default(),
        })
    }

    fn own_delay(&mut self) -> Duration {
        let spread = SPREAD * (2.0 * self.policy.jitter.unit() - 1.0);
        let delay = scaled(self.delay, 1.0 + spread);
        self.grow();
        delay
    }

    fn server_delay(&mut self, asked: Duration) -> Duration {
        self.delay = self.delay.max(asked);
        let delay = scaled(self.delay, 1.0 + SERVER_SPREAD * self.policy.jitter.unit());
        self.grow();
        delay
    }

    fn grow(&mut self) {
        self.delay = self.delay.saturating_mul(2).min(self.policy.longest_delay);
    }
}

/// `Duration::mul_f64` panics where this stays at the most there is.
fn scaled(delay: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(delay.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests;
