//! The tables speak of absolute paths as Unix writes them.
#![cfg(unix)]

use std::time::UNIX_EPOCH;

use pollux_settings::Environment;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::project::root_hash;

struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(".gemini").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn locations(&self, folder: &str) -> Locations {
        let home = self.dir.path().to_str().unwrap();
        Locations::new(
            &Environment::from_iter([("GEMINI_CLI_HOME", home)]),
            Path::new(folder),
        )
    }

    fn claim(&self, folder: &str) -> Result<Project, SessionError> {
        project_for(&self.locations(folder), Path::new(folder), UNIX_EPOCH)
    }

    fn slug(&self, folder: &str) -> String {
        self.claim(folder).unwrap().slug
    }
}

#[test]
fn settings_15_two_folders_of_one_name_get_two_slugs_which_outlive_the_registry() {
    let home = Home::new();
    for _ in 0..2 {
        assert_eq!(home.slug("/no-such/a/My App"), "my-app");
        assert_eq!(home.slug("/no-such/b/my-app"), "my-app-1");
    }
    let registry: Value = serde_json::from_str(&home.read("projects.json")).unwrap();
    assert_eq!(
        registry,
        json!({"projects": {"/no-such/a/My App": "my-app", "/no-such/b/my-app": "my-app-1"}})
    );
    assert_eq!(home.read("tmp/my-app/.project_root"), "/no-such/a/My App");
    assert_eq!(
        home.read("history/my-app-1/.project_root"),
        "/no-such/b/my-app"
    );
    assert!(!home.path("projects.json.lock").exists());

    std::fs::remove_file(home.path("projects.json")).unwrap();
    assert_eq!(home.slug("/no-such/b/my-app"), "my-app-1");
    assert_eq!(home.slug("/no-such/a/My App"), "my-app");
}

#[test]
fn a_registry_entry_whose_marker_belongs_to_another_folder_is_replaced() {
    let home = Home::new();
    home.write(
        "projects.json",
        r#"{"projects":{"/no-such/b/app":"app"},"later":1}"#,
    );
    home.write("history/app/.project_root", "/no-such/a/app");
    assert_eq!(home.slug("/no-such/b/app"), "app-1");
    let registry: Value = serde_json::from_str(&home.read("projects.json")).unwrap();
    assert_eq!(
        registry,
        json!({"projects": {"/no-such/b/app": "app-1"}, "later": 1})
    );
}

#[test]
fn a_broken_registry_is_kept_aside_and_the_markers_answer() {
    let home = Home::new();
    assert_eq!(home.slug("/no-such/a/app"), "app");
    assert_eq!(home.slug("/no-such/b/app"), "app-1");
    for broken in ["{oops", "[]", "{}", r#"{"projects":7}"#] {
        home.write("projects.json", broken);
        assert_eq!(home.slug("/no-such/b/app"), "app-1");
        assert_eq!(home.read("projects.json.broken-0"), broken);
        let registry: Value = serde_json::from_str(&home.read("projects.json")).unwrap();
        assert_eq!(registry, json!({"projects": {"/no-such/b/app": "app-1"}}));
    }
    assert_eq!(home.slug("/no-such/a/app"), "app");
}

#[test]
fn a_lock_that_is_not_given_back_is_an_error_and_not_a_hang() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("projects.json.lock")).unwrap();
    let once = Patience {
        attempts: 2,
        pause: Duration::ZERO,
    };
    let folder = Path::new("/no-such/a/app");
    let error = claim(&home.locations("/no-such/a/app"), folder, UNIX_EPOCH, once).unwrap_err();
    assert!(matches!(error, SessionError::Busy { .. }) && error.is_retryable());
}

#[test]
fn a_settled_project_needs_no_lock() {
    let home = Home::new();
    assert_eq!(home.slug("/no-such/a/app"), "app");
    std::fs::create_dir(home.path("projects.json.lock")).unwrap();
    assert_eq!(home.slug("/no-such/a/app"), "app");
}

#[test]
fn settings_16_what_an_older_twin_recorded_is_copied_once_and_stays() {
    let home = Home::new();
    let old = root_hash(Path::new("/no-such/a/app"));
    home.write(&format!("tmp/{old}/chats/x.json"), "chat");
    home.write(&format!("history/{old}/.git/HEAD"), "head");
    std::os::unix::fs::symlink("/etc", home.path(&format!("tmp/{old}/link"))).unwrap();
    // A killed process left half a copy.
    home.write("tmp/app/.copying/chats/half.json", "ha");

    assert_eq!(home.slug("/no-such/a/app"), "app");
    assert_eq!(home.read("tmp/app/chats/x.json"), "chat");
    assert_eq!(home.read("history/app/.git/HEAD"), "head");
    assert_eq!(home.read(&format!("tmp/{old}/chats/x.json")), "chat");
    for absent in [
        "tmp/app/link",
        "tmp/app/.copying",
        "tmp/app/chats/half.json",
    ] {
        assert!(!home.path(absent).exists(), "{absent}");
    }

    std::fs::remove_file(home.path("tmp/app/chats/x.json")).unwrap();
    assert_eq!(home.slug("/no-such/a/app"), "app");
    assert!(!home.path("tmp/app/chats/x.json").exists());
}

#[test]
fn folders_of_one_name_that_are_claimed_at_once_get_different_slugs() {
    let home = Home::new();
    let mut slugs: Vec<String> = std::thread::scope(|scope| {
        let claims: Vec<_> = (0..6)
            .map(|number| {
                let home = &home;
                scope.spawn(move || home.slug(&format!("/no-such/{}/app", number % 3)))
            })
            .collect();
        claims
            .into_iter()
            .map(|claim| claim.join().unwrap())
            .collect()
    });
    slugs.sort();
    assert_eq!(slugs, ["app", "app", "app-1", "app-1", "app-2", "app-2"]);
}

#[test]
fn a_marker_that_was_never_signed_is_signed() {
    let home = Home::new();
    home.write("tmp/app/.project_root", "");
    assert_eq!(home.slug("/no-such/a/app"), "app");
    assert_eq!(home.read("tmp/app/.project_root"), "/no-such/a/app");
}

#[test]
fn a_relative_folder_or_a_registry_that_cannot_be_read_is_an_error() {
    let home = Home::new();
    let error = home.claim("no-such-relative").unwrap_err();
    assert!(matches!(error, SessionError::UnsuitableFolder { .. }));
    std::fs::create_dir_all(home.path("projects.json")).unwrap();
    let error = home.claim("/no-such/a/app").unwrap_err();
    assert!(matches!(error, SessionError::Io { .. }), "{error}");
}
