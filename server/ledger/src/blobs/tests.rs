use proptest::prelude::*;

use super::*;

fn store() -> (tempfile::TempDir, BlobStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = BlobStore::open(&folder.path().join("texts"), Durability::PowerCut).unwrap();
    (folder, store)
}

fn large() -> Vec<u8> {
    b"fn main() {}\n".repeat(2_000)
}

#[test]
fn a_text_comes_back_after_the_store_was_opened_again() {
    let (folder, mut store) = store();
    let texts: [&[u8]; 4] = [b"", b"short", &large(), &[0xff, 0, 0xfe]];
    let hashes = texts.map(|text| store.put(text).unwrap());
    store.sync().unwrap();
    let again = BlobStore::open(&folder.path().join("texts"), Durability::PowerCut).unwrap();
    assert_eq!(again.total(), store.total());
    for (hash, text) in hashes.iter().zip(texts) {
        assert_eq!(again.read(hash).unwrap(), text);
    }
}

#[test]
fn equal_texts_are_stored_once_and_packed_where_that_helps() {
    let (folder, mut store) = store();
    let first = store.put(&large()).unwrap();
    assert_eq!(store.put(&large()).unwrap(), first);
    let files = std::fs::read_dir(folder.path().join("texts")).unwrap();
    assert_eq!(files.count(), 1);
    assert!(store.total() < 1_000, "{} bytes", store.total());
}

#[test]
fn every_damage_is_noticed() {
    let (_folder, mut store) = store();
    for text in [b"short".to_vec(), large()] {
        let hash = store.put(&text).unwrap();
        store.sync().unwrap();
        let path = store.path(&hash);
        let good = std::fs::read(&path).unwrap();
        for place in 0..good.len() {
            let mut bad = good.clone();
            bad[place] ^= 0x41;
            std::fs::write(&path, &bad).unwrap();
            // A packed text can be spelled in several ways; what counts is that no other text comes back.
            let read = store.read(&hash);
            assert!(
                read.is_err() || read.unwrap() == text,
                "byte {place} was changed"
            );
            std::fs::write(&path, &good[..place]).unwrap();
            let cut = store.read(&hash);
            assert!(matches!(cut, Err(LedgerError::Damaged { .. })), "{cut:?}");
        }
        std::fs::write(&path, &good).unwrap();
        assert_eq!(store.read(&hash).unwrap(), text);
    }
}

#[test]
fn a_text_that_was_damaged_is_written_anew_once_it_is_forgotten() {
    let (_folder, mut store) = store();
    let hash = store.put(b"text").unwrap();
    store.sync().unwrap();
    std::fs::write(store.path(&hash), "nonsense").unwrap();
    store.forget(&hash).unwrap();
    assert!(matches!(
        store.read(&hash),
        Err(LedgerError::Missing { .. })
    ));
    assert_eq!(store.total(), 0);
    store.put(b"text").unwrap();
    assert_eq!(store.read(&hash).unwrap(), b"text");
}

#[test]
fn what_a_killed_writer_left_is_removed() {
    let (folder, store) = store();
    let left = store.folder.join("00ff.12-3.tmp");
    std::fs::write(&left, "half").unwrap();
    BlobStore::open(&folder.path().join("texts"), Durability::Process).unwrap();
    assert!(!left.exists());
}

#[test]
fn a_text_has_its_name_only_once_the_disk_was_waited_for() {
    for many in [1, 100] {
        let (folder, mut store) = store();
        let texts: Vec<String> = (0..many).map(|number| format!("text {number}")).collect();
        let put = |text: &String| store.put(text.as_bytes()).unwrap();
        let hashes: Vec<Hash> = texts.iter().map(put).collect();
        for (hash, text) in hashes.iter().zip(&texts) {
            assert!(!store.path(hash).exists());
            assert_eq!(store.read(hash).unwrap(), text.as_bytes());
        }
        store.sync().unwrap();
        assert!(hashes.iter().all(|hash| store.path(hash).exists()));
        // Killed before it was waited for.
        let lost = store.put(b"lost").unwrap();
        drop(store);
        let again = BlobStore::open(&folder.path().join("texts"), Durability::PowerCut).unwrap();
        assert!(!again.contains(&lost));
        assert!(hashes.iter().all(|hash| again.contains(hash)));
        let files = std::fs::read_dir(folder.path().join("texts")).unwrap();
        assert_eq!(files.count(), many);
    }
}

#[test]
fn a_text_that_is_not_waited_for_yet_can_be_forgotten() {
    let (folder, mut store) = store();
    let hash = store.put(b"text").unwrap();
    store.forget(&hash).unwrap();
    store.sync().unwrap();
    assert!(!store.contains(&hash));
    let files = std::fs::read_dir(folder.path().join("texts")).unwrap();
    assert_eq!(files.count(), 0);
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_the_texts() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, mut store) = store();
    let hash = store.put(b"secret").unwrap();
    store.sync().unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&store.folder), 0o700);
    assert_eq!(mode(&store.path(&hash)), 0o600);
}

proptest! {
    #[test]
    fn any_bytes_come_back(word in prop::collection::vec(any::<u8>(), 0..40), times in 0_usize..1_000) {
        let (_folder, mut store) = store();
        store.durability = Durability::Process;
        let text = word.repeat(times);
        let hash = store.put(&text).unwrap();
        prop_assert_eq!(store.read(&hash).unwrap(), text);
    }

    #[test]
    fn any_stored_bytes_can_be_read(stored in prop::collection::vec(any::<u8>(), 0..80)) {
        // Large claims must not become large allocations; what counts is that it ends.
        let _text_or_none = unpacked(&stored);
    }
}
