//! The program `scripted-model`, as tests in other languages use it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};

use serde_json::{Value, json};

use super::command;

struct Program {
    child: Child,
    /// Dropping it ends the program.
    stdin: Option<ChildStdin>,
    address: String,
}

impl Program {
    fn start(script: &Path, more: &[&str]) -> Self {
        let mut child = command(env!("CARGO_BIN_EXE_scripted-model"))
            .arg("--script")
            .arg(script)
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        let address = format!("127.0.0.1:{}", line["port"]);
        assert_eq!(line["url"], format!("http://{address}"));
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            address,
        }
    }

    fn ask(&self, target: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "POST {target} HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{{}}"
        )
        .unwrap();
        stream
    }

    /// The exit code and stderr after the program has seen the end of its stdin.
    fn finish(mut self) -> (Option<i32>, String) {
        drop(self.stdin.take());
        self.end()
    }

    fn end(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        let mut stderr = String::new();
        let mut pipe = self.child.stderr.take().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        (code, stderr)
    }
}

fn read(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

fn script_file(folder: &Path, script: &Value) -> std::path::PathBuf {
    let path = folder.join("script.json");
    std::fs::write(&path, script.to_string()).unwrap();
    path
}

#[test]
fn it_plays_a_script_file_records_requests_and_ends_with_its_stdin() {
    let folder = tempfile::tempdir().unwrap();
    let script = script_file(
        folder.path(),
        &json!({ "strict": true, "replies": [
            { "steps": [{ "text": "hello" }, { "gate": "go" }, { "finish": { "reason": "STOP" } }] },
            { "status": 503, "error": { "status": "UNAVAILABLE" } },
        ] }),
    );
    let record = folder.path().join("requests.jsonl");
    let mut program = Program::start(&script, &["--record", record.to_str().unwrap()]);

    let stream = program.ask("/v1beta/models/m:streamGenerateContent?alt=sse");
    writeln!(program.stdin.as_mut().unwrap(), "open go").unwrap();
    let reply = read(stream);
    assert!(reply.contains("hello") && reply.contains("STOP"), "{reply}");
    assert!(read(program.ask("/second")).starts_with("HTTP/1.1 503"));

    let lines = std::fs::read_to_string(&record).unwrap();
    let paths: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["path"].clone())
        .collect();
    assert_eq!(paths, ["/v1beta/models/m:streamGenerateContent", "/second"]);
    assert_eq!(program.finish(), (Some(0), String::new()));
}

#[test]
fn a_strict_script_that_was_not_played_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let script = script_file(folder.path(), &json!({ "strict": true, "replies": [{}] }));
    let (code, stderr) = Program::start(&script, &[]).finish();
    assert_eq!(code, Some(1));
    assert_eq!(stderr, "scripted-model: reply 1 was used 0 of 1 times\n");
}

#[cfg(unix)]
#[test]
fn it_ends_when_asked_to_terminate() {
    let folder = tempfile::tempdir().unwrap();
    let script = script_file(
        folder.path(),
        &json!({ "replies": [{ "steps": ["stall"] }] }),
    );
    let program = Program::start(&script, &[]);
    let _open_connection = program.ask("/v1beta/models/m:streamGenerateContent?alt=sse");
    let pid = program.child.id().to_string();
    let kill = command("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(kill.success());
    assert_eq!(program.end(), (Some(0), String::new()));
}

#[test]
fn wrong_scripts_and_arguments_end_with_two_and_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.json");
    std::fs::write(&path, "{\n  \"replies\": [{ \"steps\": [1] }]\n}").unwrap();
    let path = path.to_str().unwrap();
    let wrong_step = format!("{path}: line 2, column 27: ");
    for (arguments, reason) in [
        (&["--script", path][..], wrong_step.as_str()),
        (
            &["--script", "/nowhere.json"],
            "/nowhere.json: No such file",
        ),
        (&[], "--script is missing"),
        (&["--script"], "--script needs a value"),
        (&["--port", "x"], "\"x\" is not a port number"),
        (&["--what"], "unknown argument \"--what\""),
    ] {
        let output = command(env!("CARGO_BIN_EXE_scripted-model"))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(
            stderr.starts_with(&format!("scripted-model: {reason}")),
            "{stderr}"
        );
    }
}
