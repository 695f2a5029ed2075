//! What a model, a server or a repository writes moves nobody's cursor: every command, both streams.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use pollux_testkit::scripted_mcp;
use pollux_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::json;

use crate::support::talk::{MODEL, calls, model, says, with_model};
use crate::support::world::World;

/// The title of a window, a cleared screen in two ways, and text that is read backwards.
const HOSTILE: &str = "x\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}2J\u{8}\u{202e}y";

fn expect_plain(what: &str, output: &Output) {
    for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        let text = String::from_utf8(bytes.clone()).unwrap();
        let obeyed = text.chars().find(|character| {
            character.is_control() && !matches!(character, '\n' | '\t')
                || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        });
        assert_eq!(obeyed, None, "{what}, {stream}: {text:?}");
    }
}

async fn printed(
    world: &World,
    folder: &Path,
    server: &ScriptedModel,
    arguments: &[&str],
) -> Output {
    let mut command = world.pollux(arguments);
    with_model(&mut command, server);
    command
        .current_dir(folder)
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .stdin(Stdio::null());
    let output = command.output().await.unwrap();
    expect_plain(&arguments.join(" "), &output);
    output
}

/// A folder that is called what nobody would call it.
fn folder(world: &World) -> PathBuf {
    let folder = world.work().join(HOSTILE);
    fs::DirBuilder::new().mode(0o755).create(&folder).unwrap();
    folder
}

fn says_both(output: &Output, words: &str) -> bool {
    let both = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8(both).unwrap().contains(words)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_prints_nothing_that_a_terminal_obeys() {
    for format in ["text", "json", "stream-json"] {
        let world = World::new();
        let folder = folder(&world);
        let hooks = world.home().join(".gemini");
        fs::create_dir_all(&hooks).unwrap();
        let message = format!("hook says {HOSTILE}");
        let said = json!({ "systemMessage": message }).to_string();
        let words = folder.join("words");
        fs::write(&words, said).unwrap();
        let hook = json!({ "type": "command", "command": "cat words" });
        let settings = json!({
            "hooks": { "BeforeAgent": [{ "hooks": [hook] }] },
        });
        fs::write(hooks.join("settings.json"), settings.to_string()).unwrap();
        let server = model([
            calls(
                "write_file",
                json!({ "file_path": HOSTILE, "content": HOSTILE }),
            ),
            calls(HOSTILE, json!({ "path": HOSTILE })),
            calls("read_file", json!({ "file_path": format!("{HOSTILE}/no") })),
            says(&format!("answer {HOSTILE} end")),
        ])
        .await;
        let fixed = [
            "run",
            "--skip-trust",
            "-m",
            MODEL,
            "-o",
            format,
            "-p",
            HOSTILE,
        ];
        let output = printed(&world, &folder, &server, &fixed).await;
        assert!(says_both(&output, "answer x"), "{output:?}");
        assert!(says_both(&output, " end"), "{output:?}");

        let refused = Reply::error(400, "INVALID_ARGUMENT", &format!("wrong {HOSTILE} end"));
        let server = model([refused]).await;
        let output = printed(&world, &folder, &server, &fixed).await;
        assert!(!output.status.success());
        assert!(says_both(&output, "wrong x"), "{output:?}");

        let server = model([]).await;
        for more in [
            &["run", "--list-sessions"][..],
            &[
                "run",
                "--skip-trust",
                "--resume",
                HOSTILE,
                "-o",
                format,
                "-p",
                "x",
            ],
            &[
                "run",
                "--skip-trust",
                "-m",
                MODEL,
                "--show-prompt",
                "-p",
                HOSTILE,
            ],
            &["run", "--delete-session", HOSTILE],
        ] {
            printed(&world, &folder, &server, more).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_about_the_folder_print_nothing_that_a_terminal_obeys() {
    let world = World::new();
    let folder = folder(&world);
    let user = world.home().join(".gemini");
    fs::create_dir_all(user.join("policies")).unwrap();
    let rule = format!(
        "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = {0}\ndecision = \"deny\"\n\
         priority = 100\ndenyMessage = {0}\n[[rule]]\ntoolName = {0}\ndecision = 3\npriority = 1\n",
        json!(HOSTILE)
    );
    fs::write(user.join("policies").join(format!("{HOSTILE}.toml")), rule).unwrap();
    let approvals = format!(
        "[[rule]]\ndecision = \"allow\"\npriority = 950\ntoolName = \"run_shell_command\"\ncommandPrefix = {}\n",
        json!(HOSTILE)
    );
    fs::write(user.join("policies/auto-saved.toml"), approvals).unwrap();
    let argv = scripted_mcp(&[&format!("prompt={HOSTILE}"), "odd"]);
    let settings = json!({
        "general": { "defaultApprovalMode": HOSTILE },
        HOSTILE: HOSTILE,
        "mcpServers": {
            HOSTILE: { "command": argv[0], "args": argv[1..] },
            "broken": { "command": HOSTILE },
        },
    });
    fs::write(user.join("settings.json"), settings.to_string()).unwrap();
    let project = folder.join(".gemini");
    fs::create_dir_all(&project).unwrap();
    fs::write(
        project.join("settings.json"),
        format!("{{ \"{HOSTILE}\": }}"),
    )
    .unwrap();
    let server = model([]).await;
    for arguments in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["policy", "list"],
        &["policy", "list", "--json"],
        &["policy", "explain", HOSTILE],
        &["policy", "explain", "--json", HOSTILE],
        &["policy", "explain", "--tool", HOSTILE],
        &["policy", "test", HOSTILE],
        &["policy", "approvals"],
        &["policy", "approvals", "--json"],
        &["mcp-servers", "list"],
        &["mcp-servers", "test", HOSTILE],
        &["mcp-servers", "test", "broken"],
        &["mcp-servers", "remove", "no"],
        &["undo"],
        &["undo", "--list"],
        &["undo", "--turn"],
        &["attach", HOSTILE],
        &["auth"],
        &["nothing", HOSTILE],
    ] {
        printed(&world, &folder, &server, arguments).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_and_a_followed_session_print_nothing_that_a_terminal_obeys() {
    let world = World::new();
    let folder = folder(&world);
    fs::write(folder.join("README.md"), HOSTILE).unwrap();
    let server = model([]).await;
    let place = folder.display().to_string();
    printed(&world, &folder, &server, &["demo", "--workspace", &place]).await;
}
