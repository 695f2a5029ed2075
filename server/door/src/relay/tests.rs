use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::task::JoinHandle;

use tokio::time::Instant;

use super::*;
use crate::reconnect::HOSTS;

/// Remembers one line, `hello`, and what is asked for with `keep`.
#[derive(Default)]
struct Remembered {
    hello: Option<Vec<u8>>,
}

impl Memory for Remembered {
    fn heard(&mut self, message: &Message<'_>) -> Keep {
        match message.method() {
            Some("hello") => Keep::UntilAnswered,
            Some("listen") => Keep::ForTheNextHost,
            _ => Keep::Nothing,
        }
    }

    fn taken_back(&self, message: &Message<'_>) -> Option<String> {
        let id: Option<Value> = message.params();
        id.filter(|_| message.method() == Some("cancel"))
            .map(|id| id.to_string())
    }

    fn answered(&mut self, request: &Message<'_>, _: &Message<'_>) {
        self.hello = Some(request.line.to_vec());
    }

    fn lost(&mut self) -> Vec<Vec<u8>> {
        vec![br#"{"method":"lost"}"#.to_vec()]
    }

    fn retell(&mut self) -> Vec<Vec<u8>> {
        self.hello.iter().cloned().collect()
    }

    fn retold(&mut self, _: &Message<'_>, _: &Message<'_>) -> Vec<Vec<u8>> {
        vec![br#"{"method":"again"}"#.to_vec()]
    }
}

/// What somebody reads from, and what it writes to.
type Pipes = (DuplexStream, DuplexStream);

/// Hosts that a test plays itself, one after the other.
#[derive(Clone, Default)]
struct Hosts(Arc<Mutex<VecDeque<Pipes>>>);

impl Hosts {
    fn add(&self) -> Peer {
        let (host, pipes) = Peer::new();
        self.0.lock().unwrap().push_back(pipes);
        host
    }
}

impl Connect for Hosts {
    type Reader = DuplexStream;
    type Writer = DuplexStream;

    async fn connect(&mut self) -> io::Result<(Self::Reader, Self::Writer)> {
        let host = self.0.lock().unwrap().pop_front();
        host.ok_or_else(|| io::Error::other("no host is to be had"))
    }
}

/// One end of a pipe that speaks in lines.
struct Peer {
    reader: BufReader<DuplexStream>,
    writer: DuplexStream,
}

impl Peer {
    /// With the other ends, for the door.
    fn new() -> (Self, Pipes) {
        let (writer, heard) = duplex(1024);
        let (said, reader) = duplex(1024);
        let peer = Self {
            reader: BufReader::new(reader),
            writer,
        };
        (peer, (heard, said))
    }

    async fn say(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    async fn hears(&mut self, expected: &str) {
        let mut line = String::new();
        self.reader.read_line(&mut line).await.unwrap();
        assert_eq!(line.trim_end(), expected);
    }

    /// There is nothing more to hear.
    async fn hears_nothing(&mut self) {
        self.hears("").await;
    }
}

fn open(hosts: &Hosts) -> (Peer, JoinHandle<io::Result<()>>) {
    let (client, (input, output)) = Peer::new();
    let door = carry(input, output, hosts.clone(), Remembered::default());
    (client, tokio::spawn(door))
}

const HELLO: &str = r#"{"id":1,"method":"hello"}"#;
const WELCOME: &str = r#"{"id":1,"result":{}}"#;
const LOST: &str = r#"{"method":"lost"}"#;

fn refused(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"the host ended before it had answered, and another has its place; ask again"}}}}"#
    )
}

/// A client and a host that know each other.
async fn known(hosts: &Hosts) -> (Peer, Peer, JoinHandle<io::Result<()>>) {
    let mut host = hosts.add();
    let (mut client, door) = open(hosts);
    client.say(HELLO).await;
    host.hears(HELLO).await;
    host.say(WELCOME).await;
    client.hears(WELCOME).await;
    (client, host, door)
}

#[tokio::test]
async fn a_new_host_is_told_what_the_last_one_knew_and_the_client_goes_on() {
    let hosts = Hosts::default();
    let (mut client, host, door) = known(&hosts).await;
    let mut second = hosts.add();
    drop(host);
    client.hears(LOST).await;
    second.hears(HELLO).await;
    // What it says before it has answered reaches the client, its answer does not.
    second.say(r#"{"method":"news"}"#).await;
    second.say(WELCOME).await;
    client.hears(r#"{"method":"news"}"#).await;
    client.hears(r#"{"method":"again"}"#).await;
    client.say(r#"{"id":2,"method":"ask"}"#).await;
    second.hears(r#"{"id":2,"method":"ask"}"#).await;
    second.say(r#"{"id":2,"result":null}"#).await;
    client.hears(r#"{"id":2,"result":null}"#).await;
    drop(client.writer);
    second.hears_nothing().await;
    drop(second);
    door.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_was_asked_is_refused_or_asked_again_and_half_a_line_is_never_seen() {
    let hosts = Hosts::default();
    let (mut client, mut host, door) = known(&hosts).await;
    for line in [
        r#"{"id":"é","method":"ask"}"#,
        r#"{"id":3,"method":"listen"}"#,
        r#"{"id":4,"method":"listen"}"#,
        r#"{"method":"cancel","params":4}"#,
        // An answer to a question of the host has nothing to do with what the client asks.
        r#"{"id":3,"result":0}"#,
    ] {
        client.say(line).await;
        host.hears(line).await;
    }
    host.writer.write_all(br#"{"id":3,"res"#).await.unwrap();
    let mut second = hosts.add();
    drop(host);
    client.hears(LOST).await;
    client.hears(&refused(r#""é""#)).await;
    second.hears(HELLO).await;
    second.say(WELCOME).await;
    client.hears(r#"{"method":"again"}"#).await;
    second.hears(r#"{"id":3,"method":"listen"}"#).await;
    client.say("no message").await;
    second.hears("no message").await;
    drop(client);
    second.hears_nothing().await;
    door.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_line_that_no_host_has_seen_goes_to_the_next_one() {
    let hosts = Hosts::default();
    let (mut client, host, door) = known(&hosts).await;
    let mut second = hosts.add();
    // It can be told nothing any more, and that is noticed with the next line.
    let Peer {
        reader,
        writer: _open,
    } = host;
    drop(reader);
    client.say(r#"{"id":2,"method":"ask"}"#).await;
    second.hears(HELLO).await;
    second.say(WELCOME).await;
    second.hears(r#"{"id":2,"method":"ask"}"#).await;
    second.say(r#"{"id":2,"result":{}}"#).await;
    client.hears(LOST).await;
    client.hears(r#"{"method":"again"}"#).await;
    client.hears(r#"{"id":2,"result":{}}"#).await;
    drop(client);
    drop(second);
    door.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_host_that_is_not_to_be_had_is_looked_for_a_few_times() {
    let hosts = Hosts::default();
    let (mut client, host, door) = known(&hosts).await;
    let begun = Instant::now();
    drop(host);
    client.hears(LOST).await;
    let error = door.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "no host is to be had");
    assert_eq!(begun.elapsed().as_millis(), 1500);
}

#[tokio::test(start_paused = true)]
async fn hosts_that_keep_dying_are_not_replaced_for_ever() {
    let hosts = Hosts::default();
    let (_client, host, door) = known(&hosts).await;
    for _ in 0..HOSTS {
        drop(hosts.add());
    }
    drop(host);
    let error = door.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the host keeps dying; see its log");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_while_a_host_is_looked_for_is_let_go() {
    let hosts = Hosts::default();
    let (mut client, host, door) = known(&hosts).await;
    drop(host);
    client.hears(LOST).await;
    drop(client);
    door.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_first_host_that_is_not_to_be_had_is_said_at_once() {
    let (_client, door) = open(&Hosts::default());
    let error = door.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "no host is to be had");
}
