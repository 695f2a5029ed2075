use expect_test::expect;
use pollux_zed_host::{EXTENSION_VERSION, Zed};

use super::{answer, editor, loaded};

const TRIPLE: &str = "x86_64-unknown-linux-gnu";
const PROGRAM: &[u8] = b"#!/bin/sh\necho a program\n";

fn with_release() -> Zed {
    editor().with_release(EXTENSION_VERSION, TRIPLE, PROGRAM)
}

#[test]
fn a_release_is_downloaded_checked_and_started() {
    let mut extension = loaded(with_release());
    assert_eq!(answer(&mut extension), "pollux-0.1.0/pollux lsp");
    expect![[r#"
        which pollux
        status of pollux: downloading
        release v0.1.0 of pollux.example/pollux
        fetch https://releases.example/pollux-0.1.0-x86_64-unknown-linux-gnu.sha256
        download https://releases.example/pollux-0.1.0-x86_64-unknown-linux-gnu.tar.gz to unfinished-0.1.0
        status of pollux: none"#]]
    .assert_eq(&extension.zed().take_log());
    expect![[r#"
        pollux-0.1.0/LICENSE
        pollux-0.1.0/pollux*"#]]
    .assert_eq(&extension.zed().files().unwrap());
}

#[test]
fn what_is_there_is_not_downloaded_again() {
    let mut extension = loaded(with_release());
    answer(&mut extension);
    extension.zed().take_log();
    assert_eq!(answer(&mut extension), "pollux-0.1.0/pollux lsp");
    expect!["which pollux"].assert_eq(&extension.zed().take_log());

    let mut extension = loaded(extension.into_zed().restarted().unwrap());
    assert_eq!(answer(&mut extension), "pollux-0.1.0/pollux lsp");
    expect!["which pollux"].assert_eq(&extension.zed().take_log());
}

#[test]
fn older_versions_and_torn_downloads_go_and_other_files_stay() {
    let zed = with_release()
        .with_file("pollux-0.0.9/pollux", "old")
        .unwrap()
        .with_file("unfinished-0.1.0/pollux", "half")
        .unwrap()
        .with_file("unfinished-0.0.9/pollux", "half")
        .unwrap()
        .with_file("pollux-notes/mine.txt", "mine")
        .unwrap();
    let mut extension = loaded(zed);
    assert_eq!(answer(&mut extension), "pollux-0.1.0/pollux lsp");
    expect![[r#"
        pollux-0.1.0/LICENSE
        pollux-0.1.0/pollux*
        pollux-notes/mine.txt"#]]
    .assert_eq(&extension.zed().files().unwrap());
}

#[test]
fn a_program_that_is_not_the_published_one_is_never_started() {
    let other = "0".repeat(64);
    let zed = editor().with_release_of(EXTENSION_VERSION, TRIPLE, PROGRAM, &other);
    let mut extension = loaded(zed);
    let message = answer(&mut extension);
    assert!(message.contains("is not what was published"), "{message}");
    assert!(message.contains(&other), "{message}");
    assert_eq!(extension.zed().files().unwrap(), "");
}

#[test]
fn a_page_instead_of_a_checksum_downloads_nothing() {
    let zed = editor().with_release_of(EXTENSION_VERSION, TRIPLE, PROGRAM, "<html>");
    let mut extension = loaded(zed);
    let message = answer(&mut extension);
    assert!(message.contains("sha256 holds no checksum"), "{message}");
    assert!(!extension.zed().take_log().contains("download "));
}

#[test]
fn a_release_for_other_platforms_only_says_so() {
    let zed = editor().with_release(EXTENSION_VERSION, "aarch64-apple-darwin", PROGRAM);
    let message = answer(&mut loaded(zed));
    let expected = "release v0.1.0 has no pollux-0.1.0-x86_64-unknown-linux-gnu.tar.gz";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn without_a_network_an_older_version_is_better_than_none() {
    let zed = editor()
        .with_file("pollux-0.0.9/pollux", "older")
        .unwrap()
        .with_file("pollux-0.0.10/pollux", "old")
        .unwrap()
        .with_file("pollux-0.0.11/LICENSE", "no program")
        .unwrap();
    let mut extension = loaded(zed);
    assert_eq!(answer(&mut extension), "pollux-0.0.10/pollux lsp");
    expect![[r#"
        which pollux
        status of pollux: downloading
        release v0.1.0 of pollux.example/pollux
        status of pollux: none"#]]
    .assert_eq(&extension.zed().take_log());
}
