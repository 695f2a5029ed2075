use std::sync::Mutex as StdMutex;

use pollux_text::{Edit, PositionEncoding};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::reviews::testing::MemoryDisk;
use crate::{
    CompanionWish, Configuration, DocumentKey, DoorContext, EditorUpdate, Outbound, Outbox,
    Revision, Severity, Snapshot, SyncState, Trust,
};

/// Settings that say what a test wants them to say.
#[derive(Default)]
struct Settings {
    problems: StdMutex<Vec<String>>,
}

impl ConfigurationSource for Settings {
    fn load(&self, _: &[PathBuf], _: &DoorContext, trusted: Option<bool>) -> Configuration {
        Configuration {
            trust: match trusted {
                Some(true) => Trust::Trusted,
                Some(false) | None => Trust::Untrusted,
            },
            problems: self.problems.lock().unwrap().clone(),
        }
    }
}

struct TestDoor {
    id: DoorId,
    inbox: Inbox,
    outbound: mpsc::Receiver<Outbound>,
    stalled: CancellationToken,
}

fn enter(rooms: &Rooms, number: u64, roots: &[&str]) -> TestDoor {
    let stalled = CancellationToken::new();
    let (outbox, outbound) = Outbox::new(2, stalled.clone());
    let id = DoorId::new(number);
    let door = Door {
        id,
        context: DoorContext::default(),
        editor: None,
        companion: CompanionWish::default(),
        queries: std::collections::BTreeSet::default(),
        encoding: PositionEncoding::Utf16,
        outbox,
    };
    TestDoor {
        id,
        inbox: rooms.enter(door, roots.iter().map(PathBuf::from).collect()),
        outbound,
        stalled,
    }
}

impl TestDoor {
    fn open(&self, path: &str, text: &str) {
        self.inbox.post(Input::Opened {
            door: self.id,
            key: key(path),
            uri: format!("file://{path}"),
            language: "text".to_owned(),
            version: 1,
            text: text.to_owned(),
        });
    }

    fn replace(&self, path: &str, text: &str) {
        self.inbox.post(Input::Changed {
            door: self.id,
            key: key(path),
            version: 2,
            edits: vec![Edit::Replace(text.to_owned())],
        });
    }

    async fn snapshot(&self, after: Option<Revision>) -> Arc<Snapshot> {
        let (reply, answer) = oneshot::channel();
        self.inbox.post(Input::Snapshot { after, reply });
        answer.await.unwrap()
    }

    /// Waits until the settings say whether this folder is trusted.
    async fn snapshot_with(&self, trust: Trust) -> Arc<Snapshot> {
        let mut snapshot = self.snapshot(None).await;
        while snapshot.configuration.trust != trust {
            snapshot = self.snapshot(Some(snapshot.revision)).await;
        }
        snapshot
    }

    async fn text(&self, path: &str) -> Option<String> {
        let snapshot = self.snapshot(None).await;
        let document = snapshot.documents.get(&key(path))?;
        Some(document.seen_from(self.id)?.text.to_string())
    }
}

fn key(path: &str) -> DocumentKey {
    DocumentKey::File(PathBuf::from(path))
}

fn rooms() -> (Arc<Settings>, Rooms) {
    let settings = Arc::new(Settings::default());
    (
        Arc::clone(&settings),
        Rooms::new(settings, MemoryDisk::empty()),
    )
}

fn roots(snapshot: &Snapshot) -> Vec<&str> {
    snapshot
        .roots
        .iter()
        .map(|root| root.to_str().unwrap())
        .collect()
}

#[tokio::test]
async fn doors_with_a_folder_in_common_share_a_room() {
    let (_, rooms) = rooms();
    let one = enter(&rooms, 1, &["/w"]);
    let two = enter(&rooms, 2, &["/w", "/v"]);
    let stranger = enter(&rooms, 3, &["/u"]);
    one.open("/w/a", "hello");
    assert_eq!(two.snapshot(None).await.editors.len(), 2);
    assert_eq!(two.text("/w/a").await.as_deref(), Some("hello"));
    assert_eq!(stranger.text("/w/a").await, None);
    assert_eq!(roots(&*one.snapshot(None).await), ["/w", "/v"]);
}

#[tokio::test]
async fn two_rooms_become_one_and_nothing_open_is_lost() {
    let (_, rooms) = rooms();
    let one = enter(&rooms, 1, &["/w"]);
    let two = enter(&rooms, 2, &["/v"]);
    one.open("/w/a", "from one");
    two.open("/v/b", "from two");
    two.open("/shared", "unsaved in two");
    one.open("/shared", "unsaved in one");

    rooms.change_roots(one.id, vec![PathBuf::from("/v")], &[]);
    // Posted into the room that is moving, behind the move.
    two.replace("/v/b", "changed during the move");

    assert_eq!(
        two.text("/v/b").await.as_deref(),
        Some("changed during the move")
    );
    assert_eq!(
        one.text("/v/b").await.as_deref(),
        Some("changed during the move")
    );
    assert_eq!(two.text("/w/a").await.as_deref(), Some("from one"));
    assert_eq!(one.text("/shared").await.as_deref(), Some("unsaved in one"));
    assert_eq!(two.text("/shared").await.as_deref(), Some("unsaved in two"));
    assert_eq!(rooms.report().len(), 1);

    // Leaving goes through the same pipe: it cannot overtake the move and leave a ghost behind.
    rooms.leave(two.id);
    assert_eq!(two.snapshot(None).await.editors.len(), 1);
    assert_eq!(one.text("/v/b").await, None);
    assert_eq!(roots(&*one.snapshot(None).await), ["/w", "/v"]);
}

#[tokio::test]
async fn folders_come_and_go_while_the_room_runs() {
    let (_, rooms) = rooms();
    let one = enter(&rooms, 1, &["/w"]);
    let two = enter(&rooms, 2, &["/w"]);
    rooms.change_roots(one.id, vec![PathBuf::from("/v")], &[PathBuf::from("/w")]);
    // The other door still has it.
    assert_eq!(roots(&*one.snapshot(None).await), ["/v", "/w"]);
    rooms.leave(two.id);
    assert_eq!(roots(&*one.snapshot(None).await), ["/v"]);
    rooms.leave(one.id);
    assert_eq!(rooms.report(), []);
}

#[tokio::test]
async fn a_snapshot_can_wait_for_the_next_change() {
    let (_, rooms) = rooms();
    let one = enter(&rooms, 1, &["/w"]);
    let before = one.snapshot_with(Trust::Untrusted).await;
    let (next, ()) = tokio::join!(one.snapshot(Some(before.revision)), async {
        one.open("/w/a", "news");
    });
    assert!(next.revision > before.revision);
    assert!(before.documents.is_empty(), "a snapshot does not change");
}

#[tokio::test]
async fn the_editor_s_trust_reaches_the_settings() {
    let (_, rooms) = rooms();
    let one = enter(&rooms, 1, &["/w"]);
    one.snapshot_with(Trust::Untrusted).await;
    one.inbox.post(Input::EditorChanged {
        door: one.id,
        update: EditorUpdate {
            trusted: Some(true),
            ..EditorUpdate::default()
        },
    });
    one.snapshot_with(Trust::Trusted).await;
}

#[tokio::test]
async fn each_door_hears_of_a_problem_once() {
    let (settings, rooms) = rooms();
    let problem = "settings.json:3:1: expected `,` or `}`".to_owned();
    settings.problems.lock().unwrap().push(problem.clone());
    let message = Some(Outbound::Message {
        severity: Severity::Warning,
        text: problem,
    });
    let mut one = enter(&rooms, 1, &["/w"]);
    assert_eq!(one.outbound.recv().await, message);
    let mut two = enter(&rooms, 2, &["/w"]);
    assert_eq!(two.outbound.recv().await, message);
    one.inbox.post(Input::WatchedFilesChanged(one.id));
    // The settings are read again, and nothing is said again.
    let settled = one.snapshot(None).await;
    one.snapshot(Some(settled.revision)).await;
    assert!(one.outbound.try_recv().is_err());
}

#[tokio::test]
async fn lost_messages_make_every_text_of_that_door_suspect() {
    let (_, rooms) = rooms();
    let mut one = enter(&rooms, 1, &["/w"]);
    let two = enter(&rooms, 2, &["/w"]);
    one.open("/w/a", "x");
    two.open("/w/a", "y");
    one.inbox.post(Input::MessagesLost(one.id));
    let uri = "file:///w/a".to_owned();
    assert_eq!(
        one.outbound.recv().await,
        Some(Outbound::Resync { uris: vec![uri] })
    );
    let snapshot = one.snapshot(None).await;
    let document = snapshot.documents.get(&key("/w/a")).unwrap();
    assert_eq!(
        document.seen_from(one.id).unwrap().sync,
        SyncState::Desynced
    );
    assert_eq!(document.seen_from(two.id).unwrap().sync, SyncState::Synced);
    // What the editor wrote to disk is the whole text.
    one.inbox.post(Input::Saved {
        door: one.id,
        key: key("/w/a"),
        text: Some("saved".to_owned()),
    });
    assert_eq!(one.text("/w/a").await.as_deref(), Some("saved"));
}

#[tokio::test]
async fn the_saved_text_counts_even_when_the_reported_changes_said_otherwise() {
    let (_, rooms) = rooms();
    let one = enter(&rooms, 1, &["/w"]);
    one.open("/w/a", "no line end");
    one.inbox.post(Input::Saved {
        door: one.id,
        key: key("/w/a"),
        text: Some("no line end\n".to_owned()),
    });
    assert_eq!(one.text("/w/a").await.as_deref(), Some("no line end\n"));
}

#[tokio::test]
async fn a_door_that_stopped_reading_is_declared_stalled() {
    let (_, rooms) = rooms();
    let one = enter(&rooms, 1, &["/w"]);
    one.open("/w/a", "x");
    assert!(!one.stalled.is_cancelled());
    // Three messages for an outbox of two.
    for _ in 0..3 {
        one.inbox.post(Input::MessagesLost(one.id));
    }
    one.stalled.cancelled().await;
}

/// Settings whose trust names what they were read for, and which can be held back.
struct Slow {
    held: StdMutex<Vec<(PathBuf, std::sync::mpsc::Receiver<()>)>>,
}

impl ConfigurationSource for Slow {
    fn load(&self, roots: &[PathBuf], _: &DoorContext, _: Option<bool>) -> Configuration {
        let gate = {
            let mut held = self.held.lock().unwrap();
            let at = held.iter().position(|(root, _)| roots == [root.clone()]);
            at.map(|at| held.remove(at).1)
        };
        if let Some(gate) = gate {
            gate.recv().unwrap();
        }
        // `/safe` alone is trusted; together with another folder it is not.
        Configuration {
            trust: match roots == [PathBuf::from("/safe")] {
                true => Trust::Trusted,
                false => Trust::Untrusted,
            },
            problems: vec![format!("{roots:?}")],
        }
    }
}

/// The folders the settings of a snapshot were read for.
fn read_for(snapshot: &Snapshot) -> &str {
    snapshot
        .configuration
        .problems
        .first()
        .map_or("", |text| text)
}

#[tokio::test]
async fn settings_read_for_a_room_that_moved_are_not_those_of_the_joined_room() {
    let (release, gate) = std::sync::mpsc::channel();
    let held = StdMutex::new(vec![(PathBuf::from("/safe"), gate)]);
    let rooms = Rooms::new(Arc::new(Slow { held }), MemoryDisk::empty());
    let one = enter(&rooms, 1, &["/w"]);
    let two = enter(&rooms, 2, &["/safe"]);
    rooms.change_roots(one.id, vec![PathBuf::from("/safe")], &[]);
    let mut now = two.snapshot(None).await;
    while read_for(&now) != r#"["/w", "/safe"]"# {
        now = two.snapshot(Some(now.revision)).await;
    }
    // Only now does the thread that was started for `/safe` alone come back.
    release.send(()).unwrap();
    let next = two.snapshot(Some(now.revision));
    // It says nothing about this room, so nothing has to come of it.
    if let Ok(next) = tokio::time::timeout(std::time::Duration::from_millis(300), next).await {
        assert_eq!(read_for(&next), r#"["/w", "/safe"]"#);
        assert_eq!(next.configuration.trust, Trust::Untrusted);
    }
}

#[tokio::test]
async fn a_door_that_left_a_joined_room_no_longer_answers_for_its_trust() {
    let (_, rooms) = rooms();
    let one = enter(&rooms, 1, &["/w"]);
    let two = enter(&rooms, 2, &["/v"]);
    rooms.change_roots(one.id, vec![PathBuf::from("/v")], &[]);
    two.inbox.post(Input::EditorChanged {
        door: two.id,
        update: EditorUpdate {
            trusted: Some(true),
            ..EditorUpdate::default()
        },
    });
    two.snapshot_with(Trust::Trusted).await;
    rooms.leave(two.id);
    tokio::time::timeout(
        std::time::Duration::from_secs(60),
        one.snapshot_with(Trust::Untrusted),
    )
    .await
    .expect("the settings are read again without it");
}

#[tokio::test]
async fn settings_that_panic_are_read_again() {
    struct Panics(StdMutex<bool>);
    impl ConfigurationSource for Panics {
        fn load(&self, _: &[PathBuf], _: &DoorContext, _: Option<bool>) -> Configuration {
            let first = std::mem::take(&mut *self.0.lock().unwrap());
            assert!(!first, "a bug in the reader of settings");
            Configuration {
                trust: Trust::Trusted,
                ..Configuration::default()
            }
        }
    }
    let rooms = Rooms::new(Arc::new(Panics(StdMutex::new(true))), MemoryDisk::empty());
    let one = enter(&rooms, 1, &["/w"]);
    let mut now = one.snapshot(None).await;
    one.inbox.post(Input::WatchedFilesChanged(one.id));
    let read = async {
        while now.configuration.trust != Trust::Trusted {
            now = one.snapshot(Some(now.revision)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), read)
        .await
        .expect("a panic is an event, not the end of all settings");
}

#[tokio::test]
async fn a_lost_message_with_many_open_files_does_not_end_a_door_that_reads() {
    let (_, rooms) = rooms();
    let one = enter(&rooms, 1, &["/w"]);
    for number in 0..10 {
        one.open(&format!("/w/{number}"), "text");
    }
    one.inbox.post(Input::MessagesLost(one.id));
    one.snapshot(None).await;
    // The outbox of these tests has two places; the one of a connection has 256.
    assert!(!one.stalled.is_cancelled());
}

impl TestDoor {
    fn says(&self, trusted: bool) {
        self.inbox.post(Input::EditorChanged {
            door: self.id,
            update: EditorUpdate {
                trusted: Some(trusted),
                ..EditorUpdate::default()
            },
        });
    }
}

#[tokio::test]
async fn the_strictest_door_decides_whether_a_room_is_trusted() {
    let (_, rooms) = rooms();
    let one = enter(&rooms, 1, &["/w"]);
    one.says(true);
    one.snapshot_with(Trust::Trusted).await;
    // One that has no opinion, as most terminals, changes nothing.
    let two = enter(&rooms, 2, &["/w"]);
    two.open("/w/a", "a");
    assert_eq!(two.text("/w/a").await.unwrap(), "a");
    one.snapshot_with(Trust::Trusted).await;
    two.says(false);
    one.snapshot_with(Trust::Untrusted).await;
    // The newest one that trusts does not overrule the one that does not.
    let three = enter(&rooms, 3, &["/w"]);
    three.says(true);
    three.open("/w/b", "b");
    three.text("/w/b").await.unwrap();
    three.snapshot_with(Trust::Untrusted).await;
    rooms.leave(two.id);
    one.snapshot_with(Trust::Trusted).await;
}

/// Settings that believe what a door's own environment says.
struct OwnWord;

impl ConfigurationSource for OwnWord {
    fn load(&self, _: &[PathBuf], door: &DoorContext, _: Option<bool>) -> Configuration {
        let trusts = door.environment.contains_key("TRUSTS");
        Configuration {
            trust: match trusts {
                true => Trust::Trusted,
                false => Trust::Untrusted,
            },
            problems: vec!["the same for all".to_owned()],
        }
    }
}

#[test]
fn what_two_doors_say_together_is_the_stricter_of_both_and_all_that_is_wrong() {
    let with = |names: &[&str]| DoorContext {
        environment: Arc::new(
            names
                .iter()
                .map(|name| (name.to_string(), String::new()))
                .collect(),
        ),
        ..DoorContext::default()
    };
    let load = |names: &[&str]| OwnWord.load(&[], &with(names), None);
    let both = load(&["TRUSTS"]).and(load(&[]));
    assert_eq!(both.trust, Trust::Untrusted);
    assert_eq!(both.problems, ["the same for all"]);
    assert_eq!(
        load(&["TRUSTS"]).and(load(&["TRUSTS"])).trust,
        Trust::Trusted
    );
}
