use super::*;
use crate::testing::{World, edit, key};

const AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

fn later() -> SystemTime {
    SystemTime::now() + 2 * AGE
}

#[test]
fn only_what_is_old_and_settled_is_removed() {
    let world = World::new();
    let mut ledger = world.open();
    let base = world.base.path();
    edit(&mut ledger, "a", "1", "2", 1);
    assert!(retire(base, later(), AGE).removed.is_empty(), "it is open");
    drop(ledger);
    assert!(
        retire(base, later(), AGE).removed.is_empty(),
        "it is pending"
    );
    world.open().settle(key("a")).unwrap();
    let young = retire(base, SystemTime::now(), AGE);
    assert!(young.removed.is_empty(), "it is young");

    let retired = retire(base, later(), AGE);
    assert_eq!(retired.removed, [world.folder()]);
    assert!(retired.failed.is_empty());
    assert_eq!(std::fs::read_dir(base).unwrap().count(), 0);
    assert_eq!(world.open().record().operations().count(), 0);
}

#[test]
fn a_removal_that_was_cut_off_is_finished() {
    let world = World::new();
    let gone = world.base.path().join(".gone-x-0123");
    std::fs::create_dir_all(gone.join("texts")).unwrap();
    retire(world.base.path(), SystemTime::now(), AGE);
    assert!(!gone.exists());
}

#[test]
fn what_a_newer_version_wrote_stays() {
    let world = World::new();
    drop(world.open());
    let mut log = std::fs::read(world.log()).unwrap();
    log.extend(b"{\"entry\":\"dreamt\"}\n");
    std::fs::write(world.log(), log).unwrap();
    assert!(retire(world.base.path(), later(), AGE).removed.is_empty());
}
