use std::process::{Command, Stdio};
use std::time::Duration;

use super::*;

#[tokio::test]
async fn the_end_of_a_process_is_noticed() {
    #[expect(clippy::disallowed_methods, reason = "a process to watch")]
    let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let ended = process_ended(child.id());
    drop(child.stdin.take());
    tokio::time::timeout(Duration::from_secs(20), ended)
        .await
        .unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn a_process_that_is_not_there_never_ends() {
    tokio::select! {
        biased;
        () = process_ended(u32::MAX) => panic!("there is no such process"),
        () = tokio::task::yield_now() => {}
    }
}
