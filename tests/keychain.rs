//! Keys in the keychain: a real secret service on a bus of its own.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use pollux_testkit::ScriptedAuthorization;
use pollux_testkit::scripted_authorization::{GOOD_TOKEN, sign_in_at};
use pollux_testkit::scripted_model::ScriptedModel;
use rustix::process::{Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::support::talk::{MODEL, model, says};
use crate::support::world::World;

/// Starts a keyring that is open, waits until it is on the bus, says where that is, and stays until standard input
/// closes.
const UNLOCKED: &str = r#"
    printf 'password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null
    until dbus-send --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetNameOwner \
        string:org.freedesktop.secrets >/dev/null 2>&1; do :; done
    echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat"#;

/// The same for a keyring that nobody has unlocked.
const LOCKED: &str = r#"
    gnome-keyring-daemon --start --components=secrets >/dev/null
    until dbus-send --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetNameOwner \
        string:org.freedesktop.secrets >/dev/null 2>&1; do :; done
    echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat"#;

/// A bus that nobody has ever put a secret service on.
const BARE: &str = r#"echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat"#;

const NAMES: [&str; 4] = [
    "service",
    "gemini-cli-api-key",
    "account",
    "default-api-key",
];

/// A session bus, with or without a keyring.
struct Bus<'a> {
    world: &'a World,
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    address: String,
}

impl<'a> Bus<'a> {
    async fn start(world: &'a World, script: &str) -> Self {
        let mut command = world.command("dbus-run-session");
        // A configuration without services: only what the script starts is there.
        let config = world.run().join("bus.conf");
        fs::write(&config, CONFIG).unwrap();
        let mut child = in_session(&mut command, world)
            .arg("--config-file")
            .arg(&config)
            .args(["--", "sh", "-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.next_line().await.unwrap().unwrap();
        Self {
            world,
            child,
            lines,
            address,
        }
    }

    /// Ends the bus, and with it everything on it.
    async fn stop(mut self) {
        drop(self.child.stdin.take());
        assert_eq!(self.lines.next_line().await.unwrap(), None);
        self.child.wait().await.unwrap();
        self.world.expect_no_process_left().await;
    }

    fn on<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        in_session(command, self.world).env("DBUS_SESSION_BUS_ADDRESS", &self.address)
    }

    async fn pollux(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.world.pollux(arguments);
        fed(self.on(&mut command), input).await
    }

    /// The system's own client, which knows nothing of us.
    async fn secret_tool(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.world.command("secret-tool");
        fed(self.on(command.args(arguments)), input).await
    }
}

/// A test that has failed leaves no keyring behind.
impl Drop for Bus<'_> {
    fn drop(&mut self) {
        for pid in self.world.processes("") {
            // It may have ended by itself meanwhile.
            let _gone = kill_process(pid, Signal::KILL);
        }
    }
}

const CONFIG: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

fn in_session<'a>(command: &'a mut Command, world: &World) -> &'a mut Command {
    command.env("XDG_RUNTIME_DIR", world.run())
}

async fn fed(command: &mut Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Not everything that is started reads.
    let _closed_early = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    child.wait_with_output().await.unwrap()
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// One turn with whoever answers.
async fn turn(bus: &Bus<'_>, world: &World, server: &ScriptedModel) -> Output {
    let mut command = world.pollux(&["run", "--skip-trust", "-p", "hello"]);
    command
        .env("GEMINI_MODEL", MODEL)
        .env("GOOGLE_GEMINI_BASE_URL", server.url());
    fed(bus.on(&mut command), "").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_stored_where_the_twin_looks_and_removed_again() {
    let world = World::new();
    let bus = Bus::start(&world, UNLOCKED).await;
    let none = bus.pollux(&["auth", "--status"], "").await;
    assert_eq!(none.status.code(), Some(1), "{none:?}");

    let stored = bus.pollux(&["auth"], "AIza-of-the-person\n").await;
    assert!(!said(&stored).contains("AIza"), "{stored:?}");
    let lookup = [&["lookup"], &NAMES[..]].concat();
    let found = bus.secret_tool(&lookup, "").await;
    let mut entry: Value = serde_json::from_slice(&found.stdout).unwrap();
    assert!(entry["updatedAt"].take().as_u64().unwrap() > 1_700_000_000_000);
    let expected = json!({
        "serverName": "default-api-key",
        "token": { "accessToken": "AIza-of-the-person", "tokenType": "ApiKey" },
        "updatedAt": null,
    });
    assert_eq!(entry, expected);
    // The twin's library asks for the schema as well.
    let schema = ["xdg:schema", "org.freedesktop.Secret.Generic"];
    let found = bus.secret_tool(&[&lookup[..], &schema].concat(), "").await;
    assert!(said(&found).contains("AIza-of-the-person"));

    // A new key takes the place of the old one.
    said(&bus.pollux(&["auth"], "AIza-second").await);
    let found = bus.secret_tool(&lookup, "").await;
    assert!(said(&found).contains("AIza-second"));
    said(&bus.pollux(&["auth", "--status"], "").await);

    let doctor = said(&bus.pollux(&["doctor"], "").await);
    assert!(
        doctor.contains("keychain   holds a Gemini key\n"),
        "{doctor}"
    );
    assert!(
        doctor.contains("auto, with the key from the keychain\n"),
        "{doctor}"
    );
    assert!(!doctor.contains("AIza"), "{doctor}");

    let wrong = bus.pollux(&["auth"], "not a key\n").await;
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");

    said(&bus.pollux(&["auth", "--clear"], "").await);
    let gone = bus.secret_tool(&lookup, "").await;
    assert_eq!((gone.status.code(), gone.stdout), (Some(1), Vec::new()));
    let again = bus.pollux(&["auth", "--clear"], "").await;
    assert_eq!(said(&again), "There was no Gemini key in the keychain.\n");
    bus.stop().await;
}

/// What the keychain holds for the MCP server `s`, as JSON.
async fn tokens(bus: &Bus<'_>) -> Option<Value> {
    let names = ["lookup", "service", "gemini-cli-oauth", "account", "s"];
    let found = bus.secret_tool(&names, "").await;
    let is_there = found.status.success();
    is_there.then(|| serde_json::from_slice(&found.stdout).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_has_signed_in_with_at_a_server_lies_in_the_keychain() {
    let locked = ScriptedAuthorization::start(|_, _| None).await;
    let world = World::new();
    let bus = Bus::start(&world, UNLOCKED).await;
    let folder = world.home().join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let settings = json!({ "mcpServers": { "s": { "url": locked.url(), "type": "http" } } });
    fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    let pollux = |arguments: &'static [&'static str]| {
        let mut command = world.pollux(&[&["mcp-servers"], arguments].concat());
        bus.on(&mut command)
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        command
    };
    let mut command = pollux(&["auth", "s"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"y\n").await.unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let page = loop {
        let line = lines.next_line().await.unwrap().unwrap();
        if line.contains("/authorize?") {
            break line.trim().to_owned();
        }
    };
    sign_in_at(&page).await;
    assert!(child.wait().await.unwrap().success());
    let kept = tokens(&bus).await.unwrap();
    assert_eq!(kept["serverName"], "s");
    assert_eq!(kept["token"]["accessToken"], GOOD_TOKEN);
    let plain = folder.join("mcp-oauth-tokens.json");
    let sealed = folder.join("gemini-credentials.json");
    assert!(!plain.exists() && !sealed.exists());
    let list = fed(&mut pollux(&["list"]), "").await;
    assert_eq!(said(&list), "✓ s: connected\n");

    // What lies in the plain file of the twin moves to where it is safer.
    let clear = ["clear", "service", "gemini-cli-oauth", "account", "s"];
    said(&bus.secret_tool(&clear, "").await);
    fs::write(&plain, json!([kept]).to_string()).unwrap();
    let list = fed(&mut pollux(&["list"]), "").await;
    assert_eq!(said(&list), "✓ s: connected\n");
    assert_eq!(tokens(&bus).await, Some(kept));
    assert!(!plain.exists());

    let out = fed(&mut pollux(&["auth", "s", "--remove"]), "").await;
    assert_eq!(said(&out), "You are signed out at `s`.\n");
    assert_eq!(tokens(&bus).await, None);
    let list = fed(&mut pollux(&["list"]), "").await;
    assert!(
        said(&list).starts_with("✗ s: needs you to sign in"),
        "{list:?}"
    );
    bus.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_does_not_show_the_key_that_is_typed() {
    let world = World::new();
    let bus = Bus::start(&world, UNLOCKED).await;
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let terminal = openpt(flags).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let end = || {
        let path = Path::new(name.to_str().unwrap());
        let end = fs::OpenOptions::new().read(true).write(true).open(path);
        Stdio::from(end.unwrap())
    };
    let mut command = world.pollux(&["auth"]);
    command.stdin(end()).stdout(end()).stderr(end());
    let mut child = bus.on(&mut command).spawn().unwrap();
    // Whoever holds an end of the terminal keeps it from closing.
    drop(command);
    let shown = tokio::task::spawn_blocking(move || {
        let mut terminal = fs::File::from(terminal);
        let mut shown = Vec::new();
        let mut typed = false;
        let mut part = [0; 1024];
        // An error is how a terminal says that the other side has left.
        while let Ok(count @ 1..) = terminal.read(&mut part) {
            shown.extend_from_slice(&part[..count]);
            if !typed && shown.ends_with(b"(not shown): ") {
                typed = true;
                terminal.write_all(b"AIza-typedd\x7f\r").unwrap();
            }
        }
        String::from_utf8(shown).unwrap()
    });
    let shown = shown.await.unwrap();
    assert!(child.wait().await.unwrap().success(), "{shown}");
    assert!(!shown.contains("AIza"), "{shown}");
    let found = bus
        .secret_tool(&[&["lookup"], &NAMES[..]].concat(), "")
        .await;
    assert!(said(&found).contains("\"AIza-typed\""), "{shown}");
    bus.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_uses_the_key_that_the_twin_has_stored() {
    let world = World::new();
    let bus = Bus::start(&world, UNLOCKED).await;
    let entry = json!({
        "serverName": "default-api-key",
        "token": { "accessToken": "AIza-of-the-twin", "tokenType": "ApiKey" },
        "updatedAt": 1_700_000_000_000_u64,
    });
    let store = [&["store", "--label=twin"], &NAMES[..]].concat();
    said(&bus.secret_tool(&store, &entry.to_string()).await);

    let server = model([says("Hello, twin.")]).await;
    let output = turn(&bus, &world, &server).await;
    assert_eq!(said(&output).trim_end(), "Hello, twin.", "{output:?}");
    let requests = server.requests();
    let sent: Vec<_> = requests
        .iter()
        .map(|request| request.header("x-goog-api-key"))
        .collect();
    assert_eq!(sent, [Some("AIza-of-the-twin")]);
    let everything = format!("{output:?}{}", world.log());
    assert!(!everything.contains("AIza-of-the-twin"), "{everything}");
    bus.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_from_the_files_of_a_folder_does_not_get_the_key() {
    let world = World::new();
    let bus = Bus::start(&world, UNLOCKED).await;
    said(&bus.pollux(&["auth"], "AIza-of-the-person").await);
    let server = model([says("Hello, stranger.")]).await;
    let file = format!("GOOGLE_GEMINI_BASE_URL={}\n", server.url());
    fs::write(world.work().join(".env"), file).unwrap();
    let arguments = ["run", "--skip-trust", "-m", MODEL, "-p", "hello"];
    said(&bus.pollux(&arguments, "").await);
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].header("x-goog-api-key"), None);
    bus.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_keyring_that_answers_a_run_ends_soon() {
    let world = World::new();
    // What is stored cannot be read before somebody has unlocked it.
    let bus = Bus::start(&world, UNLOCKED).await;
    said(&bus.pollux(&["auth"], "AIza-of-the-person").await);
    bus.stop().await;
    for script in [LOCKED, BARE] {
        let bus = Bus::start(&world, script).await;
        let before = Instant::now();
        let arguments = ["run", "--skip-trust", "-o", "json", "-p", "hello"];
        let output = bus.pollux(&arguments, "").await;
        let took = before.elapsed();
        assert_eq!(output.status.code(), Some(41), "{output:?}");
        // Two seconds for the keychain at most, and the rest of a turn.
        assert!(took < Duration::from_secs(5), "{script}: {took:?}");
        bus.stop().await;
    }
    // It was there all the time.
    let bus = Bus::start(&world, UNLOCKED).await;
    said(&bus.pollux(&["auth", "--status"], "").await);
    bus.stop().await;
}
