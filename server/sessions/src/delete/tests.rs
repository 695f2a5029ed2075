use serde_json::json;

use super::*;
use crate::testing::*;

fn by_id(id: &SessionId) -> SessionRef {
    SessionRef::Id(id.clone())
}

#[test]
fn a_session_goes_with_everything_that_was_kept_for_it() {
    let sandbox = Sandbox::new();
    let (gone, stays) = (id('a'), id('b'));
    for id in [&gone, &stays] {
        sandbox.session(id.clone(), at(0), "hello");
        sandbox.write(&format!("logs/session-{id}.jsonl"), "");
        sandbox.write(&format!("tool-outputs/session-{id}/x.txt"), "");
        sandbox.write(&format!("{id}/plans/p.md"), "");
        sandbox.write(&format!("chats/{id}/agent-{id}.jsonl"), "");
        sandbox.write(&format!("tool-outputs/session-agent-{id}/x.txt"), "");
        sandbox.write(&format!("logs/session-agent-{id}.jsonl"), "");
        sandbox.write(&format!("agent-{id}/tasks/t"), "");
    }
    let deleted = delete_session(&sandbox.project, &by_id(&gone), Some(&stays)).unwrap();
    assert_eq!(deleted.paths.len(), 8, "{deleted:?}");
    for (id, there) in [(&gone, false), (&stays, true)] {
        for name in [
            format!("logs/session-{id}.jsonl"),
            format!("tool-outputs/session-{id}"),
            format!("{id}"),
            format!("chats/{id}"),
            format!("tool-outputs/session-agent-{id}"),
            format!("agent-{id}"),
        ] {
            assert_eq!(sandbox.has(&name), there, "{name}");
        }
    }
    assert_eq!(sandbox.chat_names().len(), 2, "{:?}", sandbox.chat_names());
}

#[test]
fn the_current_session_and_one_that_is_recorded_to_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.session(id('a'), at(0), "hello");
    let current = delete_session(&sandbox.project, &SessionRef::Index(1), Some(&id('a')));
    assert!(matches!(current, Err(SessionError::Current { .. })));
    let mut recorder = sandbox.recorder(id('b'), at(60));
    say(&mut recorder, at(60), "hello");
    let busy = delete_session(&sandbox.project, &by_id(&id('b')), None);
    assert!(matches!(busy, Err(SessionError::InUse { .. })));
    let unknown = delete_session(&sandbox.project, &SessionRef::Index(7), None);
    assert!(matches!(unknown, Err(SessionError::NotFound { .. })));
    assert_eq!(sandbox.chat_names().len(), 2);
}

#[test]
fn another_session_with_the_same_short_id_stays() {
    let sandbox = Sandbox::new();
    sandbox.session(id('a'), at(0), "hello");
    let twin = SessionId::new("aaaaaaaa-ffff-4000-8000-000000000000");
    sandbox.session(twin.clone(), at(600), "hello");
    delete_session(&sandbox.project, &by_id(&id('a')), None).unwrap();
    let left = find_session(&sandbox.project, &SessionRef::Latest).unwrap();
    assert_eq!(left.id, twin);
}

#[test]
fn a_file_that_is_not_named_after_its_session_goes_too() {
    let sandbox = Sandbox::new();
    let path = sandbox.session(id('a'), at(0), "hello");
    std::fs::rename(path, sandbox.project.chats().join("session-copy.jsonl")).unwrap();
    delete_session(&sandbox.project, &SessionRef::Latest, None).unwrap();
    assert!(sandbox.chat_names().is_empty());
}

#[test]
fn an_id_that_names_a_shared_folder_or_leads_elsewhere_removes_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.write("logs/session-x.jsonl", "");
    sandbox.write("memory/m", "");
    let outside = sandbox.dir.path().join("tmp/keep");
    std::fs::write(&outside, "").unwrap();
    for id in [
        "Chats",
        "LOGS",
        "memory",
        "tool-outputs",
        "../keep",
        "..",
        "",
    ] {
        let text = [
            json!({"sessionId": id, "projectHash": "h"}).to_string(),
            json!({"id": "m", "type": "user", "content": "hello"}).to_string(),
        ];
        let short: String = SessionId::new(id).short().unwrap_or_default();
        sandbox.write(&format!("chats/session-1-{short}.jsonl"), &text.join("\n"));
        delete_session(&sandbox.project, &by_id(&SessionId::new(id)), None).unwrap();
        for name in ["logs/session-x.jsonl", "memory/m", "chats"] {
            assert!(sandbox.has(name), "{id}: {name}");
        }
        assert!(outside.exists());
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;

    let sandbox = Sandbox::new();
    let outside = sandbox.dir.path().join("outside");
    let precious = outside
        .join(format!("session-{}", id('a')))
        .join("precious");
    std::fs::create_dir_all(&precious).unwrap();
    sandbox.session(id('a'), at(0), "hello");
    symlink(&outside, sandbox.project.folder.join(id('a').as_str())).unwrap();
    symlink(&outside, sandbox.project.chats().join(id('a').as_str())).unwrap();
    delete_session(&sandbox.project, &by_id(&id('a')), None).unwrap();
    assert!(!sandbox.has(id('a').as_str()));
    assert!(precious.exists());

    sandbox.session(id('b'), at(0), "hello");
    let log = outside.join(format!("session-{}.jsonl", id('b')));
    std::fs::write(&log, "").unwrap();
    symlink(&outside, sandbox.project.folder.join("logs")).unwrap();
    let refused = delete_session(&sandbox.project, &by_id(&id('b')), None);
    assert!(matches!(refused, Err(SessionError::Outside { .. })));
    assert!(log.exists());
}

#[test]
fn a_session_that_was_never_recorded_goes_with_what_was_typed() {
    let sandbox = Sandbox::new();
    let typed = format!("{}/underway.jsonl", id('a').as_str());
    sandbox.write(&typed, "");
    let other = SessionId::new(id('a').as_str().replace('-', "."));
    assert!(delete_session(&sandbox.project, &by_id(&other), None).is_err());
    assert!(sandbox.has(&typed));
    delete_session(&sandbox.project, &by_id(&id('a')), None).unwrap();
    assert!(!sandbox.has(id('a').as_str()));
    assert!(delete_session(&sandbox.project, &by_id(&id('a')), None).is_err());
}
