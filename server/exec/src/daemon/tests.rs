use super::*;

fn start(script: &str, patience: Duration) -> Result<(), StartError> {
    start_daemon(Path::new("/bin/sh"), &["-c", script], [], patience)
}

#[test]
fn a_daemon_that_says_nothing_is_given_up_and_ended() {
    let error = start("exec sleep 600", Duration::from_millis(50)).unwrap_err();
    assert!(error.to_string().contains("said nothing"), "{error}");
}

#[test]
fn a_daemon_that_is_ready_is_left_alone_and_one_that_ends_says_why() {
    let long = Duration::from_secs(60);
    start("echo ready", long).unwrap();
    let error = start("echo no room >&2", long).unwrap_err();
    assert!(error.to_string().contains("no room"), "{error}");
}
