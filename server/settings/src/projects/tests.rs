//! The tables speak of absolute paths as Unix writes them.
#![cfg(unix)]

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::environment::Environment;

struct Home {
    dir: TempDir,
}

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(".gemini").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self { dir }
    }

    fn find(&self, folder: &str) -> ProjectLookup {
        let home = self.dir.path().to_str().unwrap();
        let environment = Environment::from_iter([("GEMINI_CLI_HOME", home)]);
        let folder = Path::new(folder);
        find_project(&Locations::new(&environment, folder), folder)
    }

    fn slug(&self, folder: &str) -> Option<String> {
        self.find(folder).project.map(|project| project.slug)
    }
}

const MARKERS: [(&str, &str); 2] = [
    ("tmp/my-app/.project_root", "/no-such/a/My App"),
    ("tmp/my-app-1/.project_root", "/no-such/b/my-app\n"),
];

#[test]
fn two_folders_of_one_name_keep_their_slugs_with_and_without_the_registry() {
    let registry = json!({"projects": {
        "/no-such/a/My App": "my-app",
        "/no-such/b/my-app": "my-app-1",
    }})
    .to_string();
    let registered = Home::new(&[("projects.json", &registry)]);
    let marked = Home::new(&MARKERS);
    for home in [registered, marked] {
        assert_eq!(home.slug("/no-such/a/My App").as_deref(), Some("my-app"));
        assert_eq!(home.slug("/no-such/b/my-app").as_deref(), Some("my-app-1"));
        assert_eq!(home.slug("/no-such/c"), None);
    }
}

#[test]
fn a_marker_of_another_folder_is_believed_over_the_registry() {
    let registry = json!({"projects": {"/no-such/b/my-app": "my-app"}}).to_string();
    let home = Home::new(&[("projects.json", &registry), MARKERS[0], MARKERS[1]]);
    assert_eq!(home.slug("/no-such/b/my-app").as_deref(), Some("my-app-1"));
}

#[test]
fn a_broken_registry_is_reported_and_the_markers_answer() {
    let home = Home::new(&[("projects.json", "{oops"), MARKERS[0]]);
    let lookup = home.find("/no-such/a/My App");
    assert_eq!(lookup.project.unwrap().slug, "my-app");
    assert_eq!(lookup.problem.unwrap().severity, Severity::Warning);
}

#[test]
fn a_slug_that_would_leave_the_folder_is_not_used() {
    let registry = json!({"projects": {"/no-such/w": "../../etc"}}).to_string();
    assert_eq!(
        Home::new(&[("projects.json", &registry)]).slug("/no-such/w"),
        None
    );
}

#[test]
fn sessions_are_counted_and_other_files_are_not() {
    let home = Home::new(&[
        MARKERS[0],
        (
            "tmp/my-app/chats/session-2026-01-02T03-04-1234abcd.jsonl",
            "",
        ),
        ("tmp/my-app/chats/session-old.json", ""),
        ("tmp/my-app/chats/notes.txt", ""),
        ("tmp/my-app/chats/parent/agent.jsonl", ""),
    ]);
    let project = home.find("/no-such/a/My App").project.unwrap();
    assert_eq!(project.count_sessions(), 2);
    let empty = Home::new(&[MARKERS[0]]).find("/no-such/a/My App");
    assert_eq!(empty.project.unwrap().count_sessions(), 0);
}

#[test]
fn a_marker_beside_the_shadow_repository_counts_too() {
    let other = json!({"projects": {"/no-such/b/my-app": "my-app"}}).to_string();
    let home = Home::new(&[
        ("projects.json", &other),
        ("history/my-app/.project_root", "/no-such/a/My App"),
    ]);
    assert_eq!(home.slug("/no-such/a/My App").as_deref(), Some("my-app"));
    assert_eq!(home.slug("/no-such/b/my-app"), None);
}
