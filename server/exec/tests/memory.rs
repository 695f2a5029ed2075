//! However much is printed, it takes little memory.

use std::process::Command;

use crate::support::actor;

const MEGABYTE: u64 = 1 << 20;

#[test]
fn a_gigabyte_takes_less_than_fifty_megabytes() {
    flood("measure", "yes | head -c 1G", 1024 * MEGABYTE);
}

#[test]
fn a_line_without_an_end_takes_little_memory() {
    let command = "head -c 100M /dev/zero | tr '\\0' x";
    flood("measure", command, 100 * MEGABYTE);
}

/// A terminal hands on four kilobytes at a time, so this is less than above.
#[test]
fn a_flooded_terminal_takes_little_memory() {
    flood("measure-terminal", "yes | head -c 20M", 20 * MEGABYTE);
}

/// Every escape sequence that has no end of its own, followed by more than memory may take.
#[test]
fn escape_sequences_without_an_end_take_little_memory() {
    for start in ["\\033]0;", "\\033P", "\\033[", "\\033_"] {
        let command = format!("printf '{start}'; head -c 63M /dev/zero | tr '\\0' 1");
        flood("measure", &command, 63 * MEGABYTE);
    }
}

fn flood(role: &str, command: &str, least: u64) {
    let folder = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a process of its own to measure")]
    let output = Command::new(actor())
        .args([role, command])
        .arg(folder.path().join("spool"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = said.split_whitespace().collect();
    let [exit, total, ours, guard] = words[..] else {
        panic!("{said} {:?}", output.stderr);
    };
    assert_eq!(exit, "Code(0)");
    assert!(total.parse::<u64>().unwrap() >= least, "{said}");
    let kilobytes = ours.parse::<u64>().unwrap() + guard.parse::<u64>().unwrap();
    println!("{command}: {ours} kB and {guard} kB");
    assert!(kilobytes < 50 * 1024, "{said}");
}
