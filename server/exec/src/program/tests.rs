#![cfg(unix)]

use super::*;

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

fn to_run<'a>(argv: &'a [String], input: &'a str) -> ProgramRun<'a> {
    ProgramRun {
        argv,
        folder: Path::new("/"),
        input: input.as_bytes(),
        output_limit: 100,
        variables: ProgramVariables::Inherited,
        time_limit: None,
    }
}

async fn run(script: &str, input: &str) -> ProgramEnd {
    run_program(to_run(&shell(script), input)).await.unwrap()
}

#[tokio::test]
async fn a_program_is_fed_and_listened_to() {
    let end = run("cat; echo careful >&2; exit 3", "in").await;
    let expected = ProgramEnd {
        stdout: b"in".to_vec(),
        stderr: b"careful\n".to_vec(),
        code: Some(3),
        ..ProgramEnd::default()
    };
    assert_eq!(end, expected);
}

#[tokio::test]
async fn a_program_that_does_not_listen_is_no_fault() {
    let end = run("exec <&-; echo done", &"x".repeat(1 << 20)).await;
    assert_eq!((end.stdout, end.code), (b"done\n".to_vec(), Some(0)));
}

#[tokio::test]
async fn a_signal_is_told() {
    assert_eq!(run("kill -9 $$", "").await.signal, Some(9));
}

#[tokio::test]
async fn a_program_gets_only_the_variables_it_is_given() {
    let argv = ["/usr/bin/env".to_owned()];
    let only = [("TWIN".into(), "Pollux".into())];
    let end = run_program(ProgramRun {
        variables: ProgramVariables::Only(&only),
        ..to_run(&argv, "")
    })
    .await;
    assert_eq!(end.unwrap().stdout, b"TWIN=Pollux\n");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_error() {
    let argv = ["/nowhere/at-all".to_owned()];
    let ran = run_program(to_run(&argv, "")).await;
    assert_eq!(ran.unwrap_err().kind(), io::ErrorKind::NotFound);
    let nothing = run_program(to_run(&[], "")).await;
    assert_eq!(nothing.unwrap_err().kind(), io::ErrorKind::InvalidInput);
}

#[tokio::test]
async fn whoever_writes_without_end_is_ended() {
    // Even one that does not care whether anybody listens.
    let end = run("trap '' PIPE; while :; do echo yes; done 2>/dev/null", "").await;
    assert_eq!((end.overflow, end.stdout.len()), (Overflow::Yes, 100));
    assert_eq!(end.signal, Some(9));
}

#[tokio::test]
async fn a_program_that_is_late_is_asked_to_end_and_may_put_things_in_order() {
    let argv = shell("trap 'exit 7' TERM; sleep 1000 & wait");
    let end = run_program(ProgramRun {
        time_limit: Some(Duration::from_millis(300)),
        ..to_run(&argv, "")
    })
    .await
    .unwrap();
    assert_eq!((end.deadline, end.code), (Deadline::Missed, Some(7)));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_the_future_ends_the_whole_family() {
    use std::io::Read as _;
    use std::os::fd::AsRawFd as _;

    let (mut reader, writer) = io::pipe().unwrap();
    let (process, pipe) = (std::process::id(), writer.as_raw_fd());
    // The child's child holds the pipe, which closes when the last of them is gone.
    let script = format!("(echo r >&9; sleep 1000) 9>/proc/{process}/fd/{pipe} & wait");
    let argv = shell(&script);
    let (ready_tx, ready) = tokio::sync::oneshot::channel();
    let listening = tokio::task::spawn_blocking(move || {
        let mut first = [0; 2];
        reader.read_exact(&mut first).unwrap();
        ready_tx.send(()).unwrap();
        reader.read_to_end(&mut Vec::new()).unwrap();
    });
    tokio::select! {
        ended = run_program(to_run(&argv, "")) => panic!("{ended:?}"),
        ready = ready => ready.unwrap(),
    }
    drop(writer);
    listening.await.unwrap();
}
