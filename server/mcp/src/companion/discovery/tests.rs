#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::{Discovery, Notice, owner_of};

fn notice(folders: &[&Path]) -> Notice {
    Notice {
        port: 4000,
        workspace_path: "/work".to_owned(),
        token: "secret".to_owned(),
        editor: Some("Visual Studio Code".into()),
        temporary_folders: folders.iter().map(|folder| (*folder).to_owned()).collect(),
        edition: 1,
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("gemini/ide"));
    let entries = entries.into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn it_is_put_up_changed_and_taken_down() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut discovery = Discovery::default();
    discovery.put_up(&notice(&[one.path(), two.path()]));
    for folder in [&one, &two] {
        let files = files(folder.path());
        assert_eq!(files.len(), 1);
        let mode = fs::metadata(&files[0]).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let said: serde_json::Value =
            serde_json::from_slice(&fs::read(&files[0]).unwrap()).unwrap();
        assert_eq!(said["ideInfo"]["name"], "visual-studio-code");
        assert_eq!(said["ideInfo"]["displayName"], "Visual Studio Code");
    }
    // The window with the other folder has gone.
    let mut changed = notice(&[one.path()]);
    changed.workspace_path = "/work:/more".to_owned();
    changed.edition = 2;
    discovery.put_up(&changed);
    // What was said before comes late.
    discovery.put_up(&notice(&[one.path(), two.path()]));
    assert!(files(two.path()).is_empty());
    let left = fs::read_to_string(&files(one.path())[0]).unwrap();
    assert!(left.contains("/work:/more"), "{left}");
    discovery.take_down(4000, "secret");
    assert!(files(one.path()).is_empty());
    // What was on its way when it ended comes too late.
    discovery.put_up(&changed);
    assert!(files(one.path()).is_empty());
}

#[test]
fn a_port_that_is_used_again_gets_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut discovery = Discovery::default();
    let mut first = notice(&[folder.path()]);
    first.edition = 3;
    let next = Notice {
        token: "another".to_owned(),
        ..notice(&[folder.path()])
    };
    let has = |token: &str| {
        let files = files(folder.path());
        let read = files.first().map(|file| fs::read_to_string(file).unwrap());
        files.len() == 1 && read.is_some_and(|read| read.contains(token))
    };
    discovery.put_up(&first);
    discovery.take_down(4000, "secret");
    discovery.put_up(&next);
    assert!(has("another"));
    // What the first room has still to say comes too late.
    discovery.put_up(&first);
    assert!(has("another"));
    discovery.take_down(4000, "another");
    assert!(files(folder.path()).is_empty());
    // The same where the end of the first comes after the beginning of the next.
    let (first, next) = (renamed(&first, "one"), renamed(&next, "two"));
    discovery.put_up(&first);
    discovery.put_up(&next);
    discovery.take_down(4000, "one");
    assert!(has("two"));
}

fn renamed(notice: &Notice, token: &str) -> Notice {
    Notice {
        token: token.to_owned(),
        ..notice.clone()
    }
}

#[test]
fn nothing_is_left_when_the_process_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut discovery = Discovery::default();
    discovery.put_up(&notice(&[folder.path()]));
    assert_eq!(files(folder.path()).len(), 1);
    drop(discovery);
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_folder_that_others_could_have_made_is_not_used() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::create_dir(elsewhere.path().join("ide")).unwrap();
    for part in ["gemini", "gemini/ide"] {
        let folder = tempfile::tempdir().unwrap();
        if part != "gemini" {
            fs::create_dir(folder.path().join("gemini")).unwrap();
        }
        symlink(elsewhere.path(), folder.path().join(part)).unwrap();
        Discovery::default().put_up(&notice(&[folder.path()]));
        assert_eq!(
            fs::read_dir(elsewhere.path().join("ide")).unwrap().count(),
            0,
            "{part}"
        );
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1, "{part}");
    }
    let folder = tempfile::tempdir().unwrap();
    let open = folder.path().join("gemini/ide");
    fs::create_dir_all(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let mut discovery = Discovery::default();
    discovery.put_up(&notice(&[folder.path()]));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_link_in_the_place_of_the_file_is_replaced_and_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    let ide = folder.path().join("gemini/ide");
    fs::create_dir_all(&ide).unwrap();
    let name = format!("gemini-ide-server-{}-4000.json", std::process::id());
    symlink(&victim, ide.join(&name)).unwrap();
    let mut discovery = Discovery::default();
    discovery.put_up(&notice(&[folder.path()]));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert!(fs::symlink_metadata(ide.join(&name)).unwrap().is_file());
}

#[test]
fn only_files_of_ours_whose_process_has_gone_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let ide = folder.path().join("gemini/ide");
    fs::create_dir_all(&ide).unwrap();
    let ours = r#"{"port":1,"pollux":{}}"#;
    let alive = format!(
        "gemini-ide-server-{}-1.json",
        rustix::process::getppid().unwrap().as_raw_nonzero()
    );
    // No process has this number: it is above the highest there can be.
    for (name, text) in [
        ("gemini-ide-server-4194305-1.json", ours),
        ("gemini-ide-server-4194305-2.json", r#"{"port":2}"#),
        ("gemini-ide-server-4194305-3.json", "garbage"),
        ("gemini-ide-server-4194305.json", ours),
        ("another.json", ours),
        (alive.as_str(), ours),
    ] {
        fs::write(ide.join(name), text).unwrap();
    }
    let mut discovery = Discovery::default();
    discovery.put_up(&notice(&[folder.path()]));
    assert!(!ide.join("gemini-ide-server-4194305-1.json").exists());
    assert_eq!(files(folder.path()).len(), 6);
}

#[test]
fn names_of_such_files_are_told_from_others() {
    assert_eq!(owner_of("gemini-ide-server-12-4000.json"), Some(12));
    for name in [
        "gemini-ide-server-12.json",
        "gemini-ide-server--4000.json",
        "gemini-ide-server-12-x.json",
        "x",
    ] {
        assert_eq!(owner_of(name), None, "{name}");
    }
}
