//! Settings files with mistakes in them: one clear message, and everything else works.

use std::fs;
use std::process::Stdio;

use pollux_testkit::fake_editor::InitializeOptions;
use serde_json::{Value, json};

use crate::support::world::World;
use crate::support::{in_root, text};

const BROKEN: &str = "{\n  // my theme\n  \"ui\": { \"theme\": \"Ayu\" }\n  \"tools\": {}\n}\n";

fn write_settings(world: &World, text: &str) -> std::path::PathBuf {
    let folder = world.home().join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("settings.json");
    // In one piece: the host may read it at any time.
    let written = folder.join("settings.json.new");
    fs::write(&written, text).unwrap();
    fs::rename(&written, &path).unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_settings_file_is_reported_once_and_reported_again_when_it_breaks_again() {
    let world = World::new();
    let path = write_settings(&world, BROKEN);
    let (editor, mut door) = world.door(&["lsp"]);
    let watches = InitializeOptions {
        capabilities: json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } }),
        ..in_root(world.work().to_str().unwrap())
    };
    editor.initialize(watches).await;
    let (id, registered) = editor.expect_request("client/registerCapability").await;
    assert_eq!(
        registered["registrations"][0]["method"],
        "workspace/didChangeWatchedFiles"
    );
    editor.respond(&id, Value::Null).await;
    let place = format!("{}:4:3: ", path.display());
    let shown = editor.expect_notification("window/showMessage").await;
    let message = shown["message"].as_str().unwrap();
    assert!(message.starts_with(&place), "{message}");
    assert_eq!(shown["type"], 2, "a warning");
    // The rest still works.
    editor.open("file:///w/a", "plaintext", "works").await;
    assert_eq!(text(&editor, "file:///w/a").await, "works");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        BROKEN,
        "nothing a person wrote is touched"
    );

    let changed =
        json!({ "changes": [{ "uri": format!("file://{}", path.display()), "type": 2 }] });
    write_settings(&world, "{}");
    editor
        .notify("workspace/didChangeWatchedFiles", changed.clone())
        .await;
    write_settings(&world, "[]");
    editor
        .notify("workspace/didChangeWatchedFiles", changed)
        .await;
    let shown = editor.expect_notification("window/showMessage").await;
    let message = shown["message"].as_str().unwrap();
    assert!(message.contains("settings.json:1:1: "), "{message}");
    editor.finish().await;
    door.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_names_every_file_and_what_is_wrong() {
    let world = World::new();
    let path = write_settings(&world, BROKEN);
    let output = world.pollux(&["doctor"]).output().await.unwrap();
    assert_eq!(output.status.code(), Some(1), "something is wrong");
    let printed = String::from_utf8(output.stdout).unwrap();
    let here = |text: &str| {
        text.replace(world.home().to_str().unwrap(), "HOME")
            .replace(world.work().to_str().unwrap(), "WORK")
            .replace(world.run().to_str().unwrap(), "RUN")
            .replace(env!("CARGO_BIN_EXE_pollux"), "POLLUX")
            .replace(env!("CARGO_PKG_VERSION"), "VERSION")
    };
    // The name of the socket depends on the build.
    let printed: Vec<String> = here(&printed)
        .lines()
        .map(|line| match line.split_once("RUN/host-VERSION-") {
            Some((start, _)) => format!("{start}RUN/host-VERSION-…"),
            // What can be confined depends on the kernel, and rules come and go.
            None if line.starts_with("  policy ") => {
                assert!(line.ends_with(" rules in force; see `pollux policy list`"));
                "  policy     …".to_owned()
            }
            None if line.starts_with("  sandbox ") => "  sandbox    …".to_owned(),
            None => line.to_owned(),
        })
        .collect();
    expect_test::expect![[r#"
        pollux VERSION on linux x86_64
          binary     POLLUX
          host       does not run; the first editor starts it
          socket     RUN/host-VERSION-…
          log        HOME/.gemini/pollux/logs/host.log
          keychain   not in use: there is no session bus here, and so no keychain

        WORK
          trust      not trusted yet: nobody has said
          model      the offline demo; set GEMINI_API_KEY for a real one
          policy     …
          sandbox    …
          sessions   0 recorded
          defaults   /etc/gemini-cli/system-defaults.json  (not there)
          user       HOME/.gemini/settings.json  (broken)
          workspace  WORK/.gemini/settings.json  (not there)
          system     /etc/gemini-cli/settings.json  (not there)
          .env       none

        wrong: HOME/.gemini/settings.json:4:3: expected ',' or '}' (add the comma that is missing before this)
        1 problem; everything else works."#]].assert_eq(&printed.join("\n"));
    write_settings(&world, "{}");
    let output = world.pollux(&["doctor"]).output().await.unwrap();
    assert!(output.status.success());
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .ends_with("Nothing is wrong.\n")
    );
    assert!(path.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_keys_nor_texts_reach_the_log() {
    let world = World::new();
    let mut child = world
        .pollux(&["lsp"])
        .env("GEMINI_API_KEY", "key-of-the-door")
        .env("POLLUX_LOG", "trace")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let editor = pollux_testkit::fake_editor::FakeEditor::new(
        child.stdout.take().unwrap(),
        child.stdin.take().unwrap(),
    );
    editor.initialize(in_root("/w")).await;
    editor.ignore("window/logMessage");
    editor
        .open("file:///w/a", "plaintext", "password-in-a-text")
        .await;
    let far = json!({ "line": 9, "character": 0 });
    let misfit = json!({
        "textDocument": { "uri": "file:///w/a", "version": 2 },
        "contentChanges": [{ "range": { "start": far, "end": far }, "text": "password-in-a-text" }],
    });
    editor.notify("textDocument/didChange", misfit).await;
    text(&editor, "file:///w/a").await;
    let host = world.host();
    let environment = fs::read(format!("/proc/{}/environ", host.as_raw_nonzero())).unwrap();
    editor.finish().await;
    child.wait().await.unwrap();
    world.expect_no_process_left().await;
    let log = world.log();
    assert!(log.contains("does not fit"), "the log works: {log}");
    for secret in ["key-of-the-door", "password-in-a-text"] {
        assert!(!log.contains(secret), "{log}");
    }
    assert!(!String::from_utf8_lossy(&environment).contains("key-of-the-door"));
}

#[tokio::test]
async fn without_a_home_folder_nothing_starts() {
    let world = World::new();
    // What anybody could have put into the folder for temporary files.
    let planted = world.tmp().join(".gemini/policies");
    fs::create_dir_all(&planted).unwrap();
    let rule = "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 900\n";
    fs::write(planted.join("planted.toml"), rule).unwrap();
    for home in [None, Some(""), Some("relative")] {
        for arguments in [
            &["doctor"][..],
            &["run", "-m", "demo", "-p", "x"],
            &["run", "--list-sessions"],
            &["run", "--show-prompt", "-p", "x"],
            &["policy", "list"],
            &["policy", "explain", "ls"],
            &["lsp"],
            &["lsp", "--no-share"],
            &["acp"],
            &["mcp"],
            &["attach"],
            &["undo"],
            &["mcp-servers", "list"],
            &["auth"],
            &["host"],
        ] {
            let mut command = world.pollux(arguments);
            match home {
                None => command.env_remove("HOME"),
                Some(home) => command.env("HOME", home),
            };
            command.env_remove("GEMINI_CLI_HOME").stdin(Stdio::null());
            let output = command.output().await.unwrap();
            assert_eq!(output.status.code(), Some(52), "{arguments:?} {output:?}");
            assert!(output.stdout.is_empty(), "{output:?}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains("HOME"), "{said}");
        }
    }
    assert!(!world.work().join("relative").exists());
}

#[tokio::test]
async fn files_of_another_user_are_never_read_as_ones_own() {
    use std::os::unix::fs::chown;

    const ANOTHER: u32 = 65_534;
    let world = World::new();
    let folder = world.home().join(".gemini");
    fs::create_dir_all(folder.join("policies")).unwrap();
    let rule = "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 900\n";
    fs::write(folder.join("policies/planted.toml"), rule).unwrap();
    fs::write(
        folder.join("settings.json"),
        "{\"model\": {\"name\": \"planted\"}}",
    )
    .unwrap();
    fs::write(folder.join(".env"), "GEMINI_API_KEY=planted\n").unwrap();
    for name in ["policies/planted.toml", "settings.json", ".env"] {
        if chown(folder.join(name), Some(ANOTHER), None).is_err() {
            // Only root can give a file away. Without root nothing can be planted here either.
            return;
        }
    }
    let doctor = world.pollux(&["doctor"]).output().await.unwrap();
    let printed = String::from_utf8(doctor.stdout).unwrap();
    assert!(printed.contains("belongs to another user"), "{printed}");
    assert!(!printed.contains("model: planted"), "{printed}");
    let list = world.pollux(&["policy", "list"]).output().await.unwrap();
    let printed = String::from_utf8(list.stdout).unwrap();
    assert!(!printed.contains("planted.toml"), "{printed}");
    let run = ["run", "--skip-trust", "-p", "x"];
    let run = world.pollux(&run).stdin(Stdio::null()).output().await;
    assert_eq!(
        run.unwrap().status.code(),
        Some(41),
        "the key does not count"
    );
}

#[tokio::test]
async fn instructions_commands_agents_and_tokens_of_another_user_do_not_count() {
    use std::os::unix::fs::chown;

    const ANOTHER: u32 = 65_534;
    const AGENT: &str = "---\nname: planted\ndescription: Planted agent\n---\nDo as I say.\n";
    const COMMAND: &str = "prompt = \"planted words\"\n";
    let world = World::new();
    let folder = world.home().join(".gemini");
    let trust = json!({ world.work().to_str().unwrap(): "TRUST_FOLDER" }).to_string();
    let planted = [
        ("GEMINI.md", "Planted instructions."),
        ("commands/planted.toml", COMMAND),
        ("agents/planted.md", AGENT),
        ("trustedFolders.json", trust.as_str()),
        ("mcp-oauth-tokens.json", "[]"),
    ];
    for (name, text) in planted {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let run = async |arguments: &[&str]| {
        let mut command = world.pollux(&[&["run"], arguments].concat());
        let output = command.stdin(Stdio::null()).output().await.unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).unwrap())
    };
    let prompt = ["--skip-trust", "-m", "demo", "--show-prompt", "-p", "x"];
    let agents = ["--skip-trust", "-m", "demo", "-p", "/agents"];
    let command = ["--skip-trust", "-m", "demo", "-p", "/planted"];
    let untrusted = ["-m", "demo", "-p", "x"];
    // All of it counts as long as it is one's own.
    assert!(run(&prompt).await.1.contains("Planted instructions."));
    assert!(run(&agents).await.1.contains("Planted agent"));
    assert_eq!(run(&command).await.0, Some(0));
    assert_eq!(run(&untrusted).await.0, Some(0));
    for (name, _) in planted {
        if chown(folder.join(name), Some(ANOTHER), None).is_err() {
            // Only root can give a file away. Without root nothing can be planted here either.
            return;
        }
    }
    assert!(!run(&prompt).await.1.contains("Planted instructions."));
    assert!(!run(&agents).await.1.contains("Planted agent"));
    let (code, said) = run(&command).await;
    assert_eq!(code, Some(42), "{said}");
    let (code, said) = run(&untrusted).await;
    assert_eq!(code, Some(55), "{said}");
}
