//! A client that speaks in plain lines, good ones and bad ones.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) struct Wire {
    pub(crate) child: Child,
    pub(crate) input: ChildStdin,
    pub(crate) output: Lines<BufReader<ChildStdout>>,
}

impl Wire {
    pub(crate) fn open(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
        }
    }

    pub(crate) async fn write(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).await.unwrap();
        self.input.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn read(&mut self) -> Value {
        let line = timeout(PATIENCE, self.output.next_line()).await.unwrap();
        serde_json::from_str(&line.unwrap().expect("the connection lives")).unwrap()
    }

    pub(crate) async fn ask(&mut self, line: &str) -> Value {
        self.write(line).await;
        self.read().await
    }

    /// The first message that is wanted, whatever comes before it.
    pub(crate) async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.read().await;
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Closes its end, and sees the other end too, within this time. What is not read by then stays unread.
    pub(crate) async fn close_within(self, time: Duration) {
        let Self {
            mut child,
            input,
            output: _unread,
        } = self;
        drop(input);
        let ended = timeout(time, child.wait()).await;
        assert!(ended.expect("it ends").unwrap().success());
    }

    pub(crate) async fn close(self) {
        self.close_within(PATIENCE).await;
    }
}
