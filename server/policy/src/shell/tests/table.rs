//! The red team's table: every command gets exactly what stands beside it.

use std::path::{Component, Path, PathBuf};

use super::*;

const TABLE: &str = include_str!("../red_team.tsv");

pub(super) struct Case {
    pub(super) line: usize,
    pub(super) expected: &'static str,
    pub(super) command: String,
}

pub(super) fn cases() -> Vec<Case> {
    let lines = TABLE
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(index, line)| {
            let (expected, command) = line.split_once('\t').unwrap();
            Case {
                line: index + 1,
                expected,
                command: decoded(command),
            }
        })
        .collect()
}

fn decoded(command: &str) -> String {
    let mut text = command.replace('␤', "\n").replace('␉', "\t");
    while let Some((before, rest)) = text.split_once('⟦') {
        let (number, after) = rest.split_once('⟧').unwrap();
        let character = char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap();
        text = format!("{before}{character}{after}");
    }
    text
}

/// A workspace that exists only here.
pub(super) fn with_place<T>(use_it: impl FnOnce(&Place<'_>) -> T) -> T {
    let roots = [PathBuf::from("/home/ann/project")];
    use_it(&Place {
        cwd: Path::new("/home/ann/project"),
        roots: &roots,
        resolve: &|path| Some(followed(path)),
    })
}

fn followed(path: &Path) -> PathBuf {
    let links = [
        ("/home/ann/project/link-out", "/etc"),
        ("/home/ann/project/out", "/var"),
        ("/home/ann/project/secret-link", "/home/ann/project/.env"),
    ];
    let mut real = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                real.pop();
            }
            Component::CurDir => {}
            other => real.push(other),
        }
        if let Some((_, to)) = links.iter().find(|(from, _)| Path::new(from) == real) {
            real = PathBuf::from(to);
        }
    }
    real
}

pub(super) fn verdict(command: &str) -> (&'static str, String) {
    match parse(command) {
        Err(error) => ("not-understood", error.reason),
        Ok(script) => match with_place(|place| judge(&script, place)) {
            Safety::KnownSafe => ("safe", String::new()),
            Safety::Ordinary => ("ordinary", String::new()),
            Safety::Dangerous { reason } => ("dangerous", reason),
        },
    }
}

#[test]
fn every_command_of_the_table_gets_what_it_must() {
    let cases = cases();
    assert!(
        cases.len() >= 330,
        "the table has shrunk to {}",
        cases.len()
    );
    let mismatches: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let (found, reason) = verdict(&case.command);
            let line = case.line;
            (found != case.expected).then(|| {
                format!(
                    "{line}: {:?} is {found} ({reason}), not {}",
                    case.command, case.expected
                )
            })
        })
        .collect();
    assert!(
        mismatches.is_empty(),
        "{} of {}:\n{}",
        mismatches.len(),
        cases.len(),
        mismatches.join("\n")
    );
}
