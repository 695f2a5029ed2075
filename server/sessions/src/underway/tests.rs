use std::fs;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{Sandbox, id};

fn said(text: &str) -> Map<String, Value> {
    Map::from_iter([("text".to_owned(), json!(text))])
}

fn open(sandbox: &Sandbox) -> (Underway, Left) {
    Underway::open(&sandbox.project, &id('1'), |_| false).unwrap()
}

fn texts(left: &Left) -> Vec<String> {
    let text = |prompt: &Map<String, Value>| prompt["text"].as_str().unwrap().to_owned();
    left.waiting.iter().map(text).collect()
}

#[test]
fn what_waits_outlives_every_process_until_it_is_gone() {
    let sandbox = Sandbox::new();
    let (mut log, left) = open(&sandbox);
    assert_eq!(left, Left::default());
    for (name, text) in [(1, "one"), (2, "two"), (3, "three"), (4, "four")] {
        log.prompt(name, said(text)).unwrap();
    }
    log.gone(1).unwrap();
    log.prompt(3, said("three, and more")).unwrap();
    log.order(vec![4, 2, 3]).unwrap();
    drop(log);
    let (log, left) = open(&sandbox);
    assert_eq!(texts(&left), ["four", "two", "three, and more"]);
    drop(log);
    // Nobody has touched it: it is all still there, under names from one.
    let (mut log, left) = open(&sandbox);
    assert_eq!(texts(&left), ["four", "two", "three, and more"]);
    log.gone(1).unwrap();
    drop(log);
    let (_log, left) = open(&sandbox);
    assert_eq!(texts(&left), ["two", "three, and more"]);
}

#[test]
fn a_turn_that_ended_leaves_nothing_and_one_that_did_not_leaves_its_half_answer() {
    let sandbox = Sandbox::new();
    let (mut log, _) = open(&sandbox);
    log.prompt(1, said("go")).unwrap();
    log.recording(&MessageId::new("m"), Some(1), Some(1))
        .unwrap();
    log.recorded(Some(1)).unwrap();
    log.asked("m").unwrap();
    log.text("a whole answer").unwrap();
    log.answered().unwrap();
    log.asked("m").unwrap();
    log.text("does not count").unwrap();
    log.asked("n").unwrap();
    let thought = Thought {
        subject: "s".to_owned(),
        description: "d".to_owned(),
    };
    log.thought(&thought).unwrap();
    log.text("half an ").unwrap();
    log.text("answer").unwrap();
    let file = sandbox.project.folder.join(id('1').as_str()).join(NAME);
    let before = fs::read(&file).unwrap();
    log.turn_ended().unwrap();
    assert!(!file.exists() && !file.parent().unwrap().exists());
    drop(log);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, before).unwrap();
    let (_log, left) = open(&sandbox);
    let half = HalfTurn {
        model: Some("n".to_owned()),
        text: "half an answer".to_owned(),
        thoughts: vec![thought],
    };
    assert_eq!(left.turn, Some(half));
    assert!(left.waiting.is_empty());
    // It is told once.
    let (_log, left) = open(&sandbox);
    assert_eq!(left, Left::default());
}

#[test]
fn a_file_cut_off_at_any_byte_keeps_what_was_typed_before() {
    let sandbox = Sandbox::new();
    let (mut log, _) = open(&sandbox);
    let file = sandbox.project.folder.join(id('1').as_str()).join(NAME);
    log.prompt(1, said("caf\u{e9} \u{1f980}")).unwrap();
    let first = fs::read(&file).unwrap().len();
    log.prompt(2, said("two")).unwrap();
    let whole = fs::read(&file).unwrap();
    for length in 0..=whole.len() {
        let left = fold(&whole[..length], |_| false);
        let complete = match length {
            _ if length + 1 < first => 0,
            _ if length + 1 < whole.len() => 1,
            _ => 2,
        };
        assert_eq!(left.waiting.len(), complete, "{length}");
    }
}

#[test]
fn a_prompt_is_in_the_record_or_waits_wherever_a_process_is_killed() {
    let sandbox = Sandbox::new();
    let (mut log, _) = open(&sandbox);
    let file = sandbox.project.folder.join(id('1').as_str()).join(NAME);
    let message = MessageId::new("m");
    let at = |recorded: bool| {
        let text = fs::read(&file).unwrap();
        let left = fold(&text, |found| recorded && *found == message);
        (texts(&left), left.turn.is_some())
    };
    log.prompt(1, said("go")).unwrap();
    assert_eq!(at(false), (vec!["go".to_owned()], false));
    log.recording(&message, Some(1), Some(1)).unwrap();
    // The record decides, until its word is in this file too.
    assert_eq!(at(false), (vec!["go".to_owned()], false));
    assert_eq!(at(true), (vec![], true));
    log.recorded(Some(1)).unwrap();
    // By now a summary may have given every message another name.
    assert_eq!(at(false), (vec![], true));
}

#[test]
fn a_session_without_a_record_is_found_by_what_was_typed() {
    let sandbox = Sandbox::new();
    let (mut log, _) = open(&sandbox);
    let found = || unrecorded_prompts(&sandbox.project, |_| false).unwrap();
    assert_eq!(found(), []);
    log.prompt(1, said("go")).unwrap();
    assert!(is_underway(&sandbox.project, &id('1')));
    let [session] = <[Unrecorded; 1]>::try_from(found()).unwrap();
    assert_eq!((session.id, session.waiting), (id('1'), vec![said("go")]));
    let recorded = unrecorded_prompts(&sandbox.project, |found| *found == id('1'));
    assert_eq!(recorded.unwrap(), []);
    // A folder that is no session's is left alone.
    fs::create_dir_all(sandbox.project.folder.join("not a session")).unwrap();
    log.gone(1).unwrap();
    assert_eq!(found(), []);
    assert!(!is_underway(&sandbox.project, &id('1')));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        fold(&bytes, |_| true);
        fold(&bytes, |_| false);
    }
}
