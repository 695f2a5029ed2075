use super::*;
use crate::damaged_files;
use crate::testing::{World, edit, key};

/// Three files, each with a pending edit.
fn prepared() -> World {
    let world = World::new();
    let mut ledger = world.open();
    for name in ["a", "b", "c"] {
        edit(&mut ledger, name, "1", "2", 1);
    }
    world
}

fn kept(world: &World) -> usize {
    damaged_files(world.base.path(), world.root.path()).len()
}

#[test]
fn whatever_bit_of_the_log_is_flipped_the_damage_is_named_once_and_a_copy_is_kept() {
    let world = prepared();
    let log = world.log();
    let sound = std::fs::read(&log).unwrap();
    for place in (0..sound.len()).step_by(7) {
        let mut flipped = sound.clone();
        flipped[place] ^= 1 << (place % 8);
        std::fs::write(&log, &flipped).unwrap();
        let (ledger, opened) = world.try_open().unwrap();
        let is_whole = ["a", "b", "c"]
            .iter()
            .all(|name| ledger.record().pending_of(&key(name)).is_some());
        assert!(is_whole || opened.damage.is_some(), "byte {place}");
        drop(ledger);
        let (_, again) = world.try_open().unwrap();
        assert_eq!(again.damage, None, "byte {place}");
        if opened.damage.is_some() {
            assert!(kept(&world) > 0, "byte {place}");
        }
        std::fs::remove_dir_all(world.folder().join("damaged")).unwrap_or_default();
    }
}

#[test]
fn a_log_that_is_cut_between_lines_is_known_to_be_cut() {
    let world = prepared();
    let log = world.log();
    let sound = std::fs::read(&log).unwrap();
    let ends: Vec<usize> = sound
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(place, _)| place + 1)
        .collect();
    let last = ends.len() - 2;
    std::fs::write(&log, &sound[..ends[last]]).unwrap();
    let (_, opened) = world.try_open().unwrap();
    let damage = opened.damage.unwrap();
    assert_eq!((damage.lines, damage.is_cut), (0, true));
    assert_eq!(kept(&world), 1);
    assert_eq!(world.try_open().unwrap().1.damage, None);
}

#[test]
fn a_log_that_is_gone_is_known_to_be_gone() {
    let world = prepared();
    std::fs::remove_file(world.log()).unwrap();
    let (_, opened) = world.try_open().unwrap();
    assert!(opened.damage.unwrap().is_cut);
}

#[test]
fn the_line_of_a_killed_writer_is_no_damage() {
    use std::io::Write as _;
    let world = prepared();
    let mut log = std::fs::OpenOptions::new()
        .append(true)
        .open(world.log())
        .unwrap();
    log.write_all(b"{\"entry\":\"settled\",\"key\":{\"fi")
        .unwrap();
    for _ in 0..2 {
        let (mut ledger, opened) = world.try_open().unwrap();
        assert_eq!(opened.damage, None);
        assert!(ledger.record().pending_of(&key("a")).is_some());
        edit(&mut ledger, "d", "1", "2", 2);
    }
    assert_eq!(kept(&world), 0);
}

#[test]
fn a_text_that_is_damaged_on_the_disk_is_written_anew_when_it_comes_again() {
    let world = prepared();
    let hash = Hash::of(b"2");
    std::fs::write(world.folder().join("texts").join(hash.to_string()), "").unwrap();
    let mut ledger = world.open();
    assert!(ledger.text(&hash).is_err());
    ledger.put(b"2").unwrap();
    assert_eq!(ledger.text(&hash).unwrap(), b"2");
}

#[test]
fn whoever_wants_the_record_learns_who_has_it() {
    let world = World::new();
    let mut ledger = world.open();
    let holder = Holder {
        process: 12,
        socket: Some("/run/s".into()),
    };
    ledger.announce(&holder);
    let found = crate::holder_of(world.base.path(), world.root.path());
    assert_eq!(found.as_ref(), Some(&holder));
    let Err(error) = world.try_open() else {
        panic!("two writers");
    };
    let text = "another Pollux (process 12) has the review record open";
    assert_eq!(error.to_string(), text);
    drop(ledger);
    assert_eq!(crate::holder_of(world.base.path(), world.root.path()), None);
}
