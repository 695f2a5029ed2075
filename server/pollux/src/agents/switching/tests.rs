use std::fs;

use super::super::registry::tests::Disk;
use super::*;

fn workspace_text(disk: &Disk) -> String {
    fs::read_to_string(disk.folder.join(".gemini/settings.json")).unwrap_or_default()
}

#[test]
fn an_agent_is_switched_in_the_settings_of_the_project_and_comments_stay() {
    let disk = Disk::new();
    let file = disk.folder.join(".gemini/settings.json");
    fs::write(&file, "{\n  // mine\n  \"model\": {\"name\": \"m\"}\n}\n").unwrap();
    disable(&disk.loaded(), "generalist").unwrap();
    let text = workspace_text(&disk);
    assert!(text.contains("// mine"), "{text}");
    let off = disk.loaded();
    let enabled = || {
        let loaded = disk.loaded();
        let set = loaded.merged.get("agents.overrides.generalist.enabled");
        set.and_then(serde_json::Value::as_bool)
    };
    assert_eq!(enabled(), Some(false));
    assert_eq!(
        disable(&off, "generalist").unwrap(),
        format!("`generalist` is off in `{}` already.", file.display())
    );
    enable(&off, "generalist").unwrap();
    assert_eq!(enabled(), Some(true));
}

#[test]
fn without_trust_it_is_switched_in_the_persons_own_settings() {
    let disk = Disk::new();
    let untrusted = || disk.loaded_by(pollux_settings::EditorTrust::Untrusted);
    disable(&untrusted(), "generalist").unwrap();
    assert_eq!(workspace_text(&disk), "");
    let loaded = untrusted();
    let set = loaded.merged.get("agents.overrides.generalist.enabled");
    assert_eq!(set, Some(&serde_json::Value::Bool(false)));
}

#[test]
fn nothing_is_written_where_nothing_is_off() {
    let disk = Disk::new();
    assert_eq!(
        enable(&disk.loaded(), "generalist").unwrap(),
        "Nothing switches `generalist` off."
    );
    assert_eq!(workspace_text(&disk), "");
}

#[test]
fn settings_that_are_no_objects_are_left_as_they_are() {
    let disk = Disk::new();
    let file = disk.folder.join(".gemini/settings.json");
    for text in ["{\"agents\": {\"overrides\": 3}}", "{ broken"] {
        fs::write(&file, text).unwrap();
        let before = fs::metadata(&file).unwrap().modified().unwrap();
        assert!(disable(&disk.loaded(), "generalist").is_err(), "{text}");
        assert_eq!(workspace_text(&disk), text);
        let written = fs::metadata(&file).unwrap().modified().unwrap();
        assert_eq!(written, before, "it is not even written anew");
    }
}
