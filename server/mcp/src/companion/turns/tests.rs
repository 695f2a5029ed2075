use std::pin::pin;

use futures_util::FutureExt;
use futures_util::poll;

use super::{DocumentKey, Turns};

fn key(name: &str) -> DocumentKey {
    DocumentKey::File(format!("/w/{name}").into())
}

#[tokio::test]
async fn a_file_has_its_turns_in_the_order_they_were_asked_for() {
    let turns = Turns::default();
    let (one, other) = (key("one"), key("other"));
    let first = turns.of(&one).await;
    let (mut second, mut third) = (pin!(turns.of(&one)), pin!(turns.of(&one)));
    assert!(poll!(second.as_mut()).is_pending());
    assert!(poll!(third.as_mut()).is_pending());
    // Another file waits for nobody.
    drop(turns.of(&other).now_or_never().unwrap());
    drop(first);
    assert!(poll!(third.as_mut()).is_pending());
    let second = second.await;
    assert!(poll!(third.as_mut()).is_pending());
    drop(second);
    drop(third.await);
}

#[tokio::test]
async fn a_file_that_nobody_wants_any_more_is_not_kept() {
    let turns = Turns::default();
    let (one, other) = (key("one"), key("other"));
    let first = turns.of(&one).await;
    let another = turns.of(&other).await;
    assert_eq!(turns.files(), 2);
    {
        let mut waiting = pin!(turns.of(&one));
        assert!(poll!(waiting.as_mut()).is_pending());
        drop(first);
        // It has been waited for all the time.
        assert_eq!(turns.files(), 2);
        // Whoever waits gives up.
    }
    assert_eq!(turns.files(), 1);
    drop(another);
    assert_eq!(turns.files(), 0);
    let first = turns.of(&one).await;
    let waiting = turns.of(&one);
    drop(first);
    // What has not begun to wait has no place yet.
    assert_eq!(turns.files(), 0);
    drop(waiting.await);
    assert_eq!(turns.files(), 0);
}
