use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn open(folder: &Path) -> Result<Runtime> {
    let folder = folder.to_str().unwrap().to_owned();
    Runtime::open(&Environment::from_iter([("POLLUX_RUNTIME_DIR", folder)]))
}

#[test]
fn the_folder_is_made_for_its_owner_only() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("run");
    open(&folder).unwrap();
    let mode = fs::metadata(&folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_folder_that_others_can_enter_is_refused() {
    let temporary = tempfile::tempdir().unwrap();
    fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let refusal = open(temporary.path()).unwrap_err().to_string();
    assert!(refusal.contains("can be entered by others"), "{refusal}");
}

#[test]
fn a_link_in_place_of_the_folder_is_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let (real, link) = (temporary.path().join("real"), temporary.path().join("link"));
    fs::DirBuilder::new().mode(0o700).create(&real).unwrap();
    symlink(&real, &link).unwrap();
    open(&link).unwrap_err();
}

#[test]
fn a_folder_too_deep_for_a_socket_is_refused_in_words() {
    let temporary = tempfile::tempdir().unwrap();
    let deep = temporary.path().join("d".repeat(90));
    let refusal = open(&deep).unwrap_err().to_string();
    assert!(refusal.contains("POLLUX_RUNTIME_DIR"), "{refusal}");
}

#[test]
fn a_lock_that_a_hanging_door_holds_is_not_waited_for_for_ever() {
    let temporary = tempfile::tempdir().unwrap();
    let runtime = open(&temporary.path().join("run")).unwrap();
    let held = runtime.start_lock().unwrap();
    held.lock().unwrap();
    let wanted = runtime.start_lock().unwrap();
    let refusal = lock_within(&wanted, Duration::from_millis(20)).unwrap_err();
    assert!(refusal.to_string().contains("another door"), "{refusal}");
    drop(held);
    lock_within(&wanted, Duration::from_secs(60)).unwrap();
}
