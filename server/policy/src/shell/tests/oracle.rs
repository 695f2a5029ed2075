//! bash itself as the judge: of what is a command at all, and of what the words are.

use std::process::{Output, Stdio};

use proptest::prelude::*;

use super::table::{cases, verdict};
use super::*;

/// Runs bash where it finds no program, may name none by its path and can redirect nothing.
#[expect(clippy::disallowed_methods, reason = "the test waits for bash to end")]
fn bash(args: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::process::Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-r"])
        .args(args)
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("LC_ALL", "C.UTF-8")
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn is_bash(command: &str) -> bool {
    bash(&["-n", "-c", command]).status.success()
}

/// The words as bash hands them to a program.
fn words_of_bash(words: &str) -> Option<Vec<String>> {
    let output = bash(&["-c", &format!("printf '%s\\0' {words}")]);
    let printed = String::from_utf8(output.stdout).unwrap();
    let words = printed
        .strip_suffix('\0')?
        .split('\0')
        .map(str::to_owned)
        .collect();
    (output.status.success() && output.stderr.is_empty()).then_some(words)
}

/// The words of a text that is one plain command and nothing more.
fn words_of_ours(command: &str) -> Option<(String, Vec<String>)> {
    let script = parse(command).ok()?;
    let first = script.commands.first()?;
    let is_plain =
        script.redirections.is_empty() && first.assignments.is_empty() && !script.has_substitution;
    let others = script
        .commands
        .iter()
        .skip(1)
        .all(|command| !command.wrappers.is_empty());
    let words: Option<Vec<&str>> = first.words.iter().map(Word::literal).collect();
    let words = words.filter(|_| is_plain && others && !first.text.starts_with("[["))?;
    Some((
        first.text.clone(),
        words.into_iter().map(str::to_owned).collect(),
    ))
}

#[test]
fn what_is_understood_is_bash() {
    for case in cases() {
        if case.expected != "not-understood" {
            assert!(
                is_bash(&case.command),
                "line {}: {:?}",
                case.line,
                case.command
            );
        }
    }
}

#[test]
fn words_are_what_bash_makes_of_them() {
    let mut compared = 0;
    for case in cases() {
        if let Some((text, ours)) = words_of_ours(&case.command) {
            assert_eq!(
                words_of_bash(&text),
                Some(ours),
                "line {}: {:?}",
                case.line,
                case.command
            );
            compared += 1;
        }
    }
    assert!(compared > 300, "only {compared} were compared");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The table is a list of ideas; this one has none and tries everything.
    #[test]
    fn no_mixture_of_quotes_is_read_unlike_bash(
        command in "ls (('|\"|\\\\|\\$|\\$'|`|a|b|x|1| |\\{|\\}|,|\\.\\.|~|=|:|#|\\[|\\]|\\*|\\?|!|\n|n|-|\\^|%|@){1,14})"
    ) {
        if let Some((text, ours)) = words_of_ours(&command) {
            prop_assert_eq!(words_of_bash(&text), Some(ours));
        }
    }

    #[test]
    fn what_bash_rejects_is_not_understood(
        command in "(ls|cat a|'|\"|\\\\|\\$\\(|\\$\\{|\\$\\(\\(|\\)|\\}|\\{|\\(|;|&|&&|\\||\n| |if |then |fi|do |done|for x in |while |case |esac|in |<<E|\nE\n|>|<|\\[\\[ | \\]\\]|!|`|#|a=|;;){1,10}"
    ) {
        if verdict(&command).0 != "not-understood" {
            prop_assert!(is_bash(&command), "{command:?}");
        }
    }
}
