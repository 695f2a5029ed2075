use tokio::time::{Instant, advance};

use super::*;

const LIMIT: Duration = Duration::from_secs(300);

#[tokio::test(start_paused = true)]
async fn output_starts_the_time_anew() {
    let (printed, seen) = watch::channel(0);
    let started = Instant::now();
    let silent = tokio::spawn(silence(seen, LIMIT));
    for count in 1..=3 {
        tokio::task::yield_now().await;
        advance(LIMIT - Duration::from_secs(1)).await;
        printed.send_replace(count);
    }
    silent.await.unwrap();
    assert_eq!(started.elapsed().as_secs(), 3 * 299 + 300);
}

#[tokio::test(start_paused = true)]
async fn closed_output_is_silent_output() {
    let (printed, seen) = watch::channel(0);
    drop(printed);
    let started = Instant::now();
    silence(seen, LIMIT).await;
    assert_eq!(started.elapsed(), LIMIT);
}
