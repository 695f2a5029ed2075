//! Words that must not be in a tracked file.
//!
//! The words are put together from halves, here and in the tests, so that the rule does not find
//! itself and needs no exception.

use super::finding::Finding;
use super::tree::{Tree, extension, file_name, is_test_file};

#[cfg(test)]
mod tests;

/// Reminders; fine with the number of the issue that carries them.
const REMINDERS: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];

const RUST: &[(&str, &str)] = &[
    (
        concat!("#[", "ignore"),
        "a test that never runs: make it run or drop it",
    ),
    (
        concat!("should", "_panic"),
        "compare the returned error instead of catching a panic",
    ),
    (
        concat!("todo", "!("),
        "unfinished code: finish it or leave it out",
    ),
    (
        concat!("unimplemented", "!("),
        "unfinished code: finish it or leave it out",
    ),
];

const SCRIPT_TESTS: &[(&str, &str)] = &[
    (
        concat!(".on", "ly("),
        "this keeps every other test from running: drop it",
    ),
    (
        concat!(".sk", "ip("),
        "a test that never runs: make it run or drop it",
    ),
];

const SLEEP: &str = concat!("sleep", "(");

/// Folders that exist on somebody's machine only.
const MACHINES: &[&str] = &[concat!("/ro", "ot/"), concat!("/wo", "rk/")];
const HOMES: &[&str] = &["/home/", "/Users/"];
/// People who live in examples.
const SAMPLE_PEOPLE: &[&str] = &["u", "user", "me", "you", "ada", "alice", "bob"];

/// Package registries are used by package name, with whatever mirror a machine has set up.
const REGISTRIES: &[&str] = &[
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("//", "pypi.org"),
    concat!("files.", "pythonhosted.org"),
    concat!("//", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("index.", "crates.io"),
    concat!("deb.", "debian.org"),
    concat!("security.", "debian.org"),
    concat!("archive.", "ubuntu.com"),
    concat!("static.", "rust-lang.org"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        // Cargo writes the registry into its lock file itself.
        if path == "Cargo.lock" {
            continue;
        }
        for (place, line) in text.lines().enumerate() {
            let found = complaints(path, line);
            findings.extend(
                found
                    .into_iter()
                    .map(|what| Finding::at(path, place + 1, what)),
            );
        }
    }
    findings
}

fn complaints(path: &str, line: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for word in REMINDERS {
        if contains_word(line, word) && !names_an_issue(line) {
            complaints.push(format!(
                "`{word}` without an issue: write `{word} #<number>`"
            ));
        }
    }
    let is_rust = extension(path) == "rs";
    let listed = if is_rust {
        RUST
    } else if is_script_test(path) {
        SCRIPT_TESTS
    } else {
        &[]
    };
    for (word, advice) in listed {
        if line.contains(word) {
            complaints.push(format!("`{word}`: {advice}"));
        }
    }
    if is_rust && is_test_file(path) && contains_start(line, SLEEP) {
        complaints.push("a sleep in a test: wait for the event itself".to_owned());
    }
    complaints.extend(machine_paths(line));
    for host in REGISTRIES {
        if line.contains(host) {
            complaints.push(format!("`{host}`: use the package by its name only"));
        }
    }
    complaints
}

fn machine_paths(line: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for folder in MACHINES {
        if absolute(line, folder).next().is_some() {
            complaints.push(format!("`{folder}` is a folder of one machine"));
        }
    }
    for homes in HOMES {
        for rest in absolute(line, homes) {
            let end = rest.find(|character: char| !is_name(character));
            let (person, after) = rest.split_at(end.unwrap_or(rest.len()));
            let sample = person.is_empty() || SAMPLE_PEOPLE.contains(&person);
            if !sample && after.starts_with('/') {
                complaints.push(format!(
                    "`{homes}{person}/` is somebody's home; in an example write `{homes}u/`"
                ));
            }
        }
    }
    complaints
}

/// What follows each place where an absolute path begins with this folder.
fn absolute<'a>(line: &'a str, folder: &'static str) -> impl Iterator<Item = &'a str> {
    line.match_indices(folder).filter_map(move |(place, _)| {
        let before = line.get(..place)?.chars().next_back();
        let inside_a_path =
            before.is_some_and(|character| is_name(character) || "~}$>)*".contains(character));
        let rest = line.get(place + folder.len()..)?;
        (!inside_a_path).then_some(rest)
    })
}

fn is_script_test(path: &str) -> bool {
    let script = matches!(
        extension(path),
        "ts" | "tsx" | "mts" | "js" | "mjs" | "cjs" | "lua"
    );
    let name = file_name(path);
    let mut folders = path.split('/');
    script
        && (name.contains(".test.")
            || name.contains(".spec.")
            || folders.any(|folder| matches!(folder, "test" | "tests" | "e2e")))
}

fn contains_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(place, _)| {
        let after = line.get(place + word.len()..).unwrap_or_default();
        starts_a_word(line, place) && !after.starts_with(is_name_in_code)
    })
}

fn contains_start(line: &str, word: &str) -> bool {
    line.match_indices(word)
        .any(|(place, _)| starts_a_word(line, place))
}

fn starts_a_word(line: &str, place: usize) -> bool {
    let before = line.get(..place).unwrap_or_default();
    !before.ends_with(is_name_in_code)
}

fn names_an_issue(line: &str) -> bool {
    line.split('#')
        .skip(1)
        .any(|rest| rest.starts_with(|character: char| character.is_ascii_digit()))
}

fn is_name_in_code(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || "_-.".contains(character)
}
