//! The oracle itself: generate, judge, run, compare.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use pollux_policy::{Policy, shell};

use crate::fixture::Secrets;
use crate::judge::{PartsCheck, Programs, judged_parts};
use crate::notifier::Violation;
use crate::runner::Runner;
use crate::script::scripts;
use crate::second_parser;

/// How many scripts a normal run generates. `POLLUX_ORACLE_SCRIPTS` asks for more, `PROPTEST_RNG_SEED` for others.
const SCRIPTS: usize = 50_000;

#[expect(clippy::disallowed_methods, reason = "whoever runs the test sets it")]
fn number_from(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

#[derive(Default)]
struct Figures {
    read_only: usize,
    executed: usize,
    programs: usize,
    cut_short: Vec<String>,
    violations: Vec<(String, Vec<Violation>)>,
    read_differently: Vec<(String, String)>,
}

#[test]
fn scripts_that_are_called_read_only_only_read() {
    let count = number_from("POLLUX_ORACLE_SCRIPTS").unwrap_or_default();
    let seed = number_from("PROPTEST_RNG_SEED").unwrap_or(1);
    let begin = Instant::now();
    let scripts = scripts(seed as u64, count.max(SCRIPTS));
    let next = AtomicUsize::new(0);
    let figures = Mutex::new(Figures::default());
    let workers = std::thread::available_parallelism().map_or(2, |count| count.get().max(2));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| work(&scripts, &next, &figures));
        }
    });
    let figures = figures.into_inner().unwrap();
    let report = format!(
        "scripts generated: {}, judged read-only: {}, executed: {}, violations: {}, read differently: {}\n\
         programs started: {}, ended early: {}, seconds: {}\n",
        scripts.len(),
        figures.read_only,
        figures.executed,
        figures.violations.len(),
        figures.read_differently.len(),
        figures.programs,
        figures.cut_short.len(),
        begin.elapsed().as_secs(),
    );
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    let violations = listed(&figures.violations);
    let differences = listed(&figures.read_differently);
    assert!(
        violations.is_empty() && differences.is_empty(),
        "{report}{violations}\n{differences}"
    );
    assert_eq!(figures.executed, figures.read_only);
    // A policy that asks about everything would pass, and would show nothing.
    assert!(figures.executed * 8 > scripts.len(), "{report}");
}

fn listed(found: &[(String, impl std::fmt::Debug)]) -> String {
    let lines = found
        .iter()
        .map(|(script, what)| format!("{script:?}: {what:?}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Judges and runs scripts until none is left.
fn work(scripts: &[String], next: &AtomicUsize, figures: &Mutex<Figures>) {
    let policy = Policy::shipped();
    let runner = Runner::new();
    let places = [Secrets::InWorkspace, Secrets::Outside];
    let before = places.map(|place| runner.state(place));
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(script) = scripts.get(index) else {
            break;
        };
        let place = places[index % 2];
        let fixture = runner.fixture(place);
        // Commands of the red team name their workspace.
        let script = script.replace("/home/ada/project", fixture.workspace.to_str().unwrap());
        let Some(parts) = judged_parts(&policy, fixture, &script) else {
            continue;
        };
        let difference = second_parser::difference(&script);
        let check = PartsCheck {
            parts,
            programs: Programs::Readers,
            stubs: fixture.stubs.clone(),
        };
        let observed = runner.run(place, &script, check);
        let mut figures = figures.lock().unwrap();
        figures.read_only += 1;
        figures.executed += usize::from(observed.started > 0);
        figures.programs += observed.started;
        if observed.is_cut_short {
            figures.cut_short.push(script.clone());
        }
        if let Some(difference) = difference {
            figures.read_differently.push((script.clone(), difference));
        }
        if !observed.violations.is_empty() {
            figures.violations.push((script, observed.violations));
        }
    }
    let after = places.map(|place| runner.state(place));
    assert_eq!(
        before, after,
        "a file changed that the notifier did not see"
    );
}

/// Runs a script as if the policy had called it read-only, with the parts of another.
fn run_as_if_judged(runner: &Runner, script: &str, parts: &str) -> Vec<Violation> {
    let place = Secrets::InWorkspace;
    let check = PartsCheck {
        parts: shell::glimpse(parts),
        programs: Programs::Readers,
        stubs: runner.fixture(place).stubs.clone(),
    };
    runner.run(place, script, check).violations
}

#[test]
fn a_program_that_is_no_part_is_found() {
    let runner = Runner::new();
    for (script, parts) in [
        ("ls; /bin/id", "ls"),
        ("echo $(id)", "echo x"),
        ("ls; id", "ls"),
        ("./bin/ls", "./bin/ls"),
        (
            "for x in 'a[$(id >&2)]'; do for y in $((x)); do ls; done; done",
            "ls",
        ),
        ("env PATH=bin:/bin ls", "env PATH=bin:/bin ls; ls"),
        ("wc a.txt b.txt", "wc a.txt"),
        ("id &", "ls"),
        ("(sort a.txt; id) > /dev/null 2>&1 &", "sort a.txt"),
    ] {
        let found = run_as_if_judged(&runner, script, parts);
        let is_program = |one: &Violation| matches!(one, Violation::ProgramRan { .. });
        assert!(found.iter().any(is_program), "{script}: {found:?}");
    }
}

#[test]
fn a_changed_file_is_found() {
    let runner = Runner::new();
    for script in [
        "echo x > out.txt",
        "sort -o a.txt a.txt",
        "sed -i s/a/b/ a.txt",
        "for HISTFILE in important.txt; do for HISTFILESIZE in 0; do ls; done; done",
        "awk '{ print > \"out.txt\" }' a.txt",
        ": >> important.txt",
        "git tag new",
        "xxd a.txt out.txt",
    ] {
        let found = run_as_if_judged(&runner, script, script);
        let is_change = |one: &Violation| matches!(one, Violation::FileChanged { .. });
        assert!(found.iter().any(is_change), "{script}: {found:?}");
    }
}

#[test]
fn an_opened_socket_is_found() {
    let runner = Runner::new();
    for script in [
        "cat < /dev/tcp/127.0.0.1/9",
        "echo x > /dev/udp/127.0.0.1/9",
        "getent ahosts localhost.example",
    ] {
        let found = run_as_if_judged(&runner, script, script);
        let is_socket = |one: &Violation| matches!(one, Violation::SocketOpened { .. });
        assert!(found.iter().any(is_socket), "{script}: {found:?}");
    }
}

#[test]
fn a_seen_secret_is_found() {
    let runner = Runner::new();
    for script in [
        "cat <<< \"$GEMINI_API_KEY\"",
        "echo ${token:2:4}",
        "cat .env",
        "wc -l < secret-link",
        "grep -rc x .",
        "base64 ~/.ssh/id_rsa",
        "rev link-out/notes.txt",
    ] {
        let found = run_as_if_judged(&runner, script, script);
        let is_secret = |one: &Violation| matches!(one, Violation::SecretSeen { .. });
        assert!(found.iter().any(is_secret), "{script}: {found:?}");
    }
}

#[test]
fn a_signal_to_a_stranger_is_found_and_refused() {
    let found = run_as_if_judged(&Runner::new(), "kill -9 1; kill -9 $PPID; kill -0 $$", "ls");
    let is_signal = |one: &&Violation| matches!(one, Violation::SignalSent { .. });
    assert_eq!(found.iter().filter(is_signal).count(), 2, "{found:?}");
}

#[test]
fn plain_reading_is_no_violation() {
    let runner = Runner::new();
    for script in [
        "cat a.txt | sort | uniq -c",
        "diff <(sort a.txt) <(sort b.txt)",
        "find src -type f -exec wc -l {} +",
        "git status; git log --oneline; git diff",
        "ls -la & wait",
        "timeout 5 cat a.txt",
        "cat <<E\na\nE",
        "ls > /dev/null 2>&1",
        "id; whoami; ls -l",
    ] {
        assert_eq!(run_as_if_judged(&runner, script, script), [], "{script}");
    }
}
