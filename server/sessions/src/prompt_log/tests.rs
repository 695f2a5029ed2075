use expect_test::expect;
use serde_json::json;

use super::*;
use crate::testing::*;

#[test]
fn prompts_are_numbered_in_each_session_and_others_entries_stay() {
    let sandbox = Sandbox::new();
    let log = PromptLog::of(&sandbox.project);
    assert!(log.read().unwrap().is_empty());
    log.append(&id('a'), "one", at(0)).unwrap();
    log.append(&id('b'), "two", at(1)).unwrap();
    let path = sandbox.project.folder.join("logs.json");
    let mut entries: Vec<Value> = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    entries.push(json!({"of": "another kind"}));
    std::fs::write(&path, json!(entries).to_string()).unwrap();
    assert_eq!(log.append(&id('a'), "three", at(2)).unwrap().message_id, 1);
    expect![[r#"
        [
          {
            "sessionId": "aaaaaaaa-0000-4000-8000-000000000000",
            "messageId": 0,
            "timestamp": "2026-01-02T03:04:05.000Z",
            "type": "user",
            "message": "one"
          },
          {
            "sessionId": "bbbbbbbb-0000-4000-8000-000000000000",
            "messageId": 0,
            "timestamp": "2026-01-02T03:04:06.000Z",
            "type": "user",
            "message": "two"
          },
          {
            "of": "another kind"
          },
          {
            "sessionId": "aaaaaaaa-0000-4000-8000-000000000000",
            "messageId": 1,
            "timestamp": "2026-01-02T03:04:07.000Z",
            "type": "user",
            "message": "three"
          }
        ]"#]]
    .assert_eq(&std::fs::read_to_string(&path).unwrap());
    let read: Vec<String> = log
        .read()
        .unwrap()
        .into_iter()
        .map(|prompt| prompt.message)
        .collect();
    assert_eq!(read, ["one", "two", "three"]);
}

#[test]
fn a_broken_log_is_kept_aside() {
    for (text, name) in [
        ("[{", "logs.json.invalid_json.1767323045000.bak"),
        ("{}", "logs.json.malformed_array.1767323045000.bak"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("logs.json", text);
        let log = PromptLog::of(&sandbox.project);
        assert!(log.read().unwrap().is_empty());
        assert!(!sandbox.has(name));
        log.append(&id('a'), "one", at(0)).unwrap();
        let aside = std::fs::read_to_string(sandbox.project.folder.join(name)).unwrap();
        assert_eq!(aside, text);
        assert_eq!(log.read().unwrap().len(), 1);
        assert_eq!(names_in(&sandbox.project.folder).len(), 2);
    }
}
