use super::*;

/// The pauses before so many looks, where the next change comes after this time.
async fn pauses(pace: &mut Pace, looks: usize, between: Duration) -> (Vec<u128>, usize) {
    let (mut pauses, mut words) = (Vec::new(), 0);
    for _ in 0..looks {
        words += usize::from(pace.slows_down());
        pauses.push(pace.pause().as_millis());
        tokio::time::advance(pace.pause()).await;
        pace.looked();
        tokio::time::advance(between).await;
    }
    (pauses, words)
}

#[tokio::test(start_paused = true)]
async fn a_flood_is_looked_at_less_and_less_and_told_of_once() {
    let mut pace = Pace::default();
    let (flood, words) = pauses(&mut pace, 9, Duration::ZERO).await;
    assert_eq!(
        flood,
        [300, 600, 1_200, 2_400, 4_800, 9_600, 19_200, 30_000, 30_000]
    );
    assert_eq!(words, 1);
    tokio::time::advance(QUIET).await;
    let (again, words) = pauses(&mut pace, 4, Duration::ZERO).await;
    assert_eq!(again, [300, 600, 1_200, 2_400]);
    assert_eq!(words, 0);
}

#[tokio::test(start_paused = true)]
async fn a_change_now_and_then_is_looked_at_soon() {
    let (pauses, words) = pauses(&mut Pace::default(), 20, QUIET).await;
    assert!(pauses.iter().all(|pause| *pause == 300));
    assert_eq!(words, 0);
}
