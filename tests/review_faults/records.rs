//! Records that are damaged: whatever is lost of them is named in the editor and by the doctor, and the files are kept.

use std::fs;
use std::path::{Path, PathBuf};

use pollux_testkit::SplitMix64;

use super::{rounds, run_writes};
use crate::support::plain::{plain_in, review};
use crate::support::world::World;

const FILES: [&str; 3] = ["a.txt", "b.txt", "c.txt"];

/// What happens to a record. The number chooses where.
#[derive(Clone, Copy, Debug)]
enum Damage {
    CutLog,
    FlipLog,
    ZeroLog,
    EmptyLog,
    RemoveLog,
    InsertLine,
    EmptyText,
    RemoveText,
    FlipText,
    CutText,
}

const ALL: [Damage; 10] = [
    Damage::CutLog,
    Damage::FlipLog,
    Damage::ZeroLog,
    Damage::EmptyLog,
    Damage::RemoveLog,
    Damage::InsertLine,
    Damage::EmptyText,
    Damage::RemoveText,
    Damage::FlipText,
    Damage::CutText,
];

fn record_of(world: &World) -> PathBuf {
    let reviews = world.home().join(".gemini/pollux/reviews");
    let mut folders = fs::read_dir(reviews).unwrap();
    folders.next().unwrap().unwrap().path()
}

fn do_damage(record: &Path, damage: Damage, random: &mut SplitMix64) {
    let mut at = |length: usize| usize::try_from(random.next_u64()).unwrap_or(0) % length.max(1);
    let log = record.join("log.jsonl");
    let bytes = fs::read(&log).unwrap();
    let mut texts: Vec<PathBuf> = fs::read_dir(record.join("texts"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    texts.sort();
    let text = texts[at(texts.len())].clone();
    let content = fs::read(&text).unwrap();
    match damage {
        Damage::CutLog => fs::write(&log, &bytes[..at(bytes.len())]).unwrap(),
        Damage::FlipLog => {
            let mut bytes = bytes;
            let place = at(bytes.len());
            bytes[place] ^= 1 << at(8);
            fs::write(&log, bytes).unwrap();
        }
        Damage::ZeroLog => {
            let mut bytes = bytes;
            let place = at(bytes.len());
            let end = (place + 100).min(bytes.len());
            bytes[place..end].fill(0);
            fs::write(&log, bytes).unwrap();
        }
        Damage::EmptyLog => fs::write(&log, "").unwrap(),
        Damage::RemoveLog => fs::remove_file(&log).unwrap(),
        Damage::InsertLine => {
            let mut bytes = bytes;
            bytes.extend(b"rubbish\n");
            fs::write(&log, bytes).unwrap();
        }
        Damage::EmptyText => fs::write(&text, "").unwrap(),
        Damage::RemoveText => fs::remove_file(&text).unwrap(),
        Damage::FlipText => {
            let mut content = content;
            let place = at(content.len());
            content[place] ^= 1 << at(8);
            fs::write(&text, content).unwrap();
        }
        Damage::CutText => fs::write(&text, &content[..at(content.len())]).unwrap(),
    }
}

async fn play(damage: Damage, seed: u64) {
    let world = World::new();
    for name in FILES {
        fs::write(world.work().join(name), format!("old {name}\n")).unwrap();
        run_writes(&world, name, &format!("new {name}\n")).await;
    }
    let record = record_of(&world);
    do_damage(&record, damage, &mut SplitMix64::new(seed));
    let before = fs::read(record.join("log.jsonl")).unwrap_or_default();

    // Whoever opens it first need not have a window.
    if seed.is_multiple_of(2) {
        run_writes(&world, "d.txt", "new d\n").await;
    }
    let (editor, mut door) = world.door(&["lsp", "--no-share"]);
    editor
        .initialize(plain_in(world.work().to_str().unwrap()))
        .await;
    let now = review(&editor).await;
    let found = now["files"].as_array().unwrap();
    let lost = FILES.iter().filter(|name| {
        let is_there = |file: &serde_json::Value| file["path"] == **name;
        !found.iter().any(is_there)
    });
    let lost: Vec<_> = lost.collect();
    let damaged = record.join("damaged");
    if !lost.is_empty() {
        loop {
            let message = editor.expect_notification("window/showMessage").await;
            if message["message"].as_str().unwrap().contains("is damaged") {
                break;
            }
        }
        assert!(damaged.is_dir(), "{damage:?} {seed}: lost {lost:?}");
    }
    // It was told, and is not told again.
    while damaged.join("untold.txt").exists() {
        review(&editor).await;
    }
    editor.abandon();
    door.ended().await;
    for name in FILES {
        let text = fs::read_to_string(world.work().join(name)).unwrap();
        assert_eq!(text, format!("new {name}\n"), "{damage:?} {seed}");
    }
    if !lost.is_empty() {
        let doctor = world.pollux(&["doctor"]).output().await.unwrap();
        let said = String::from_utf8(doctor.stdout).unwrap();
        assert!(said.contains("review record"), "{damage:?} {seed}: {said}");
        let kept = fs::read_dir(&damaged).unwrap().flatten();
        let kept: Vec<Vec<u8>> = kept.map(|file| fs::read(file.path()).unwrap()).collect();
        let is_kept = matches!(
            damage,
            Damage::EmptyText | Damage::RemoveText | Damage::FlipText | Damage::CutText
        ) || kept.contains(&before);
        assert!(is_kept, "{damage:?} {seed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_lost_of_a_damaged_record_is_named() {
    for seed in 0..rounds(2, 8) {
        for damage in ALL {
            play(damage, seed as u64).await;
        }
    }
}
