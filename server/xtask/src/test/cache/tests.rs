use std::cell::Cell;

use anyhow::bail;

use super::*;

#[test]
fn what_lies_there_is_kept_until_something_else_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("thing");
    let installs = Cell::new(0);
    let install = |into: &Path| {
        installs.set(installs.get() + 1);
        assert_eq!(fs::read_dir(into)?.count(), 0);
        Ok(fs::write(into.join("program"), "")?)
    };
    once_in(&folder, "thing 1", install).unwrap();
    once_in(&folder, "thing 1", install).unwrap();
    assert_eq!(installs.get(), 1);
    once_in(&folder, "thing 2", install).unwrap();
    assert_eq!(installs.get(), 2);
}

#[test]
fn what_is_half_installed_is_installed_again() {
    let folder = tempfile::tempdir().unwrap();
    let failed = once_in(folder.path(), "thing 1", |into| {
        fs::write(into.join("half"), "")?;
        bail!("no network")
    });
    assert_eq!(failed.unwrap_err().to_string(), "no network");
    let again = Cell::new(false);
    once_in(folder.path(), "thing 1", |into| {
        again.set(true);
        assert!(!into.join("half").exists());
        Ok(())
    })
    .unwrap();
    assert!(again.get());
}
