use super::*;

const ONCE: Patience = Patience {
    attempts: 2,
    pause: Duration::ZERO,
};

#[test]
fn a_second_writer_is_kept_out_until_the_first_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("rules.json");
    let first = lock_file(&file, ONCE).unwrap().unwrap();
    assert!(dir.path().join("rules.json.lock").is_dir());
    assert!(lock_file(&file, ONCE).unwrap().is_none());
    drop(first);
    assert!(lock_file(&file, ONCE).unwrap().is_some());
    assert!(!dir.path().join("rules.json.lock").exists());
}

#[cfg(unix)]
#[test]
fn a_lock_that_nobody_refreshes_is_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("rules.json");
    let left_behind = dir.path().join("rules.json.lock");
    std::fs::create_dir(&left_behind).unwrap();
    std::fs::File::open(&left_behind)
        .unwrap()
        .set_modified(SystemTime::now() - 2 * STALE_AFTER)
        .unwrap();
    assert!(lock_file(&file, ONCE).unwrap().is_some());
}
