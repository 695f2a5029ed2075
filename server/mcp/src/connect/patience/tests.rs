use std::future::pending;

use super::*;

const LIMIT: Duration = Duration::from_secs(10);

#[tokio::test(start_paused = true)]
async fn whoever_does_not_answer_is_late() {
    let questions = Questions::new(0);
    let before = Instant::now();
    assert_eq!(in_time(LIMIT, &questions, pending::<()>()).await, Err(Late));
    assert_eq!(before.elapsed(), LIMIT);
    assert_eq!(in_time(LIMIT, &questions, async { 1 }).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_person_does_not_count() {
    let questions = Questions::new(0);
    let before = Instant::now();
    let person = async {
        tokio::time::advance(LIMIT / 2).await;
        let open = Open::new(&questions);
        let second = Open::new(&questions);
        // So that it is noticed before time goes on.
        tokio::task::yield_now().await;
        tokio::time::advance(LIMIT * 100).await;
        tokio::task::yield_now().await;
        drop(second);
        tokio::task::yield_now().await;
        tokio::time::advance(LIMIT * 100).await;
        drop(open);
        pending::<()>().await;
    };
    let late = in_time(LIMIT, &questions, person).await;
    assert_eq!(late, Err(Late));
    assert_eq!(before.elapsed(), LIMIT * 201);
}
