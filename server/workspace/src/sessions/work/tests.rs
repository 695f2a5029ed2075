use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use futures_util::FutureExt;

use super::*;

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_never_begun() {
    let work = Work::default();
    let begun = Arc::new(AtomicUsize::new(0));
    let (go_on, held) = mpsc::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(held));
    let ask = || {
        let (begun, held) = (Arc::clone(&begun), Arc::clone(&held));
        work.list(move || {
            begun.fetch_add(1, Ordering::SeqCst);
            held.lock().unwrap().recv().unwrap();
        })
    };
    let mut asked: Vec<_> = (0..1_000).map(|_| Box::pin(ask())).collect();
    for one in &mut asked {
        assert!(one.now_or_never().is_none());
    }
    // The client is gone; what had begun goes on until it is done, and keeps its place.
    drop(asked);
    let mut next = Box::pin(ask());
    assert!((&mut next).now_or_never().is_none());
    for _ in 0..=LISTS {
        go_on.send(()).unwrap();
    }
    assert_eq!(next.await, Some(()));
    assert_eq!(begun.load(Ordering::SeqCst), LISTS + 1);
}

#[tokio::test]
async fn work_that_panics_gives_its_place_back() {
    let work = Work::default();
    for _ in 0..2 * LISTS {
        let panicked = work.list(|| panic!("as it may happen")).await;
        assert_eq!(panicked, None::<()>);
    }
    assert_eq!(work.list(|| 1).await, Some(1));
}
