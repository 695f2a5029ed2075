use std::fs;

use crate::Environment;
use crate::agents::AgentOrigin;

use super::*;

fn agent(name: &str, hash: &str) -> AgentFile {
    AgentFile {
        name: name.to_owned(),
        display_name: None,
        description: String::new(),
        instructions: String::new(),
        tools: None,
        model: None,
        temperature: None,
        max_turns: None,
        max_time: None,
        origin: AgentOrigin::Project,
        path: PathBuf::new(),
        hash: hash.to_owned(),
    }
}

/// A home and a project in it.
fn places() -> (tempfile::TempDir, Locations, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().to_str().unwrap();
    let environment = Environment::from_iter([("HOME", home), ("USERPROFILE", home)]);
    let folder = dir.path().join("project");
    fs::create_dir_all(&folder).unwrap();
    let locations = Locations::new(&environment, &folder);
    (dir, locations, folder)
}

#[test]
fn an_agent_is_acknowledged_as_it_was() {
    let (_dir, locations, folder) = places();
    let seen = agent("a", "1");
    assert!(!Acknowledged::read(&locations, &folder).covers(&seen));
    acknowledge(&locations, &folder, [&seen]).unwrap();
    let acknowledged = Acknowledged::read(&locations, &folder);
    assert!(acknowledged.covers(&seen));
    assert!(!acknowledged.covers(&agent("a", "2")));
    assert!(!acknowledged.covers(&agent("b", "1")));
}

#[test]
fn the_file_is_the_twins_and_other_projects_keep_their_entries() {
    let (_dir, locations, folder) = places();
    let file = Acknowledged::file(&locations);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, r#"{"/elsewhere":{"x":"9"}}"#).unwrap();
    acknowledge(&locations, &folder, [&agent("a", "1"), &agent("b", "2")]).unwrap();
    acknowledge(&locations, &folder, [&agent("a", "3")]).unwrap();
    let project = paths::real(&folder);
    let wanted = serde_json::json!({
        "/elsewhere": { "x": "9" },
        project.to_str().unwrap(): { "a": "3", "b": "2" },
    });
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text, serde_json::to_string_pretty(&wanted).unwrap());
}

#[test]
fn a_file_that_is_not_understood_acknowledges_nothing_and_is_begun_anew() {
    let (_dir, locations, folder) = places();
    let file = Acknowledged::file(&locations);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    for text in ["{ broken", "[]", "{\"/x\": 3}"] {
        fs::write(&file, text).unwrap();
        let seen = agent("a", text);
        assert!(!Acknowledged::read(&locations, &folder).covers(&seen));
        acknowledge(&locations, &folder, [&seen]).unwrap();
        assert!(Acknowledged::read(&locations, &folder).covers(&seen));
    }
}
