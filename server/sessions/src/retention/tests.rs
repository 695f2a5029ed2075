use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::testing::*;

const DAY: u64 = 86_400;

fn rules(value: Value) -> Retention {
    Retention::from_value(Some(&value)).unwrap()
}

fn clean(sandbox: &Sandbox, rules: Value, active: Option<SessionId>, now: u64) -> Vec<String> {
    let rules = self::rules(rules);
    let names = |cleanup: Cleanup| {
        assert!(cleanup.failed.is_empty(), "{:?}", cleanup.failed);
        let names = cleanup.removed.into_iter();
        let mut names: Vec<String> = names
            .map(|removed| {
                let name = file_name(&removed.path).unwrap().to_owned();
                format!("{name}: {:?}", removed.reason)
            })
            .collect();
        names.sort();
        names
    };
    let run = |mode| cleanup(&sandbox.project, &rules, active.as_ref(), at(now), mode).unwrap();
    let planned = names(run(CleanupMode::Preview));
    assert_eq!(
        planned,
        names(run(CleanupMode::Preview)),
        "a preview removes nothing"
    );
    assert_eq!(planned, names(run(CleanupMode::Remove)));
    planned
}

/// The clean-up asks the disk how old worthless files are, so the disk says what the test's clock says.
fn set_modified(path: &Path, seconds: u64) {
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(at(seconds)).unwrap();
}

#[test]
fn durations_are_a_number_and_a_unit() {
    for (text, hours) in [
        ("12h", Some(12)),
        ("1d", Some(24)),
        ("2w", Some(336)),
        ("1m", Some(720)),
        ("0d", None),
        ("", None),
        ("d", None),
        ("1", None),
        ("1y", None),
        ("-1d", None),
        ("+1d", None),
        ("1.5d", None),
        (" 1d", None),
        ("1\u{e9}", None),
        ("99999999999999999999d", None),
        ("9999999999999999d", None),
    ] {
        let expected = hours.map(|hours| Duration::from_secs(hours * 3_600));
        assert_eq!(parse_duration(text), expected, "{text}");
    }
}

#[test]
fn settings_that_make_no_sense_switch_the_clean_up_off() {
    for (value, off) in [
        (json!({"enabled": false}), RetentionOff::NotEnabled),
        (json!({"maxAge": "12h"}), RetentionOff::MaxAgeBelowMinimum),
        (
            json!({"maxAge": "0d"}),
            RetentionOff::NotADuration { key: "maxAge" },
        ),
        (
            json!({"maxAge": 7}),
            RetentionOff::NotADuration { key: "maxAge" },
        ),
        (
            json!({"minRetention": "x"}),
            RetentionOff::NotADuration {
                key: "minRetention",
            },
        ),
        (json!({"maxCount": 0}), RetentionOff::NotACount),
        (json!({"maxCount": -3}), RetentionOff::NotACount),
        (json!({"maxCount": 1.5}), RetentionOff::NotACount),
        (json!({"maxAge": null}), RetentionOff::NothingLimited),
    ] {
        assert_eq!(Retention::from_value(Some(&value)), Err(off), "{value}");
    }
    let usual = Retention::from_value(None).unwrap();
    assert_eq!(usual.max_age, Some(Duration::from_secs(30 * DAY)));
    assert_eq!(usual.min_retention, Duration::from_secs(DAY));
    assert_eq!(
        rules(json!({"maxAge": "2w"})).max_age,
        Some(Duration::from_secs(14 * DAY))
    );
    assert_eq!(
        rules(json!({"maxAge": "1h", "minRetention": "1h"})).max_count,
        None
    );
}

#[test]
fn of_four_sessions_two_are_kept_and_the_active_one_is_one_of_them() {
    let sandbox = Sandbox::new();
    for (number, letter) in ['a', 'b', 'c', 'd'].into_iter().enumerate() {
        sandbox.session(id(letter), at(60 * number as u64), "hello");
    }
    assert_eq!(
        clean(&sandbox, json!({"maxCount": 2}), Some(id('a')), 3_600),
        [
            "session-2026-01-02T03-05-bbbbbbbb.jsonl: TooMany",
            "session-2026-01-02T03-06-cccccccc.jsonl: TooMany",
        ]
    );
    assert_eq!(sandbox.chat_names().len(), 2);
}

#[test]
fn an_old_session_goes_with_its_artifacts_and_the_active_one_stays_however_old() {
    let sandbox = Sandbox::new();
    sandbox.session(id('a'), at(0), "hello");
    sandbox.session(id('b'), at(0), "hello");
    sandbox.session(id('c'), at(8 * DAY), "hello");
    sandbox.write(&format!("{}/plans/p.md", id('b')), "");
    let kept_by_writer = sandbox.recorder(id('d'), at(0));
    drop(kept_by_writer);
    assert_eq!(
        clean(&sandbox, json!({"maxAge": "1w"}), Some(id('a')), 9 * DAY),
        ["session-2026-01-02T03-04-bbbbbbbb.jsonl: TooOld"]
    );
    assert!(!sandbox.has(id('b').as_str()));
    assert_eq!(sandbox.chat_names().len(), 2);
}

#[test]
fn a_session_that_another_window_records_to_is_not_removed() {
    let sandbox = Sandbox::new();
    let mut recorder = sandbox.recorder(id('a'), at(0));
    say(&mut recorder, at(0), "hello");
    assert!(clean(&sandbox, json!({"maxAge": "1d"}), None, 9 * DAY).is_empty());
    drop(recorder);
    assert_eq!(
        clean(&sandbox, json!({"maxAge": "1d"}), None, 9 * DAY).len(),
        1
    );
}

#[test]
fn worthless_files_go_once_they_are_old_enough_to_be_nobodys_beginning() {
    let sandbox = Sandbox::new();
    let help = [
        json!({"sessionId": "s", "projectHash": "h"}).to_string(),
        json!({"id": "m", "type": "user", "content": "/help"}).to_string(),
    ];
    for (name, text, age) in [
        ("chats/session-1-oldhelps.jsonl", help.join("\n"), 2 * DAY),
        ("chats/session-1-newhelps.jsonl", help.join("\n"), 60),
        (
            "chats/session-1-broken00.jsonl",
            "rubbish".to_owned(),
            2 * DAY,
        ),
        (
            "chats/session-1-aaaaaaaa.jsonl",
            "rubbish".to_owned(),
            2 * DAY,
        ),
        ("chats/notes.txt", "mine".to_owned(), 2 * DAY),
    ] {
        set_modified(&sandbox.write(name, &text), 9 * DAY - age);
    }
    assert_eq!(
        clean(&sandbox, json!({}), Some(id('a')), 9 * DAY),
        [
            "session-1-broken00.jsonl: Worthless",
            "session-1-oldhelps.jsonl: Worthless",
        ]
    );
    assert_eq!(sandbox.chat_names().len(), 3);
}

#[cfg(unix)]
#[test]
fn saved_outputs_go_by_age_and_loose_ones_by_count_too() {
    let sandbox = Sandbox::new();
    for (name, age) in [("x1.txt", 1), ("x2.txt", 2), ("x3.txt", 3), ("old.txt", 90)] {
        set_modified(
            &sandbox.write(&format!("tool-outputs/{name}"), ""),
            (99 - age) * DAY,
        );
    }
    for (name, age) in [(id('a'), 90), (id('b'), 90), (id('c'), 1)] {
        let folder = sandbox
            .project
            .folder
            .join(format!("tool-outputs/session-{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::File::open(folder)
            .unwrap()
            .set_modified(at((99 - age) * DAY))
            .unwrap();
    }
    assert_eq!(
        clean(&sandbox, json!({"maxCount": 2}), Some(id('a')), 99 * DAY),
        [
            "old.txt: TooOld",
            "session-bbbbbbbb-0000-4000-8000-000000000000: TooOld",
            "x3.txt: TooMany",
        ]
    );
}

#[test]
fn what_was_typed_and_never_recorded_is_kept_as_long_as_a_session_would_be() {
    let sandbox = Sandbox::new();
    let line = json!({ "prompt": { "id": 1, "prompt": { "text": "go" } } }).to_string() + "\n";
    for letter in ['a', 'b', 'c'] {
        let name = format!("{}/underway.jsonl", id(letter).as_str());
        set_modified(&sandbox.write(&name, &line), 0);
    }
    // This one has a record, which decides.
    sandbox.session(id('c'), at(9 * DAY), "go");
    let rules = json!({ "enabled": true, "maxAge": "5d" });
    let gone = clean(&sandbox, rules.clone(), Some(id('a')), 4 * DAY);
    assert_eq!(gone, [""; 0]);
    let gone = clean(&sandbox, rules.clone(), Some(id('a')), 10 * DAY);
    assert_eq!(gone, [""; 0], "the look before calls it young");
    let gone = clean(&sandbox, rules, Some(id('a')), 12 * DAY);
    assert_eq!(gone, [format!("{}: TooOld", id('b').as_str())]);
    assert!(sandbox.has(id('a').as_str()) && sandbox.has(id('c').as_str()));
}

#[test]
fn a_clock_that_jumped_ten_years_ahead_makes_nothing_old() {
    const YEARS: u64 = 3_650 * DAY;
    let sandbox = Sandbox::new();
    let record = |letter: char, time: u64| {
        let path = sandbox.session(id(letter), at(time), "hello");
        set_modified(&path, time);
    };
    let clean = |active: char, now: u64| clean(&sandbox, json!({}), Some(id(active)), now);
    record('a', 0);
    // Nobody has looked at the clock before: the files say what time it was.
    assert_eq!(clean('b', YEARS), [""; 0]);
    // Again, and now a session lies there that was recorded by the wrong clock.
    record('b', YEARS);
    assert_eq!(clean('c', YEARS + 60), [""; 0]);
}

#[test]
fn after_a_look_at_the_right_clock_no_start_with_a_wrong_one_removes_anything() {
    const YEARS: u64 = 3_650 * DAY;
    let sandbox = Sandbox::new();
    let record = |letter: char, time: u64| {
        let path = sandbox.session(id(letter), at(time), "hello");
        set_modified(&path, time);
    };
    let clean = |active: char, now: u64| clean(&sandbox, json!({}), Some(id(active)), now);
    record('a', 0);
    assert_eq!(clean('a', 60), [""; 0]);
    for (letter, minute) in [('b', 0), ('d', 1), ('e', 2)] {
        record(letter, YEARS + minute);
        assert_eq!(clean('c', YEARS + 60 * minute), [""; 0]);
    }
    // Right again, and ahead again.
    assert_eq!(clean('c', 2 * DAY), [""; 0]);
    assert_eq!(clean('c', YEARS), [""; 0]);
    // Long after that it is old, and a day later it still is.
    assert_eq!(clean('c', 50 * DAY), [""; 0]);
    let gone = ["session-2026-01-02T03-04-aaaaaaaa.jsonl: TooOld"];
    assert_eq!(clean('c', 52 * DAY), gone);
}
