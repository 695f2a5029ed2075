use std::fs;
use std::path::{Path, PathBuf};

use pollux_agent::FileError;
use pollux_workspace::{Disk, Location, Replaced};
use tempfile::TempDir;

use super::{Place, Refused};

struct World {
    folder: TempDir,
}

/// Reads files below their root and nothing else, as the real one does.
struct ReadOnly;

impl Disk for ReadOnly {
    fn read(&self, at: &Location) -> Result<Option<String>, FileError> {
        let Ok(target) = at.path.canonicalize() else {
            return Ok(None);
        };
        match target.starts_with(&at.root) {
            true => Ok(fs::read_to_string(target).ok()),
            false => Err(FileError::OutsideWorkspace),
        }
    }

    fn replace(
        &self,
        _: &Location,
        _: Option<&str>,
        _: Option<&str>,
    ) -> Result<Replaced, FileError> {
        Err(FileError::NotFound)
    }

    fn rename(&self, _: &Location, _: &Location) -> Result<(), FileError> {
        Err(FileError::NotFound)
    }
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work/src", "other"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("work/src/a"), "a\n").unwrap();
        fs::write(folder.path().join("other/secret"), "secret\n").unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn find(&self, path: &Path) -> Result<Option<String>, Refused> {
        let place = Place::find(&[self.path("work")], path.to_str().unwrap())?;
        place.read(&ReadOnly)
    }
}

#[test]
fn files_of_the_workspace_are_found_and_new_ones_too() {
    let world = World::new();
    assert_eq!(
        world.find(&world.path("work/src/a")).unwrap().as_deref(),
        Some("a\n")
    );
    assert_eq!(world.find(&world.path("work/src/b")).unwrap(), None);
    assert_eq!(world.find(&world.path("work/new/folder/b")).unwrap(), None);
}

#[test]
fn a_path_that_is_not_a_plain_one_of_the_workspace_is_refused() {
    let world = World::new();
    for path in ["work/src/a", "./src/a", "", "a\0b"] {
        world.find(Path::new(path)).unwrap_err();
    }
    for name in [
        "work/../other/secret",
        "work/src/../../other/secret",
        "other/secret",
        "work-too/a",
        "work",
        "work/.git/config",
    ] {
        world.find(&world.path(name)).unwrap_err();
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_refused_and_links_that_lead_in_are_not() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    symlink(world.path("other/secret"), world.path("work/link")).unwrap();
    symlink(world.path("other"), world.path("work/folder")).unwrap();
    symlink(world.path("other/nothing"), world.path("work/dangling")).unwrap();
    symlink(world.path("work"), world.path("way")).unwrap();
    for name in [
        "work/link",
        "work/folder/secret",
        "work/folder/new",
        "work/dangling",
    ] {
        world.find(&world.path(name)).unwrap_err();
    }
    assert_eq!(
        world.find(&world.path("way/src/a")).unwrap().as_deref(),
        Some("a\n")
    );
    assert_eq!(world.find(&world.path("way/new")).unwrap(), None);
}
