//! The binary in a world of its own.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use pollux_testkit::fake_editor::FakeEditor;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// What a person would call at once: nothing may outlive its owner for longer.
const SOON: Duration = Duration::from_secs(5);

/// A home, a runtime folder and a workspace that no other test sees.
pub(crate) struct World {
    folder: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        // Short: the name of a socket is limited.
        let folder = tempfile::Builder::new()
            .prefix("pollux-")
            .tempdir_in("/tmp")
            .unwrap();
        for name in ["home", "work", "tmp"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::DirBuilder::new()
            .mode(0o700)
            .create(folder.path().join("run"))
            .unwrap();
        Self { folder }
    }

    /// Gives all of it to another user, as only root can.
    pub(crate) fn give_to(&self, user: u32) {
        let names = ["", "home", "work", "tmp", "run"];
        for name in names {
            let path = self.folder.path().join(name);
            std::os::unix::fs::chown(path, Some(user), Some(user)).unwrap();
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Where programs of this world put what nobody keeps.
    pub(crate) fn tmp(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    /// Where host and doors meet.
    pub(crate) fn run(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// The workspace folder of the test.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work").canonicalize().unwrap()
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.work().join(name).display())
    }

    /// Puts the sample program of the demo model into the workspace.
    pub(crate) fn unpack_sample(&self) {
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/src/demo/sample");
        for name in ["README.md", "src/retry.rs", "src/upload.rs"] {
            let target = self.work().join(name);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(format!("{sample}/{name}"), target).unwrap();
        }
    }

    /// A program with the environment of this world and nothing else.
    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        #[expect(clippy::disallowed_methods, reason = "tests start what they test")]
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .env("PATH", path())
            .env("HOME", self.home())
            .env("POLLUX_RUNTIME_DIR", self.run())
            .env("TMPDIR", self.tmp())
            .env("POLLUX_LOG", "debug")
            // Nobody answers there: what runs on the machine of the test is no part of it.
            .env("OLLAMA_HOST", "127.0.0.1:9")
            .current_dir(self.work())
            .kill_on_drop(true);
        command
    }

    pub(crate) fn pollux(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_pollux"));
        command.args(arguments);
        command
    }

    /// Starts a door, with an editor at its other end.
    pub(crate) fn door(&self, arguments: &[&str]) -> (FakeEditor, Door) {
        Self::start(self.pollux(arguments))
    }

    /// The same for somebody who trusts the folder.
    pub(crate) fn start_trusting(mut command: Command) -> (FakeEditor, Door) {
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        Self::start(command)
    }

    pub(crate) fn start(mut command: Command) -> (FakeEditor, Door) {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let editor = FakeEditor::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
        (editor, Door { child })
    }

    /// The log of the host so far.
    pub(crate) fn log(&self) -> String {
        let logs = self.home().join(".gemini/pollux/logs");
        ["host.log", "lsp.log"]
            .iter()
            .filter_map(|name| fs::read_to_string(logs.join(name)).ok())
            .collect()
    }

    /// The files of recorded sessions.
    pub(crate) fn records(&self) -> Vec<PathBuf> {
        let projects = fs::read_dir(self.home().join(".gemini/tmp")).unwrap();
        let chats = projects.map(|project| project.unwrap().path().join("chats"));
        let files = chats.filter_map(|chats| fs::read_dir(chats).ok()).flatten();
        files.map(|file| file.unwrap().path()).collect()
    }

    /// The answers in the only record there is: the model that wrote each, and its words.
    pub(crate) fn answers(&self) -> Vec<(String, String)> {
        let records = self.records();
        assert_eq!(records.len(), 1, "{records:?}");
        let record = fs::read_to_string(&records[0]).unwrap();
        let lines = record
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let answers = lines.filter(|line: &Value| line["type"] == "gemini");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        answers
            .map(|answer| (text(&answer["model"]), text(&answer["content"])))
            .collect()
    }

    /// The processes of this world that have the word among their arguments.
    pub(crate) fn processes(&self, word: &str) -> Vec<Pid> {
        let mark = format!("POLLUX_RUNTIME_DIR={}", self.run().display());
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let has = |bytes: Vec<u8>, wanted: &str| {
                bytes
                    .split(|byte| *byte == 0)
                    .any(|part| part == wanted.as_bytes())
            };
            let number = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok());
            if let Some(pid) = number.and_then(Pid::from_raw)
                && has(read("environ"), &mark)
                && (word.is_empty() || has(read("cmdline"), word))
            {
                found.push(pid);
            }
        }
        found
    }

    pub(crate) fn host(&self) -> Pid {
        let hosts = self.processes("host");
        assert_eq!(hosts.len(), 1, "one host, not {hosts:?}");
        hosts[0]
    }

    /// Waits until a door has started a host.
    pub(crate) async fn host_is_there(&self) {
        let started = async {
            while self.processes("host").len() != 1 {
                tokio::task::yield_now().await;
            }
        };
        timeout(SOON, started).await.expect("a host is started");
    }

    pub(crate) async fn expect_no_process_left(&self) {
        // Who is about to go may have started somebody else meanwhile.
        for _ in 0..3 {
            // All at once: who ends while another is waited for cannot be waited for any more.
            let ends = self.processes("").into_iter().map(|pid| {
                let number = pid.as_raw_nonzero().get().unsigned_abs();
                timeout(SOON, pollux_exec::process_ended(number))
            });
            let _late_or_gone = futures_util::future::join_all(ends).await;
        }
        assert_eq!(self.processes(""), []);
        let log = self.log();
        assert!(!log.contains("panicked at"), "{log}");
    }
}

pub(crate) async fn expect_end_of(pid: Pid) {
    let number = pid.as_raw_nonzero().get().unsigned_abs();
    let place = PathBuf::from(format!("/proc/{number}"));
    // Who has gone cannot be watched any more: the watch would wait for ever, here or in the moment before it begins.
    if !place.exists() {
        return;
    }
    let watched = timeout(SOON, pollux_exec::process_ended(number)).await;
    if watched.is_err() && place.exists() {
        let words = fs::read(place.join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        panic!("process {number} is still there after {SOON:?}: {words}");
    }
}

pub(crate) fn kill(pid: Pid) {
    kill_process(pid, Signal::KILL).unwrap();
}

/// Kills the host, and sees it go: what is said from then on reaches no other.
pub(crate) async fn kill_host(world: &World) {
    let host = world.host();
    // Watched from before, because who has gone cannot be watched any more.
    let mut gone = std::pin::pin!(expect_end_of(host));
    tokio::select! {
        biased;
        () = &mut gone => panic!("the host has gone by itself"),
        () = std::future::ready(()) => kill(host),
    }
    gone.await;
}

/// A door that runs.
pub(crate) struct Door {
    child: Child,
}

impl Door {
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id().unwrap()).unwrap()).unwrap()
    }

    pub(crate) async fn ended(&mut self) -> ExitStatus {
        timeout(SOON, self.child.wait())
            .await
            .expect("the door ends soon")
            .unwrap()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests find their programs where the person does"
)]
fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}
