//! `pollux run`: prompts in, answers out, and codes that scripts can rely on.

use std::fs;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::support::talk::{MODEL, model, says, with_model};
use crate::support::world::World;

async fn run(world: &World, arguments: &[&str], stdin: &str) -> Output {
    let mut child = world
        .pollux(&[&["run", "--skip-trust"], arguments].concat())
        .env("GEMINI_MODEL", "demo")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(stdin.as_bytes()).await.unwrap();
    drop(input);
    child.wait_with_output().await.unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    std::str::from_utf8(&output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn edits_are_made_only_where_the_mode_allows_it() {
    for (mode, written) in [("default", false), ("plan", false), ("auto_edit", true)] {
        let world = World::new();
        world.unpack_sample();
        let arguments = ["-p", "fix it", "-o", "stream-json", "--approval-mode", mode];
        let output = run(&world, &arguments, "").await;
        assert!(output.status.success(), "{output:?}");
        let lines = lines(&output);
        let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
        assert_eq!((of("init"), of("result")), (1, 1), "{mode}");
        assert_eq!(of("tool_use"), of("tool_result"));
        assert_eq!(lines.last().unwrap()["status"], "success");
        let text = fs::read_to_string(world.work().join("src/retry.rs")).unwrap();
        assert_eq!(text.contains("attempt >= policy"), written, "{mode}");
    }
}

#[tokio::test]
async fn the_prompt_may_come_on_standard_input() {
    let world = World::new();
    let output = run(
        &world,
        &["-o", "stream-json", "and", "this"],
        "from a pipe\n",
    )
    .await;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(lines(&output)[1]["content"], "from a pipe\n\nand this");
    let nothing = run(&world, &[], "").await;
    assert_eq!(nothing.status.code(), Some(42));
    let said = String::from_utf8(nothing.stderr).unwrap();
    assert!(said.contains("no prompt"), "{said}");
}

#[tokio::test]
async fn settings_5_an_untrusted_folder_and_broken_settings_are_refused_with_their_codes() {
    let world = World::new();
    let untrusted = world
        .pollux(&["run", "-p", "x"])
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    assert_eq!(untrusted.status.code(), Some(55), "{untrusted:?}");
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    fs::write(world.home().join(".gemini/settings.json"), "[]").unwrap();
    let broken = run(&world, &["-p", "x"], "").await;
    assert_eq!(broken.status.code(), Some(52), "{broken:?}");
    let said = String::from_utf8(broken.stderr).unwrap();
    assert!(said.contains("settings.json:1:1"), "{said}");
}

#[tokio::test]
async fn settings_14_where_yolo_is_ruled_out_it_is_refused() {
    let world = World::new();
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    let settings = json!({ "security": { "disableYoloMode": true } });
    fs::write(
        world.home().join(".gemini/settings.json"),
        settings.to_string(),
    )
    .unwrap();
    let refused = run(&world, &["--yolo", "-p", "x"], "").await;
    assert_eq!(refused.status.code(), Some(52), "{refused:?}");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("security.disableYoloMode"), "{said}");
    let usual = run(&world, &["-p", "x"], "").await;
    assert_eq!(usual.status.code(), Some(0), "{usual:?}");
}

#[tokio::test]
async fn a_session_is_recorded_listed_resumed_and_removed() {
    let world = World::new();
    let first = run(&world, &["-p", "remember me", "-o", "json"], "").await;
    let first: Value = serde_json::from_slice(&first.stdout).unwrap();
    let id = first["session_id"].as_str().unwrap();
    let listed = run(&world, &["--list-sessions"], "").await;
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        listed.contains("remember me") && listed.contains(id),
        "{listed}"
    );

    for which in ["latest", "1", id] {
        let again = run(
            &world,
            &["-p", "and now", "-o", "json", "--resume", which],
            "",
        )
        .await;
        let again: Value = serde_json::from_slice(&again.stdout).unwrap();
        assert_eq!(again["session_id"], id, "{which}");
    }
    let wrong = run(&world, &["-p", "x", "--resume", "7"], "").await;
    assert_eq!(wrong.status.code(), Some(42), "{wrong:?}");

    let removed = run(&world, &["--delete-session", "1"], "").await;
    assert!(String::from_utf8(removed.stdout).unwrap().contains(id));
    let listed = run(&world, &["--list-sessions"], "").await;
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(!listed.contains(id), "{listed}");
}

#[tokio::test]
async fn the_prompt_can_be_looked_at_before_anything_is_sent() {
    let world = World::new();
    fs::write(world.work().join("GEMINI.md"), "Always answer in rhymes.").unwrap();
    let shown = run(&world, &["-p", "hello there", "--show-prompt"], "").await;
    let shown = String::from_utf8(shown.stdout).unwrap();
    for expected in [
        "Always answer in rhymes.",
        "<session_context>",
        "hello there",
        "read_file",
    ] {
        assert!(shown.contains(expected), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_is_what_is_sent() {
    let world = World::new();
    fs::write(world.work().join("a.rs"), "fn in_the_file() {}\n").unwrap();
    let commands = world.home().join(".gemini/commands");
    fs::create_dir_all(&commands).unwrap();
    let mine = "prompt = \"Look into {{args}} as I like it.\"\n";
    fs::write(commands.join("mine.toml"), mine).unwrap();
    let server = model([says("first"), says("second"), says("third")]).await;
    let with_server = async |arguments: &[&str]| {
        let fixed = ["run", "--skip-trust", "-m", MODEL];
        let mut command = world.pollux(&[&fixed, arguments].concat());
        with_model(&mut command, &server);
        let output = command.stdin(Stdio::null()).output().await.unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for (place, arguments, expected) in [
        (0, &["-p", "look at @a.rs"][..], "fn in_the_file() {}"),
        (
            1,
            &["-p", "/mine a.rs", "--resume"],
            "Look into a.rs as I like it.",
        ),
        (2, &["-p", "and now", "--resume"], "second"),
    ] {
        let shown = with_server(&[arguments, &["--show-prompt"]].concat()).await;
        assert!(shown.contains(expected), "{shown}");
        assert_eq!(server.requests().len(), place, "nothing is sent");
        with_server(arguments).await;
        let sent = server.requests()[place].json();
        let contents = sent["contents"].as_array().unwrap().iter();
        let texts = contents.flat_map(|content| content["parts"].as_array().unwrap());
        let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
        assert!(texts.len() > 2, "{sent}");
        for text in texts {
            assert!(shown.contains(text.trim()), "{text} is not in {shown}");
        }
    }
    let listed = with_server(&["--list-sessions"]).await;
    assert!(listed.contains("(1)"), "{listed}");
}

#[tokio::test]
async fn json_is_one_object() {
    let world = World::new();
    let output = run(&world, &["-p", "hello", "-o", "json"], "").await;
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        object["response"].as_str().unwrap().contains("demo"),
        "{object}"
    );
    assert!(object["stats"]["models"]["demo"].is_object(), "{object}");
}

#[tokio::test]
async fn a_reader_that_has_seen_enough_is_no_failure() {
    let world = World::new();
    world.unpack_sample();
    let mut child = world
        .pollux(&["run", "--skip-trust", "-p", "fix it", "-o", "stream-json"])
        .env("GEMINI_MODEL", "demo")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.next_line().await.unwrap();
    drop(lines);
    assert!(child.wait().await.unwrap().success());
}

/// A run with one answer of a model that has this name.
async fn run_with(world: &World, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    world
        .pollux(&[&["run", "--skip-trust", "-p", "hello"], arguments].concat())
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap()
}

fn expect_refused(output: &Output, words: &str) {
    assert_eq!(output.status.code(), Some(41), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(words), "{said}");
}

#[tokio::test]
async fn without_a_key_only_the_demo_by_name_answers() {
    let world = World::new();
    for arguments in [&[][..], &["-m", "gemini-2.5-pro"], &["-m", "auto"]] {
        let output = run_with(&world, arguments, &[]).await;
        expect_refused(&output, "GEMINI_API_KEY");
    }
    let demo = run_with(&world, &["-m", "demo"], &[]).await;
    assert_eq!(demo.status.code(), Some(0), "{demo:?}");
}

#[tokio::test]
async fn an_unknown_model_or_provider_is_refused_before_anything_is_sent() {
    let world = World::new();
    let key = [("GEMINI_API_KEY", "x")];
    for variables in [&[][..], &key] {
        let output = run_with(&world, &["-m", "nosuch"], variables).await;
        expect_refused(&output, "unknown model `nosuch`");
        let output = run_with(&world, &["-m", "nosuch:model"], variables).await;
        expect_refused(&output, "unknown provider `nosuch`");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_way_to_sign_in_that_is_selected_or_enforced_is_not_replaced_by_the_key() {
    for name in ["selectedType", "enforcedType"] {
        for kind in ["oauth-personal", "vertex-ai", "cloud-shell"] {
            let world = World::new();
            let server = model([says("hello")]).await;
            fs::create_dir_all(world.home().join(".gemini")).unwrap();
            let settings = json!({ "security": { "auth": { name: kind } } });
            let file = world.home().join(".gemini/settings.json");
            fs::write(&file, settings.to_string()).unwrap();
            let url = server.url();
            let variables = [
                ("GEMINI_API_KEY", "x"),
                ("GOOGLE_GEMINI_BASE_URL", url.as_str()),
            ];
            let output = run_with(&world, &["-m", MODEL], &variables).await;
            expect_refused(&output, &format!("security.auth.{name} is `{kind}`"));
            assert_eq!(server.requests().len(), 0);
            let settings = json!({ "security": { "auth": { name: "gemini-api-key" } } });
            fs::write(&file, settings.to_string()).unwrap();
            let output = run_with(&world, &["-m", MODEL], &variables).await;
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
    }
}

#[tokio::test]
async fn a_home_that_cannot_be_written_is_not_called_a_missing_key() {
    let world = World::new();
    // In the place of the folder stands a file, which holds for root as well.
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    fs::write(world.home().join(".gemini/tmp"), "").unwrap();
    let output = run_with(&world, &["-m", "demo"], &[]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("cannot use "), "{said}");
    assert!(
        said.contains("File exists") || said.contains("Not a directory"),
        "{said}"
    );
}
