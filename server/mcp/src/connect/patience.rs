//! How long a call is waited for. The clock stands still while a person is asked: their time is not the server's.

#[cfg(test)]
mod tests;

use std::pin::pin;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// How many questions are open.
pub(super) type Questions = watch::Sender<usize>;

/// A question that is open for as long as this lives.
pub(super) struct Open<'a>(&'a Questions);

impl<'a> Open<'a> {
    pub(super) fn new(questions: &'a Questions) -> Self {
        questions.send_modify(|count| *count += 1);
        Self(questions)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// The server has let its time pass.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Late;

pub(super) async fn in_time<T>(
    limit: Duration,
    questions: &Questions,
    asking: impl Future<Output = T>,
) -> Result<T, Late> {
    let mut asking = pin!(asking);
    let mut open = questions.subscribe();
    let mut left = limit;
    loop {
        let is_asked = *open.borrow_and_update() > 0;
        let since = Instant::now();
        tokio::select! {
            biased;
            answer = &mut asking => return Ok(answer),
            changed = open.changed() => {
                // The sender is borrowed here, so it cannot be gone.
                let _never_closed = changed;
            }
            () = tokio::time::sleep(left), if !is_asked => return Err(Late),
        }
        if !is_asked {
            left = left.saturating_sub(since.elapsed());
        }
    }
}
