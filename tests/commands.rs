//! Shell commands through the binary: how much they may print, and that nothing of them stays.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use pollux_testkit::scripted_model::ScriptedModel;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::unix::pipe::OpenOptions;
use tokio::process::Command;
use tokio::time::timeout;

use crate::support::talk::{MODEL, Talk, calls, model, returned, runs, says, with_model};
use crate::support::world::{World, kill};

/// How long a command that was stopped may be seen.
const STOPPED: Duration = Duration::from_secs(2);

/// How long a command may take to say something.
const SPOKEN: Duration = Duration::from_secs(300);

fn yolo(world: &World, server: &ScriptedModel, arguments: &[&str]) -> Command {
    let fixed = ["run", "--skip-trust", "--yolo", "-m", MODEL, "-p", "go"];
    let mut command = world.pollux(&[&fixed, arguments].concat());
    with_model(&mut command, server);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A pipe with a name, at which a command of the test waits or is waited for.
async fn pipe(world: &World, name: &str) -> PathBuf {
    let path = world.work().join(name);
    let made = world.command("mkfifo").arg(&path).status().await.unwrap();
    assert!(made.success());
    path
}

/// The line that a command writes into the pipe.
async fn heard(pipe: &Path) -> String {
    // A pipe that is open for writing too has no end before its first writer comes.
    let pipe = OpenOptions::new().read_write(true).open_receiver(pipe);
    let mut line = String::new();
    let mut reader = BufReader::new(pipe.unwrap());
    let read = timeout(SPOKEN, reader.read_line(&mut line)).await;
    read.expect("the command speaks").unwrap();
    line.trim_end().to_owned()
}

/// Whatever works in the workspace: Pollux itself, its guards, and the commands.
fn inhabitants(world: &World) -> Vec<u32> {
    let work = world.work();
    let numbers = fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let works_here = |pid: &u32| {
        fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|folder| folder.starts_with(&work))
    };
    numbers.filter(works_here).collect()
}

async fn expect_gone(pid: u32) {
    // One that has ended before the watch begins is watched in vain.
    if !is_there(pid) {
        return;
    }
    let watched = timeout(STOPPED, pollux_exec::process_ended(pid)).await;
    assert!(
        watched.is_ok() || !is_there(pid),
        "process {pid} is still there after {STOPPED:?}"
    );
}

/// The most memory that a process ever had, in kB.
fn peak(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.unwrap().split_ascii_whitespace().nth(1).unwrap();
    number.parse().unwrap()
}

fn is_pollux(pid: &u32) -> bool {
    fs::read_link(format!("/proc/{pid}/exe"))
        .is_ok_and(|exe| exe == Path::new(env!("CARGO_BIN_EXE_pollux")))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gigabyte_of_output_costs_little_memory() {
    /// A debug build grows by 1,100 to 1,900 kB in the run and by at most 550 in the guard, on an idle machine and with
    /// three of these at once: what is kept of the output, and what the allocator rounds up. Three times the most of
    /// that; holding on to one part in a hundred and fifty of the output is more.
    const MUCH_KB: u64 = 6_000;

    let world = World::new();
    // A terminal of this size of output is a matter of minutes, all of them the kernel's.
    fs::create_dir(world.home().join(".gemini")).unwrap();
    fs::write(
        world.home().join(".gemini/settings.json"),
        r#"{ "tools": { "shell": { "enableInteractiveShell": false } } }"#,
    )
    .unwrap();
    let (quiet, loud) = (pipe(&world, "quiet").await, pipe(&world, "loud").await);
    let (full, go) = (pipe(&world, "full").await, pipe(&world, "go").await);
    let command = "echo yet > quiet; cat loud; yes | head -c 1G; echo over > full; cat go";
    let server = model([runs(command), says("long")]).await;
    let child = yolo(&world, &server, &[]).spawn().unwrap();
    assert_eq!(heard(&quiet).await, "yet");
    let ours: Vec<u32> = inhabitants(&world).into_iter().filter(is_pollux).collect();
    assert_eq!(ours.len(), 2, "the run and the guard of its command");
    let peaks = || -> Vec<u64> { ours.iter().map(|pid| peak(*pid)).collect() };
    let before = peaks();
    fs::write(loud, "now\n").unwrap();
    assert_eq!(heard(&full).await, "over");
    let after = peaks();
    let mut grown = before
        .iter()
        .zip(&after)
        .map(|(before, after)| after - before);
    assert!(
        grown.all(|kb| kb < MUCH_KB),
        "{before:?}, then {after:?} kB"
    );
    fs::write(go, "the end\n").unwrap();
    let output = child.wait_with_output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = returned(&server);
    assert!(told.len() < 50_000, "{}", told.len());
    assert!(told.contains("the end"), "{told}");
    assert_eq!(inhabitants(&world), [0; 0]);
}

/// Leaves something behind that has a session of its own and does not listen to signals.
const STUBBORN: &str = r#"trap '' TERM; setsid sh -c 'trap "" TERM HUP INT; echo $$ > born; exec cat never' & cat never"#;

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_a_command_and_what_it_left_in_the_background() {
    let world = World::new();
    let born = pipe(&world, "born").await;
    pipe(&world, "never").await;
    let server = model([runs(STUBBORN)]).await;
    let mut child = yolo(&world, &server, &[]).spawn().unwrap();
    let pid: u32 = heard(&born).await.parse().unwrap();
    let run = Pid::from_raw(child.id().unwrap().cast_signed()).unwrap();
    kill_process(run, Signal::INT).unwrap();
    expect_gone(pid).await;
    assert_eq!(child.wait().await.unwrap().code(), Some(130));
    for pid in inhabitants(&world) {
        expect_gone(pid).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_turn_ends_its_command_and_what_it_left_in_the_background() {
    let world = World::new();
    let born = pipe(&world, "born").await;
    pipe(&world, "never").await;
    let server = model([runs(STUBBORN)]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "yolo" })).await;
    talk.say("go").await;
    let pid: u32 = heard(&born).await.parse().unwrap();
    talk.ask("pollux/turnCancel", json!({})).await;
    expect_gone(pid).await;
    let end = talk.rest().await.pop().unwrap();
    assert_eq!(end["outcome"], "cancelled", "{end}");
    talk.close().await;
    world.expect_no_process_left().await;
    for pid in inhabitants(&world) {
        expect_gone(pid).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_command_is_stopped_and_the_turn_goes_on() {
    let world = World::new();
    let born = pipe(&world, "born").await;
    pipe(&world, "never").await;
    let server = model([runs(STUBBORN), says("it was stopped")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "yolo" })).await;
    talk.say("go").await;
    let call = talk.event("toolStarted").await["call"].clone();
    let pid: u32 = heard(&born).await.parse().unwrap();
    talk.ask("pollux/callStop", json!({ "call": call })).await;
    expect_gone(pid).await;
    let ended = talk.event("toolEnded").await;
    assert_eq!(
        (&ended["call"], &ended["status"]),
        (&call, &json!("cancelled"))
    );
    assert_eq!(
        talk.rest_unasked().await.pop().unwrap()["outcome"],
        "completed"
    );
    talk.ask("pollux/callStop", json!({ "call": call })).await;
    let refused = talk.late("refused").await;
    assert!(refused.contains("running"), "{refused}");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_host_takes_its_background_commands_along() {
    let world = World::new();
    let born = pipe(&world, "born").await;
    pipe(&world, "never").await;
    let stays = json!({ "command": STUBBORN, "is_background": true });
    let server = model([calls("run_shell_command", stays), says("it runs")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.ask("pollux/modeSet", json!({ "mode": "yolo" })).await;
    talk.say("go").await;
    let pid: u32 = heard(&born).await.parse().unwrap();
    talk.event("toolEnded").await;
    talk.rest_unasked().await;
    assert!(is_there(pid), "it outlives its turn");
    kill(world.host());
    expect_gone(pid).await;
    // The guard has gone with it; what is left is the door, which has found a new host meanwhile.
    for pid in inhabitants(&world)
        .into_iter()
        .filter(|pid| !is_pollux(pid))
    {
        expect_gone(pid).await;
    }
    talk.editor.abandon();
}

fn is_there(pid: u32) -> bool {
    fs::exists(format!("/proc/{pid}/cwd")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_output_is_kept_where_the_model_can_read_it() {
    let world = World::new();
    let server = model([runs("seq 1 20000"), says("long")]).await;
    let output = yolo(&world, &server, &["-o", "json"])
        .output()
        .await
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = returned(&server);
    assert!(told.contains("\n1\n2\n3\n"), "the head: {told}");
    assert!(told.contains("\n19999\n20000"), "the tail: {told}");
    assert!(!told.contains("\n5000\n"), "the middle is left out");
    let (_, place) = told.split_once("For full output see: ").unwrap();
    let place = place.lines().next().unwrap();
    let session: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let session = session["session_id"].as_str().unwrap();
    let outputs = format!("/{session}/tool-outputs/");
    let home = world.home().canonicalize().unwrap();
    assert!(
        Path::new(place).starts_with(home.join(".gemini/tmp")),
        "{place}"
    );
    assert!(place.contains(&outputs), "{place}");
    assert_eq!(fs::read_to_string(place).unwrap().lines().count(), 20_000);

    let read = json!({ "file_path": place, "start_line": 9_000, "end_line": 9_001 });
    let server = model([calls("read_file", read), says("read")]).await;
    let output = yolo(&world, &server, &["--resume", session])
        .output()
        .await
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = returned(&server);
    assert!(told.contains("9000\n9001"), "{told}");
}
