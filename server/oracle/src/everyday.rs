//! The everyday table: its size, what the policy asks about, and whether its labels are true.

use std::collections::{HashMap, HashSet};
use std::io::Write;

use pollux_policy::{Policy, shell};

use crate::fixture::{Fixture, Secrets};
use crate::judge::{PartsCheck, Programs, installed, judged_parts};
use crate::notifier::Violation;
use crate::runner::Runner;
use crate::table::{Everyday, Label, everyday, programs};

const BUILTINS: &[&str] = &[
    ".", ":", "[[", "builtin", "cd", "command", "declare", "dirs", "echo", "eval", "exec",
    "export", "jobs", "printf", "pushd", "pwd", "read", "set", "source", "trap", "type", "ulimit",
    "umask", "wait",
];

#[test]
fn the_table_is_broad() {
    let table = everyday();
    let mut entries: HashMap<String, usize> = HashMap::new();
    for entry in &table {
        for program in programs(&entry.command) {
            *entries.entry(program).or_default() += 1;
        }
    }
    let is_compound = |entry: &&Everyday| shell::glimpse(&entry.command).len() > 1;
    let compounds = table.iter().filter(is_compound).count();
    let mut too_many: Vec<_> = entries.iter().filter(|(_, count)| **count > 15).collect();
    too_many.sort();
    assert!(too_many.is_empty(), "in more than 15 entries: {too_many:?}");
    assert!(table.len() >= 500, "{} entries", table.len());
    assert!(entries.len() >= 150, "{} programs", entries.len());
    assert!(compounds >= 200, "{compounds} pipelines and compounds");
    let texts: HashSet<_> = table.iter().map(|entry| &entry.command).collect();
    assert_eq!(texts.len(), table.len(), "an entry stands twice");
}

#[test]
fn reading_is_hardly_asked_about_and_nothing_else_is_allowed() {
    let policy = Policy::shipped();
    let around = Fixture::new(Secrets::Outside);
    let inside = Fixture::new(Secrets::InWorkspace);
    let mut asked = Vec::new();
    let mut allowed = Vec::new();
    let mut readers = 0;
    for entry in everyday() {
        let is_allowed =
            |fixture: &Fixture| judged_parts(&policy, fixture, &entry.command).is_some();
        let shown = format!("line {}: {}", entry.line, entry.command);
        match entry.label {
            Label::Reads => {
                readers += 1;
                if !is_allowed(&around) {
                    asked.push(shown);
                }
            }
            Label::Secret if is_allowed(&inside) => allowed.push(shown),
            Label::Secret => {}
            Label::Writes | Label::Network | Label::Runs => {
                if is_allowed(&around) || is_allowed(&inside) {
                    allowed.push(shown);
                }
            }
        }
    }
    let share = 100.0 * asked.len() as f64 / f64::from(readers);
    let report = format!(
        "everyday commands that only read: {readers}, asked about: {} ({share:.1} %)\n{}\n",
        asked.len(),
        asked.join("\n")
    );
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    assert!(
        allowed.is_empty(),
        "not asked about:\n{}",
        allowed.join("\n")
    );
    assert!(share <= 3.0, "{report}");
}

/// Whether every program of the entry is here, so that running it says something.
fn can_run(entry: &Everyday) -> bool {
    programs(&entry.command).iter().all(|program| {
        BUILTINS.contains(&program.as_str())
            || Programs::Everyday.include(program) && installed(program).is_some()
    })
}

fn is_true(label: Label, violations: &[Violation]) -> bool {
    let has = |is: fn(&Violation) -> bool| violations.iter().any(is);
    match label {
        Label::Reads => violations.is_empty(),
        Label::Writes => has(|one| matches!(one, Violation::FileChanged { .. })),
        Label::Network => has(|one| matches!(one, Violation::SocketOpened { .. })),
        Label::Secret => has(|one| matches!(one, Violation::SecretSeen { .. })),
        Label::Runs => !violations.is_empty(),
    }
}

#[test]
fn labels_are_what_commands_do() {
    let runner = Runner::new();
    let mut wrong = Vec::new();
    let mut absent = Vec::new();
    let mut ran = 0;
    for entry in everyday() {
        if !can_run(&entry) {
            absent.push(entry.line);
            continue;
        }
        ran += 1;
        let place = match entry.label {
            Label::Secret => Secrets::InWorkspace,
            _ => Secrets::Outside,
        };
        let fixture = runner.fixture(place);
        let check = PartsCheck {
            parts: shell::glimpse(&entry.command),
            programs: Programs::Everyday,
            stubs: fixture.stubs.clone(),
        };
        let observed = runner.run(place, &entry.command, check);
        if !is_true(entry.label, &observed.violations) {
            let Everyday {
                line,
                label,
                command,
            } = entry;
            let found = observed.violations;
            wrong.push(format!("line {line} {label:?}: {command}: {found:?}"));
        }
    }
    let report = format!(
        "everyday commands that ran: {ran}, not installed here: {} (lines {absent:?})\n",
        absent.len()
    );
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(ran >= 350, "only {ran} could run");
}
