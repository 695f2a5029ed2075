use super::*;

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_the_stream_but_not_for_ever() {
    let opening = Opening::default();
    let before = Instant::now();
    // Where no stream is asked for there is nothing to wait for.
    opening.settled().await;
    assert_eq!(before.elapsed(), Duration::ZERO);

    opening.begins();
    opening.settled().await;
    assert_eq!(before.elapsed(), LONGEST);
    // The second call does not wait once more.
    opening.settled().await;
    assert_eq!(before.elapsed(), LONGEST);
}

#[tokio::test(start_paused = true)]
async fn a_call_goes_out_when_the_stream_is_there() {
    let opening = Opening::default();
    let before = Instant::now();
    opening.begins();
    let open = async {
        tokio::time::advance(LONGEST / 2).await;
        opening.is_over();
    };
    tokio::join!(opening.settled(), open);
    assert_eq!(before.elapsed(), LONGEST / 2);
}
