//! A program that is talked to, and that ends with whoever talks to it.

use pollux_exec::{ServerError, ServerExit, ServerProgram, Variable, start_server};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::support::{guard, in_time, is_alive};

fn argv(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn environment() -> Vec<Variable> {
    #[expect(clippy::disallowed_methods, reason = "tests need programs to run")]
    let path = std::env::var_os("PATH").unwrap();
    vec![
        ("PATH".into(), path),
        ("GREETING".into(), "it's 'quoted'".into()),
    ]
}

#[tokio::test]
async fn a_server_is_heard_and_answers_and_its_complaints_come_apart() {
    let script = "echo \"$GREETING\" \"$1\" >&2; while read line; do echo \"<$line>\"; done";
    let argv = argv(&["bash", "-c", script, "sh", "a 'b' $HOME"]);
    let folder = std::env::temp_dir();
    let program = ServerProgram {
        argv: &argv,
        folder: &folder,
        environment: &environment(),
    };
    let (mut process, mut streams) = start_server(&guard(), program).await.unwrap();
    streams.input.write_all(b"one\n").await.unwrap();
    let mut output = BufReader::new(streams.output).lines();
    let line = in_time(output.next_line()).await.unwrap();
    assert_eq!(line.as_deref(), Some("<one>"));
    let mut errors = BufReader::new(streams.errors).lines();
    let line = in_time(errors.next_line()).await.unwrap();
    assert_eq!(line.as_deref(), Some("it's 'quoted' a 'b' $HOME"));
    drop(streams.input);
    assert_eq!(in_time(process.ended()).await, ServerExit::Code(0));
}

#[tokio::test]
async fn dropping_a_server_ends_it_and_its_children() {
    let argv = argv(&[
        "bash",
        "-c",
        "trap '' TERM; sleep 1000 & echo $! $$; wait; wait",
    ]);
    let folder = std::env::temp_dir();
    let program = ServerProgram {
        argv: &argv,
        folder: &folder,
        environment: &environment(),
    };
    let (process, streams) = start_server(&guard(), program).await.unwrap();
    let mut output = BufReader::new(streams.output);
    let mut line = String::new();
    in_time(output.read_line(&mut line)).await.unwrap();
    let ids = crate::support::ids(&line);
    assert_eq!(ids.len(), 2, "{line}");
    drop(process);
    // The output ends when nobody is left who could write to it.
    in_time(output.read_to_string(&mut line)).await.unwrap();
    in_time(async {
        while ids.iter().any(|id| is_alive(*id)) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_program_that_is_not_there_says_so_in_its_complaints() {
    let argv = argv(&["no-such-program-anywhere"]);
    let folder = std::env::temp_dir();
    let program = ServerProgram {
        argv: &argv,
        folder: &folder,
        environment: &environment(),
    };
    let (mut process, streams) = start_server(&guard(), program).await.unwrap();
    assert_eq!(in_time(process.ended()).await, ServerExit::Code(127));
    let mut errors = BufReader::new(streams.errors).lines();
    let line = in_time(errors.next_line()).await.unwrap().unwrap();
    assert!(line.contains("no-such-program-anywhere"), "{line}");
}

#[tokio::test]
async fn nothing_is_started_without_a_program_or_a_folder() {
    let environment = environment();
    let nowhere = ServerProgram {
        argv: &argv(&["true"]),
        folder: std::path::Path::new("/no/such/folder"),
        environment: &environment,
    };
    let refused = start_server(&guard(), nowhere).await.err();
    assert!(matches!(refused, Some(ServerError::NoFolder { .. })));
    let nothing = ServerProgram {
        argv: &[],
        folder: std::path::Path::new("/"),
        environment: &environment,
    };
    let refused = start_server(&guard(), nothing).await.err();
    assert!(matches!(refused, Some(ServerError::NoProgram)));
}
