mod damage;
mod random;

use super::*;
use crate::testing::{World, carry_out, draft, edit, key, noon, texts, turn};
use crate::{Texts, What};

#[test]
fn two_processes_never_write_one_record() {
    let world = World::new();
    let mut ledger = world.open();
    edit(&mut ledger, "a", "1", "2", 1);
    let second = world.try_open();
    assert!(matches!(second, Err(LedgerError::InUse { .. })));
    let (seen, problems) = read_record(world.base.path(), world.root.path()).unwrap();
    assert_eq!((&seen, problems.len()), (ledger.record(), 0));
    drop(ledger);
    assert_eq!(world.open().record(), &seen);
}

#[test]
fn a_text_is_there_before_the_line_that_names_it() {
    let world = World::new();
    let mut ledger = world.open();
    let before = std::fs::read(world.log()).unwrap();
    let unknown = Texts {
        base: Some(Hash::of(b"never put")),
        ..Texts::default()
    };
    let refused = ledger.intend(vec![draft(What::Edit, "a", unknown, unknown)], noon());
    assert!(matches!(refused, Err(LedgerError::Missing { .. })));
    assert_eq!(std::fs::read(world.log()).unwrap(), before);
}

#[test]
fn an_operation_that_was_cut_off_is_named_when_the_record_is_opened() {
    let world = World::new();
    let mut ledger = world.open();
    edit(&mut ledger, "a", "1", "2", 1);
    let (before, after) = (texts(&mut ledger, "1", "2"), texts(&mut ledger, "1", "3"));
    let cut_off = ledger.intend(vec![draft(What::Edit, "a", before, after)], noon());
    let op = cut_off.unwrap().ids[0];
    drop(ledger);

    let (mut ledger, opened) = world.try_open().unwrap();
    assert_eq!(opened.open, [op]);
    assert_eq!(ledger.record().pending_of(&key("a")).unwrap().texts, before);
    ledger.done(op).unwrap();
    assert_eq!(ledger.record().pending_of(&key("a")).unwrap().texts, after);
    assert!(matches!(ledger.done(op), Err(LedgerError::NotOpen { .. })));
    assert!(world.try_open().is_err());
}

#[test]
fn comments_and_rejected_hunks_are_found_again() {
    let world = World::new();
    let mut ledger = world.open();
    let first = ledger.comment(key("a"), 3, "why?".to_owned()).unwrap();
    let second = ledger.comment(key("a"), 9, "no".to_owned()).unwrap();
    ledger.move_comment(second, 11).unwrap();
    ledger.remove_comments(&[first, first]).unwrap();
    let long = "new\n".repeat(1_000);
    let hunk = NewRejected {
        key: key("a"),
        path: "a".into(),
        line: 4,
        removed: ledger.put_hunk("old\n").unwrap(),
        added: ledger.put_hunk(&long).unwrap(),
        origin: Some(turn(1)),
    };
    let rejected = ledger.keep_rejected(hunk.clone()).unwrap();
    let other = ledger.keep_rejected(hunk).unwrap();
    ledger.remove_rejected(other).unwrap();
    drop(ledger);

    let ledger = world.open();
    let comments: Vec<_> = ledger.record().comments().collect();
    assert_eq!((comments.len(), comments[0].line), (1, 11));
    let kept = ledger.record().rejected_hunk(rejected).unwrap();
    assert_eq!(ledger.hunk_text(&kept.removed).unwrap(), b"old\n");
    assert_eq!(ledger.hunk_text(&kept.added).unwrap(), long.as_bytes());
    assert_eq!(ledger.record().rejected().count(), 1);
}

#[test]
fn a_record_that_is_too_large_loses_what_is_oldest_and_not_pending() {
    let mut world = World::new();
    world.limits.bytes = 20_000;
    let mut ledger = world.open();
    edit(&mut ledger, "pending", "old", &noise(0), 1);
    for seed in 1..20 {
        let (before, after) = (
            texts(&mut ledger, "b", "b"),
            texts(&mut ledger, "b", &noise(seed)),
        );
        carry_out(&mut ledger, draft(What::Edit, "a", before, after));
        ledger.settle(key("a")).unwrap();
    }
    assert!(ledger.blobs.total() <= 20_000, "{}", ledger.blobs.total());
    let pending = ledger.record().pending_of(&key("pending")).unwrap().texts;
    assert_eq!(
        ledger.text(&pending.current.unwrap()).unwrap(),
        noise(0).as_bytes()
    );
    let left: Vec<Hash> = ledger
        .record()
        .operations()
        .flat_map(|(operation, _)| operation.hashes())
        .collect();
    assert!(left.len() > 4 && left.len() < 60, "{}", left.len());
    for hash in left {
        ledger.text(&hash).unwrap();
    }
    let before = ledger.record().clone();
    drop(ledger);
    assert_eq!(world.open().record(), &before);
}

#[test]
fn a_turn_that_is_partly_forgotten_is_known_to_be() {
    let mut world = World::new();
    world.limits.bytes = 20_000;
    let mut ledger = world.open();
    for seed in 1..20 {
        edit(&mut ledger, "a", "b", &noise(seed), u64::from(seed / 10));
        ledger.settle(key("a")).unwrap();
    }
    let record = ledger.record();
    assert_eq!(record.of_turn(&turn(0)), Vec::<&Operation>::new());
    assert!(!record.of_turn(&turn(1)).is_empty());
    let forgotten: Vec<&Origin> = record.forgotten_turns().collect();
    assert_eq!(forgotten, [&turn(0), &turn(1)]);
}

#[test]
fn a_decision_that_is_half_done_is_not_half_forgotten() {
    let mut world = World::new();
    world.limits.bytes = 20_000;
    let mut ledger = world.open();
    let (before, after) = (texts(&mut ledger, "b", "b"), texts(&mut ledger, "b", "c"));
    let drafts = ["x", "y"].map(|name| draft(What::Keep, name, before, after));
    let half = ledger.intend(drafts.to_vec(), noon()).unwrap();
    ledger.done(half.ids[0]).unwrap();
    for seed in 1..20 {
        edit(&mut ledger, "a", "b", &noise(seed), 1);
        ledger.settle(key("a")).unwrap();
    }
    let is_there = |ledger: &Ledger| {
        half.ids
            .iter()
            .map(|op| ledger.record().operation(*op).is_some())
            .collect::<Vec<_>>()
    };
    assert_eq!(is_there(&ledger), [true, true]);
    assert_eq!(ledger.record().last_undoable().unwrap().group, half.group);
    // Once it is over there is no more need to wait.
    ledger.done(half.ids[1]).unwrap();
    edit(&mut ledger, "a", "b", &noise(20), 1);
    assert_eq!(is_there(&ledger), [false, false]);
    assert_eq!(ledger.record().last_undoable(), None);
    assert!(ledger.blobs.total() <= 20_000, "{}", ledger.blobs.total());
}

#[test]
fn a_text_that_is_yet_to_be_named_is_not_dropped() {
    let mut world = World::new();
    world.limits.bytes = 300;
    let mut ledger = world.open();
    edit(&mut ledger, "a", "1", "shared", 1);
    ledger.settle(key("a")).unwrap();
    let shared = ledger.put(b"shared").unwrap();
    for number in 0..30 {
        edit(
            &mut ledger,
            "b",
            &"x".repeat(number),
            &"y".repeat(number + 1),
            1,
        );
        ledger.settle(key("b")).unwrap();
    }
    assert_eq!(ledger.text(&shared).unwrap(), b"shared");
}

#[test]
fn a_log_that_is_mostly_dead_is_made_shorter_when_it_is_opened() {
    let world = World::new();
    let mut ledger = world.open();
    edit(&mut ledger, "a", "1", "2", 1);
    for number in 0..400 {
        let texts = texts(&mut ledger, "1", &format!("typed {number}"));
        let state = FileState {
            key: key("a"),
            path: "a".into(),
            texts,
            detail: serde_json::Value::Null,
        };
        ledger.hold(state).unwrap();
    }
    let kept = |world: &World| {
        std::fs::read_dir(world.folder().join("texts"))
            .unwrap()
            .count()
    };
    assert_eq!(kept(&world), 402, "a power cut could take the lines back");
    ledger.sync().unwrap();
    assert_eq!(kept(&world), 3);
    let before = ledger.record().clone();
    drop(ledger);
    let ledger = world.open();
    assert_eq!(ledger.record(), &before);
    let log = std::fs::read_to_string(world.log()).unwrap();
    assert_eq!(log.lines().count(), 4);
    // The base and two currents, and none of what was typed in between.
    assert_eq!(kept(&world), 3);
    drop(ledger);
    assert_eq!(world.open().record(), &before);
}

#[test]
fn a_log_with_lines_of_a_newer_version_is_not_made_shorter() {
    let world = World::new();
    drop(world.open());
    let newer = "{\"entry\":\"dreamt\"}\n".repeat(500);
    let mut log = std::fs::read_to_string(world.log()).unwrap();
    log.push_str(&newer);
    std::fs::write(world.log(), &log).unwrap();
    let (_ledger, opened) = world.try_open().unwrap();
    assert_eq!(opened.problems.len(), 500);
    assert_eq!(std::fs::read_to_string(world.log()).unwrap(), log);
}

#[test]
fn a_record_of_a_newer_version_is_not_touched() {
    let world = World::new();
    drop(world.open());
    let log = "{\"entry\":\"started\",\"version\":2,\"root\":\"/x\",\"next\":1}\n";
    std::fs::write(world.log(), log).unwrap();
    assert!(matches!(world.try_open(), Err(LedgerError::Newer { .. })));
    assert_eq!(std::fs::read_to_string(world.log()).unwrap(), log);
}

#[cfg(unix)]
#[test]
fn a_workspace_behind_a_link_is_the_same_one() {
    let world = World::new();
    let links = tempfile::tempdir().unwrap();
    let link = links.path().join("link");
    std::os::unix::fs::symlink(world.root.path(), &link).unwrap();
    assert_eq!(folder_of(world.base.path(), &link), world.folder());
}

/// What does not pack, so that sizes are known.
fn noise(seed: u32) -> String {
    let digits = (0..50).map(|n| Hash::of(format!("{seed} {n}").as_bytes()).to_string());
    digits.collect()
}
