use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use super::*;

/// Hosts that a test plays itself, one after the other.
struct Hosts(VecDeque<DuplexStream>);

impl Connect for Hosts {
    type Reader = ReadHalf<DuplexStream>;
    type Writer = WriteHalf<DuplexStream>;

    async fn connect(&mut self) -> io::Result<(Self::Reader, Self::Writer)> {
        let host = self.0.pop_front();
        host.map(tokio::io::split)
            .ok_or_else(|| io::Error::other("no more hosts"))
    }
}

/// One end of a pipe that speaks in frames.
struct Peer {
    reader: FrameReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Peer {
    fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self {
            reader: FrameReader::new(reader, MAX_FRAME),
            writer,
        }
    }

    async fn say(&mut self, message: Value) {
        let frame = framed(message.to_string().as_bytes());
        self.writer.write_all(&frame).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        match self.reader.next().await.unwrap().expect("a message") {
            Incoming::Frame(body) => serde_json::from_slice(&body).unwrap(),
            Incoming::Bad(bad) => panic!("{bad}"),
        }
    }
}

struct Play {
    editor: Peer,
    hosts: VecDeque<Peer>,
    door: tokio::task::JoinHandle<io::Result<End>>,
    /// How often the end of the editor's process was asked for.
    watched: Arc<AtomicUsize>,
}

fn play(hosts: usize) -> Play {
    let (editor, door_end) = tokio::io::duplex(64 * 1024);
    let (near, far): (VecDeque<_>, VecDeque<_>) = (0..hosts)
        .map(|_| tokio::io::duplex(64 * 1024))
        .map(|(near, far)| (near, Peer::new(far)))
        .unzip();
    let watched = Arc::new(AtomicUsize::new(0));
    let watch = Arc::clone(&watched);
    let (reader, writer) = tokio::io::split(door_end);
    let door = tokio::spawn(run(reader, writer, Hosts(near), move |_| {
        watch.fetch_add(1, Ordering::Relaxed);
        std::future::pending()
    }));
    Play {
        editor: Peer::new(editor),
        hosts: far,
        door,
        watched,
    }
}

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "processId": 7, "capabilities": {} } })
}

fn initialized_with(encoding: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "result": { "capabilities": { "positionEncoding": encoding } } })
}

fn note(text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "method": "window/showMessage", "params": { "type": 2, "message": text } })
}

async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), what).await.expect("soon")
}

#[tokio::test]
async fn what_a_new_host_says_before_it_answers_initialize_is_not_its_answer() {
    let mut play = play(2);
    let mut first = play.hosts.pop_front().unwrap();
    let mut second = play.hosts.pop_front().unwrap();
    play.editor.say(initialize()).await;
    soon(first.hear()).await;
    first.say(initialized_with("utf-8")).await;
    assert_eq!(soon(play.editor.hear()).await["id"], 1);
    play.editor
        .say(json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }))
        .await;
    soon(first.hear()).await;
    drop(first);

    assert_eq!(soon(second.hear()).await["method"], "initialize");
    // The protocol allows this message here, and a room with a broken settings file sends it.
    second.say(note("settings.json:1:1")).await;
    let early = timeout(Duration::from_millis(100), second.hear()).await;
    assert!(early.is_err(), "not initialized yet, and told {early:?}");
    second.say(initialized_with("utf-8")).await;
    assert_eq!(soon(second.hear()).await["method"], "initialized");
    // The editor hears the note, and no second answer to what it asked once.
    assert_eq!(soon(play.editor.hear()).await, note("settings.json:1:1"));
    second.say(note("next")).await;
    assert_eq!(soon(play.editor.hear()).await, note("next"));
}

#[tokio::test]
async fn an_initialize_that_was_refused_is_not_what_a_new_host_is_told() {
    let mut play = play(2);
    let mut first = play.hosts.pop_front().unwrap();
    let mut second = play.hosts.pop_front().unwrap();
    play.editor
        .say(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": 7 }))
        .await;
    soon(first.hear()).await;
    first
        .say(json!({ "jsonrpc": "2.0", "id": 0, "error": { "code": -32602, "message": "no" } }))
        .await;
    soon(play.editor.hear()).await;
    play.editor.say(initialize()).await;
    soon(first.hear()).await;
    first.say(initialized_with("utf-8")).await;
    soon(play.editor.hear()).await;
    drop(first);
    assert_eq!(soon(second.hear()).await, initialize());
}

#[tokio::test]
async fn the_editor_s_process_is_watched_across_hosts() {
    let mut play = play(2);
    let mut first = play.hosts.pop_front().unwrap();
    let mut second = play.hosts.pop_front().unwrap();
    play.editor.say(initialize()).await;
    soon(first.hear()).await;
    first.say(initialized_with("utf-8")).await;
    soon(play.editor.hear()).await;
    drop(first);
    soon(second.hear()).await;
    second.say(initialized_with("utf-8")).await;
    second.say(note("up")).await;
    soon(play.editor.hear()).await;
    // Asked anew, a process that ended meanwhile would look like one that never was.
    assert_eq!(play.watched.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_exit_that_its_host_did_not_live_to_read_still_ends_the_door() {
    // A host whose buffer is full, and who dies before it reads on.
    let mut play = play(2);
    let first = play.hosts.pop_front().unwrap();
    let second = play.hosts.pop_front().unwrap();
    // It fills the pipe to the host up to a few bytes, so that `exit` is taken and half written.
    let filler = json!({ "jsonrpc": "2.0", "method": "x", "params": ["x".repeat(64 * 1024 - 80)] });
    let filler = framed(filler.to_string().as_bytes());
    let exit = framed(br#"{"jsonrpc":"2.0","method":"exit"}"#);
    assert!(filler.len() < 64 * 1024 && filler.len() + exit.len() > 64 * 1024);
    play.editor.writer.write_all(&filler).await.unwrap();
    play.editor.writer.write_all(&exit).await.unwrap();
    // On one thread, giving way lets the door run until it waits for the full pipe.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    drop(first);
    let end = timeout(Duration::from_secs(60), play.door).await;
    drop(second);
    assert_eq!(
        end.expect("the editor said exit").unwrap().unwrap(),
        End::Abrupt
    );
}

/// What a new host is told must mean the same as what the editor said to the old one.
#[tokio::test]
async fn a_new_host_hears_of_the_folders_and_counts_as_was_agreed() {
    let mut play = play(2);
    let mut first = play.hosts.pop_front().unwrap();
    let mut second = play.hosts.pop_front().unwrap();
    play.editor.say(initialize()).await;
    soon(first.hear()).await;
    first.say(initialized_with("utf-8")).await;
    soon(play.editor.hear()).await;
    let notify = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "method": method, "params": params });
    let added =
        json!({ "event": { "added": [{ "uri": "file:///v", "name": "v" }], "removed": [] } });
    let folders = notify("workspace/didChangeWorkspaceFolders", added);
    // Behind the first letter, which has two bytes. The change is long enough to become a part of the text.
    let place = json!({ "line": 0, "character": 2 });
    let long = "x".repeat(20_000);
    for message in [
        notify("initialized", json!({})),
        folders.clone(),
        notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": "file:///a", "languageId": "text", "version": 1, "text": "éz" } }),
        ),
        notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": "file:///a", "version": 2 },
                "contentChanges": [{ "range": { "start": place, "end": place }, "text": long }],
            }),
        ),
    ] {
        play.editor.say(message).await;
        soon(first.hear()).await;
    }
    drop(first);
    assert_eq!(soon(second.hear()).await["method"], "initialize");
    second.say(initialized_with("utf-8")).await;
    assert_eq!(soon(second.hear()).await["method"], "initialized");
    assert_eq!(soon(second.hear()).await, folders);
    let opened = soon(second.hear()).await;
    assert_eq!(opened["method"], "textDocument/didOpen");
    let text = opened["params"]["textDocument"]["text"].as_str().unwrap();
    assert!(
        text == format!("é{long}z"),
        "{} letters",
        text.chars().count()
    );
}

#[tokio::test]
async fn a_request_that_a_host_did_not_live_to_read_goes_to_the_next_one() {
    let mut play = play(2);
    let mut first = play.hosts.pop_front().unwrap();
    let mut second = play.hosts.pop_front().unwrap();
    play.editor.say(initialize()).await;
    soon(first.hear()).await;
    first.say(initialized_with("utf-8")).await;
    soon(play.editor.hear()).await;
    let request = |id: u32, text: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "pollux/promptQueue", "params": { "text": text } });
    // One has arrived, and the host may have acted on it. The next one does not fit into the pipe.
    let arrived = request(2, "arrived");
    play.editor.say(arrived.clone()).await;
    assert_eq!(soon(first.hear()).await, arrived);
    let long = request(3, &"x".repeat(64 * 1024));
    play.editor.say(long.clone()).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    drop(first);
    let refused = soon(play.editor.hear()).await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(2), &json!(-32802))
    );
    assert_eq!(soon(second.hear()).await["method"], "initialize");
    second.say(initialized_with("utf-8")).await;
    assert_eq!(soon(second.hear()).await, long);
}

#[tokio::test]
async fn a_session_that_cannot_be_restored_is_told_to_its_client() {
    let mut play = play(2);
    let mut first = play.hosts.pop_front().unwrap();
    let mut second = play.hosts.pop_front().unwrap();
    play.editor.say(initialize()).await;
    soon(first.hear()).await;
    first.say(initialized_with("utf-8")).await;
    soon(play.editor.hear()).await;
    let follow = json!({ "jsonrpc": "2.0", "id": 2, "method": "pollux/sessionFollow", "params": { "session": "a-b", "cursor": 0 } });
    play.editor.say(follow).await;
    soon(first.hear()).await;
    first
        .say(json!({ "jsonrpc": "2.0", "id": 2, "result": {} }))
        .await;
    soon(play.editor.hear()).await;
    drop(first);
    soon(second.hear()).await;
    second.say(initialized_with("utf-8")).await;
    let restore = soon(second.hear()).await;
    assert_eq!(restore["params"]["session"], "a-b");
    let error = json!({ "code": -32803, "message": "the disk is full" });
    second
        .say(json!({ "jsonrpc": "2.0", "id": restore["id"], "error": error }))
        .await;
    let told = soon(play.editor.hear()).await;
    assert_eq!(told["method"], "pollux/sessionEvents");
    assert_eq!(
        told["params"]["events"],
        json!([{ "kind": "refused", "reason": "This session could not be opened again: the disk is full" }])
    );
}
