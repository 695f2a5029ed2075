use std::ffi::OsString;

use clap::Parser;

use super::command;
use crate::{Arguments, Command};

fn words(line: &str) -> Vec<OsString> {
    let line = format!("pollux {line}");
    line.split_whitespace().map(OsString::from).collect()
}

fn described(command: &Command) -> String {
    match command {
        Command::Lsp { no_share } => format!("lsp, no_share: {no_share}"),
        #[cfg(unix)]
        Command::Host { detached, grace } => {
            format!("host, detached: {detached}, grace: {grace:?}")
        }
        _ => panic!("no such command is known without the parser"),
    }
}

#[test]
fn they_mean_what_the_parser_says() {
    let mut lines = vec!["lsp", "lsp --no-share"];
    if cfg!(unix) {
        lines.push("host --detached");
    }
    for line in lines {
        let known = command(words(line)).unwrap();
        let parsed = Arguments::try_parse_from(words(line)).unwrap().command;
        assert_eq!(described(&known), described(&parsed), "{line}");
    }
}

#[test]
fn everything_else_is_left_to_the_parser() {
    for line in [
        "",
        "lsp --help",
        "lsp --no-share --no-share",
        "--no-share lsp",
        "host",
        "host --grace 250",
        "host --detached --grace 250",
        "doctor",
        "run --prompt lsp",
    ] {
        assert!(command(words(line)).is_none(), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_word_that_is_no_text_is_left_to_the_parser() {
    let strange: OsString = std::os::unix::ffi::OsStringExt::from_vec(vec![0xff]);
    let mut words = words("lsp");
    words.push(strange);
    assert!(command(words).is_none());
}
