use super::*;

#[test]
fn an_untouched_copy_is_removed() {
    let folder = unpack().unwrap();
    assert!(remove_untouched(&folder));
    assert!(!folder.exists());
}

#[test]
fn a_copy_with_somebodys_work_in_it_stays() {
    for name in ["notes.txt", "src/notes.rs", "src/retry.rs"] {
        let outer = tempfile::tempdir().unwrap();
        write_into(outer.path()).unwrap();
        fs::write(outer.path().join(name), "mine").unwrap();
        assert!(!remove_untouched(outer.path()), "{name}");
        for (kept, _) in FILES {
            assert!(outer.path().join(kept).exists(), "{name}: {kept}");
        }
    }
    let outer = tempfile::tempdir().unwrap();
    write_into(outer.path()).unwrap();
    fs::remove_file(outer.path().join("README.md")).unwrap();
    assert!(!remove_untouched(outer.path()));
    assert!(outer.path().join("src/retry.rs").exists());
}
