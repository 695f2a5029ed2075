//! Nothing of a command outlives it.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pollux_exec::{Exit, Running, start};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{actor, guard, ids, in_time, is_alive, on_pipes, on_terminal, printed, run};

/// The promise: gone so long after the order.
const TWO_SECONDS: Duration = Duration::from_secs(2);

/// Two daemons in sessions of their own, and the shell: none of them heeds a polite signal.
const STUBBORN: &str = "trap '' TERM HUP INT; \
    setsid bash -c 'trap \"\" TERM HUP; setsid bash -c \"trap \\\"\\\" TERM HUP; \
    echo \\$\\$; while :; do read -t 9 < /dev/tty || tail -f /dev/null; done\" & echo $$; wait' & \
    echo $$; wait; tail -f /dev/null";

async fn stubborn() -> (Running, Vec<u32>) {
    let running = start(&guard(), on_terminal(STUBBORN)).await.unwrap();
    let mut live = running.live();
    let ids = in_time(async {
        loop {
            let ids = ids(&live.captured().whole().unwrap());
            if ids.len() == 3 {
                return ids;
            }
            live.more().await.unwrap();
        }
    })
    .await;
    assert!(ids.iter().all(|id| is_alive(*id)));
    (running, ids)
}

#[tokio::test]
async fn whoever_ignores_polite_signals_is_gone_within_two_seconds() {
    let (running, ids) = stubborn().await;
    let ordered = Instant::now();
    let ended = in_time(running.kill()).await;
    assert!(ordered.elapsed() < TWO_SECONDS, "{:?}", ordered.elapsed());
    assert_eq!(ended.exit, Exit::Killed);
    assert!(!ids.into_iter().any(is_alive));
}

#[tokio::test]
async fn dropping_a_command_ends_it() {
    let (running, ids) = stubborn().await;
    let dropped = Instant::now();
    drop(running);
    gone(&ids).await;
    assert!(dropped.elapsed() < TWO_SECONDS, "{:?}", dropped.elapsed());
}

/// Waits for the end of each process itself.
async fn gone(ids: &[u32]) {
    for id in ids {
        in_time(async {
            while is_alive(*id) {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn whoever_obeys_is_given_the_time_to() {
    let command = "trap 'echo goodbye; exit' TERM; echo ready; while :; do read -t 1 < <(:); done";
    let running = start(&guard(), on_terminal(command)).await.unwrap();
    printed(&running, "ready").await;
    let ended = in_time(running.kill()).await;
    assert_eq!(ended.output.whole().unwrap(), "ready\ngoodbye\n");
}

#[tokio::test]
async fn a_storm_of_forks_is_ended() {
    // Each child starts two more, in the same group; none heeds a polite signal.
    let command = "trap '' TERM; storm() { [ $1 -gt 0 ] || exec tail -f /dev/null; \
        storm $(($1 - 1)) & storm $(($1 - 1)) & wait; }; storm 7 & echo up; wait";
    let running = start(&guard(), on_terminal(command)).await.unwrap();
    printed(&running, "up").await;
    let group = running.id();
    let ordered = Instant::now();
    in_time(running.kill()).await;
    assert!(ordered.elapsed() < TWO_SECONDS, "{:?}", ordered.elapsed());
    assert_eq!(members(group), []);
}

#[tokio::test]
async fn who_runs_away_from_session_to_session_is_caught() {
    // A process that lives only to start its successor, in a session of its own.
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("run-away-from-here");
    std::fs::write(&script, "trap '' TERM\necho x\nsetsid bash \"$0\" &\n").unwrap();
    let command = format!("bash {}", script.display());
    let running = start(&guard(), on_terminal(&command)).await.unwrap();
    printed(&running, "x\nx\nx\nx\nx\n").await;
    let ordered = Instant::now();
    in_time(running.kill()).await;
    assert!(ordered.elapsed() < TWO_SECONDS, "{:?}", ordered.elapsed());
    assert_eq!(with_argument("run-away-from-here"), Vec::<u32>::new());
}

fn processes() -> impl Iterator<Item = (u32, std::path::PathBuf)> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
}

fn members(group: u32) -> Vec<u32> {
    let is_member = |path: &std::path::Path| {
        let stat = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map(|(_, fields)| fields.to_owned());
        let group_of = fields.and_then(|f| f.split_whitespace().nth(2).map(str::to_owned));
        group_of == Some(group.to_string())
    };
    let found = processes().filter(|(_, path)| is_member(path));
    found.map(|(id, _)| id).collect()
}

fn with_argument(part: &str) -> Vec<u32> {
    let has = |path: &std::path::Path| {
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(part)
    };
    let found = processes().filter(|(_, path)| has(path));
    found.map(|(id, _)| id).filter(|id| is_alive(*id)).collect()
}

#[tokio::test]
async fn a_killed_owner_takes_the_command_with_it() {
    #[expect(clippy::disallowed_methods, reason = "an owner that can be killed")]
    let mut owner = Command::new(actor())
        .args(["own", STUBBORN])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let ids: Vec<u32> = lines
        .map(|line| line.unwrap().trim().parse().unwrap())
        .take(3)
        .collect();
    assert!(ids.iter().all(|id| is_alive(*id)));
    // `kill` is SIGKILL: the owner gets to do nothing.
    owner.kill().unwrap();
    let killed = Instant::now();
    gone(&ids).await;
    assert!(killed.elapsed() < TWO_SECONDS, "{:?}", killed.elapsed());
    owner.wait().unwrap();
}

#[tokio::test]
async fn what_a_command_leaves_running_is_named_and_ends_with_it() {
    for command in [on_terminal(LEAVE), on_pipes(LEAVE)] {
        let running = start(&guard(), command).await.unwrap();
        let ended = in_time(running.wait()).await;
        assert_eq!(ended.exit, Exit::Code(0));
        assert_eq!(ended.group, running.id());
        let printed = ids(&ended.output.whole().unwrap());
        assert_eq!(ended.background, printed);
        assert!(is_alive(printed[0]), "it runs as long as we hold it");
        in_time(running.kill()).await;
        assert!(!is_alive(printed[0]));
    }
}

const LEAVE: &str = "tail -f /dev/null & echo $!";

#[tokio::test]
async fn a_command_that_leaves_nothing_has_no_background() {
    let ended = run(on_terminal("true & wait; echo x | cat")).await;
    assert_eq!(ended.background, Vec::<u32>::new());
}

#[tokio::test]
async fn a_killed_guard_takes_the_group_of_the_command_with_it() {
    let command = "echo $PPID; tail -f /dev/null & echo $!; wait";
    let running = start(&guard(), on_terminal(command)).await.unwrap();
    let mut live = running.live();
    while ids(&live.captured().whole().unwrap()).len() < 2 {
        in_time(live.more()).await.unwrap();
    }
    let ids = ids(&live.captured().whole().unwrap());
    let guard = Pid::from_raw(ids[0].cast_signed()).unwrap();
    kill_process(guard, Signal::KILL).unwrap();
    assert_eq!(in_time(running.wait()).await.exit, Exit::Lost);
    gone(&ids).await;
}
