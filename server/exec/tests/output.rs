//! What a command prints and how it ends.

use std::time::Duration;

use pollux_exec::{
    Background, EnvironmentOptions, Exit, Input, OutputKind, Redaction, ShellError, Size, Spool,
    sanitised, start, start_streaming,
};

use crate::support::{guard, in_time, on_pipes, on_terminal, printed, run, text};

#[tokio::test]
async fn output_is_complete_from_the_first_byte() {
    for command in [on_terminal("seq 1 5000"), on_pipes("seq 1 5000")] {
        let ended = run(command).await;
        let expected: String = (1..=5000).map(|number| format!("{number}\n")).collect();
        assert_eq!(text(&ended), expected);
        assert_eq!(ended.exit, Exit::Code(0));
    }
}

#[tokio::test]
async fn what_was_printed_before_anybody_looked_is_there() {
    let (running, mut stream) = start_streaming(&guard(), on_terminal("printf first"))
        .await
        .unwrap();
    let ended = in_time(running.wait()).await;
    assert_eq!(text(&ended), "first");
    assert_eq!(in_time(stream.next()).await.unwrap(), "first");
    assert_eq!(in_time(stream.next()).await, None);
}

#[tokio::test]
async fn a_stream_that_is_read_slowly_loses_nothing() {
    let command = on_terminal("seq 1 400000");
    let (running, mut stream) = start_streaming(&guard(), command).await.unwrap();
    let mut bytes = Vec::new();
    while let Some(piece) = in_time(stream.next()).await {
        bytes.extend_from_slice(&piece);
        tokio::task::yield_now().await;
    }
    let expected: String = (1..=400_000)
        .map(|number| format!("{number}\r\n"))
        .collect();
    assert!(bytes == expected.as_bytes());
    assert_eq!(in_time(running.wait()).await.exit, Exit::Code(0));
}

#[tokio::test]
async fn a_stream_that_nobody_reads_does_not_keep_a_command_from_being_killed() {
    let (running, _stream) = start_streaming(&guard(), on_terminal("yes")).await.unwrap();
    printed(&running, "y").await;
    assert_eq!(in_time(running.kill()).await.exit, Exit::Killed);
}

#[tokio::test]
async fn exits_are_told_apart() {
    for (command, exit) in [
        ("true", Exit::Code(0)),
        ("exit 3", Exit::Code(3)),
        ("no-such-command-anywhere", Exit::Code(127)),
        ("kill -KILL $$", Exit::Signal(9)),
        ("kill -TERM $$", Exit::Signal(15)),
    ] {
        assert_eq!(run(on_terminal(command)).await.exit, exit, "{command}");
        assert_eq!(run(on_pipes(command)).await.exit, exit, "{command}");
    }
}

#[tokio::test]
async fn errors_and_output_come_in_their_order() {
    let command = "echo one; echo two >&2; echo three";
    for command in [on_terminal(command), on_pipes(command)] {
        assert_eq!(text(&run(command).await), "one\ntwo\nthree\n");
    }
}

#[tokio::test]
async fn a_program_sees_a_terminal_or_none() {
    let ask = "test -t 1 && echo terminal; tty < /dev/tty > /dev/null && echo controlled";
    assert_eq!(text(&run(on_terminal(ask)).await), "terminal\ncontrolled\n");
    let ended = run(on_pipes("test -t 1 || echo none")).await;
    assert_eq!(text(&ended), "none\n");
}

#[tokio::test]
async fn without_input_a_question_ends_at_once() {
    for command in ["read x; echo $?", "cat; echo 1"] {
        assert_eq!(text(&run(on_terminal(command)).await), "1\n");
        assert_eq!(text(&run(on_pipes(command)).await), "1\n");
    }
}

#[tokio::test]
async fn a_person_can_answer() {
    for mut command in [on_terminal(ASK), on_pipes(ASK)] {
        command.input = Input::Interactive;
        let running = start(&guard(), command).await.unwrap();
        printed(&running, "name?").await;
        running.write("Ada\n").await.unwrap();
        printed(&running, "got Ada").await;
        running.end_input().await.unwrap();
        let ended = in_time(running.wait()).await;
        assert!(text(&ended).ends_with("end\n"), "{:?}", text(&ended));
    }
}

const ASK: &str = "echo name?; read x; echo got $x; cat; echo end";

#[tokio::test]
async fn a_command_without_input_takes_none() {
    let running = start(&guard(), on_pipes("cat")).await.unwrap();
    let error = running.write("x").await.unwrap_err();
    assert!(matches!(error, ShellError::NoInput));
}

#[tokio::test]
async fn a_terminal_can_be_resized() {
    let mut command = on_terminal("stty size; read x; stty size");
    command.input = Input::Interactive;
    let running = start(&guard(), command).await.unwrap();
    printed(&running, "24 80").await;
    let size = Size {
        rows: 40,
        columns: 100,
    };
    running.resize(size).unwrap();
    running.write("\n").await.unwrap();
    printed(&running, "40 100").await;
}

#[tokio::test]
async fn a_silent_command_is_ended() {
    let mut command = on_terminal("echo before; exec tail -f /dev/null");
    command.inactivity = Some(Duration::from_millis(300));
    let ended = run(command).await;
    assert_eq!(ended.exit, Exit::TimedOut);
    assert_eq!(text(&ended), "before\n");
}

#[tokio::test]
async fn binary_output_is_recognised() {
    let ended = run(on_pipes("head -c 5000 /dev/zero")).await;
    assert_eq!(ended.output.kind, OutputKind::Binary);
    assert_eq!(ended.output.total_bytes, 5000);
    let ended = run(on_terminal("printf 'grün \\033[31mrot\\033[0m\\n'")).await;
    assert_eq!(ended.output.kind, OutputKind::Text);
    assert_eq!(text(&ended), "grün rot\n");
}

#[tokio::test]
async fn the_options_of_the_shell_are_as_the_command_was_read() {
    let command = "shopt promptvars nullglob extglob nocaseglob dotglob | grep -c off";
    assert_eq!(text(&run(on_pipes(command)).await), "5\n");
}

#[tokio::test]
async fn secrets_are_not_in_the_environment_of_the_command() {
    let environment = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("GEMINI_API_KEY", "AIza-secret"),
        ("HARMLESS", &format!("ghp_{}", "a".repeat(36))),
        ("VISIBLE", "yes"),
    ]
    .map(|(name, value)| (name.into(), value.into()));
    let mut command = on_pipes("env");
    command.environment = sanitised(
        environment,
        &EnvironmentOptions {
            redaction: Redaction::On {
                allowed: vec![],
                blocked: vec![],
            },
            ..EnvironmentOptions::default()
        },
    );
    let seen = text(&run(command).await);
    assert!(seen.contains("VISIBLE=yes\n"), "{seen}");
    assert!(seen.contains("GEMINI_CLI=1\n"), "{seen}");
    assert!(!seen.contains("secret") && !seen.contains("ghp_"), "{seen}");
}

#[tokio::test]
async fn the_whole_output_is_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("output.txt");
    let mut command = on_terminal("seq 1 200000; printf end");
    command.spool = Spool::WhenLarge(path.clone());
    let ended = run(command).await;
    assert!(ended.output.left_out > 0);
    assert_eq!(ended.output.file.as_ref().unwrap().cut, None);
    let expected: String = (1..=200_000).map(|number| format!("{number}\n")).collect();
    assert!(std::fs::read_to_string(path).unwrap() == expected + "end");
    assert!(ended.output.tail.ends_with("199999\n200000\nend"));
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named() {
    let mut command = on_pipes("true");
    command.folder = "/no/such/folder".into();
    let error = start(&guard(), command).await.err().unwrap();
    assert_eq!(error.to_string(), "/no/such/folder is not a folder");
}

#[tokio::test]
async fn a_shell_that_is_not_there_is_named() {
    let mut command = on_pipes("true");
    command.environment = vec![("PATH".into(), "/no/such/folder".into())];
    let error = start(&guard(), command).await.err().unwrap();
    assert!(matches!(error, ShellError::Shell { .. }), "{error}");
}

#[tokio::test]
async fn a_command_in_the_background_can_be_listed_and_read() {
    let mut background = Background::default();
    let running = start(&guard(), on_terminal("seq 1 50; exec tail -f /dev/null"))
        .await
        .unwrap();
    printed(&running, "50\n").await;
    assert_eq!(running.wait_up_to(Duration::ZERO).await, None);
    let id = background.adopt("seq".to_owned(), running);
    let list = background.list();
    assert_eq!((list.len(), list[0].id, &list[0].ended), (1, id, &None));
    assert_eq!(background.read(id, 2).unwrap(), "49\n50\n");
    assert_eq!(background.read(id, 100).unwrap().lines().count(), 50);
    assert_eq!(background.read(id + 1, 2), None);
    let ended = in_time(background.kill(id)).await.unwrap();
    assert_eq!(ended.exit, Exit::Killed);
    assert_eq!(background.list(), []);
}
