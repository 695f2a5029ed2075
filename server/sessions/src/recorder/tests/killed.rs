//! `kill -9`, simulated at every byte and done for real once.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::*;
use crate::read::{read_session, read_stream};

/// Tells the test below that it is the child, and where to record.
const CHILD_FOLDER: &str = "POLLUX_SESSIONS_TEST_CHILD_FOLDER";

#[test]
fn a_file_cut_off_at_any_byte_has_every_record_that_was_complete() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('1'), at(0));
    let mut sizes = Vec::new();
    let mut said = Vec::new();
    let mut steps = 0;
    while steps < 12 {
        match steps % 4 {
            0 => drop(say(&mut recorder, at(steps), "caf\u{e9} \u{1f980}")),
            1 => answer(&mut recorder, at(steps), "line\nline"),
            2 => drop(
                recorder
                    .tool_calls(at(steps), vec![call("c", CallStatus::Success)])
                    .unwrap(),
            ),
            _ => drop(
                recorder
                    .rewind_to(at(steps), &MessageId::new("m2"))
                    .unwrap(),
            ),
        }
        steps += 1;
        sizes.push(std::fs::metadata(recorder.path()).unwrap().len() as usize);
        said.push(read_session(recorder.path()).unwrap().messages);
    }
    let whole = std::fs::read(recorder.path()).unwrap();
    let path = recorder.path().to_path_buf();
    drop(recorder);

    for length in 0..=whole.len() {
        let cut = &whole[..length];
        let read = read_stream(cut).unwrap();
        let complete = sizes.iter().rposition(|size| *size <= length);
        let messages = read.messages.len();
        // The record under way may be there too, without its end of line or without its time.
        let (before, after) = match complete {
            None => (None, said.first()),
            Some(place) => (said.get(place), said.get(place + 1)),
        };
        let found = Some(&read.messages);
        let nothing_yet = complete.is_none() && messages == 0;
        assert!(nothing_yet || found == before || found == after, "{length}");
        assert!(read.unreadable_lines <= 1, "{length}");
        assert!(complete.is_none() || read.metadata.is_complete());
        // Every kind of record is among the last four; reading all of the file each time takes long.
        if let Some(complete) = complete.filter(|place| *place >= 7) {
            std::fs::write(&path, cut).unwrap();
            let ids = Box::new(crate::id::RandomIds);
            let (mut recorder, _) = Recorder::resume(&path, at(99), ids).unwrap();
            say(&mut recorder, at(99), "again");
            let resumed = read_session(&path).unwrap();
            assert_eq!(
                resumed.messages.len(),
                messages + 1,
                "{length} after record {complete}"
            );
        }
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test is told here that it is the child"
)]
fn the_child_records_until_it_is_killed() {
    let Some(folder) = std::env::var_os(CHILD_FOLDER) else {
        return;
    };
    let project = crate::project::Project {
        slug: "app".to_owned(),
        index: None,
        root: PathBuf::from("/no-such/app"),
        folder: PathBuf::from(folder),
    };
    let ids = Box::new(crate::id::RandomIds);
    let mut recorder = Recorder::start(&project, &new_session(id('1'), at(0)), ids).unwrap();
    // The parent kills long before the last; a limit keeps an orphan from filling a disk.
    for number in 0..50_000 {
        say(
            &mut recorder,
            at(number),
            &format!("prompt {number} {}", "x".repeat(2_000)),
        );
        if number == 20 {
            println!("\nrecorded twenty");
        }
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the child is to be killed, not to end"
)]
fn a_process_that_is_killed_leaves_every_record_it_finished() {
    let sandbox = Sandbox::new();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("recorder::tests::killed::the_child_records_until_it_is_killed")
        .env(CHILD_FOLDER, &sandbox.project.folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let heard = lines.any(|line| line.unwrap() == "recorded twenty");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(heard);

    let [name] = &sandbox.chat_names()[..] else {
        panic!("one file expected");
    };
    let path = sandbox.project.chats().join(name);
    let ids = Box::new(crate::id::RandomIds);
    let (mut recorder, read) = Recorder::resume(&path, at(99), ids).unwrap();
    assert!(read.messages.len() > 20 && read.unreadable_lines <= 1);
    say(&mut recorder, at(99), "again");
    assert_eq!(
        read_session(&path).unwrap().messages.len(),
        read.messages.len() + 1
    );
}
