//! The binary as an editor sees it: a door on stdio, and the host behind it.

use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::client::Client;
use super::place::Place;
use super::process;

#[cfg(test)]
mod tests;

/// The host ends about two seconds after its last door; a busy machine may take longer.
const HOST_DEADLINE: Duration = Duration::from_secs(30);

/// A door that was told to exit and does not is broken.
const EXIT_DEADLINE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy)]
pub(super) enum Sharing {
    /// A door that finds or starts the host.
    Host,
    /// Door and room in one process.
    OneProcess,
}

pub(super) struct Door {
    child: Child,
    pub(super) client: Client<ChildStdin>,
    /// From just before the process was made to the reply to `initialize`.
    pub(super) start: Duration,
}

impl Door {
    pub(super) fn open(pollux: &Path, place: &Place, sharing: Sharing) -> Result<Self> {
        let mut command = place.command(pollux)?;
        command.arg("lsp");
        if let Sharing::OneProcess = sharing {
            command.arg("--no-share");
        }
        Self::begin(&mut command, place)
    }

    /// A door that is started in another way than usual.
    pub(super) fn begin(command: &mut Command, place: &Place) -> Result<Self> {
        let params = initialize(&place.workspace());
        Self::start(command, &params).with_context(|| place.last_words())
    }

    fn start(command: &mut Command, params: &Value) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let begin = Instant::now();
        let mut child = command.spawn().context("pollux does not start")?;
        let stdin = child.stdin.take().context("no stdin")?;
        let stdout = child.stdout.take().context("no stdout")?;
        let mut door = Self {
            child,
            client: Client::over(stdout, stdin),
            start: Duration::ZERO,
        };
        door.client.request("initialize", params)?;
        door.start = begin.elapsed();
        door.client.notify("initialized", &json!({}))?;
        Ok(door)
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Comes back when the server has done everything that was sent before.
    pub(super) fn snapshot(&mut self) -> Result<Value> {
        self.client.request("pollux/snapshot", &json!({}))
    }

    pub(super) fn close(mut self) -> Result<()> {
        self.client.request("shutdown", &Value::Null)?;
        self.client.notify("exit", &Value::Null)?;
        process::wait_until("the door ends", EXIT_DEADLINE, || {
            Ok(self.child.try_wait()?.is_some())
        })
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // Both fail when the door has ended as it should.
        let _already_ended = self.child.kill();
        let _already_waited_for = self.child.wait();
    }
}

/// The process id of the host in this place, as `pollux doctor` tells it.
pub(super) fn host(pollux: &Path, place: &Place) -> Result<u32> {
    let output = place
        .command(pollux)?
        .args(["doctor", "--json"])
        .stdin(Stdio::null())
        .output()?;
    // The exit code is about the health of the whole set-up and does not matter here.
    host_in(&output.stdout).with_context(|| place.last_words())
}

/// Comes back when the host has ended by itself, after its last door.
pub(super) fn wait_for_host(pid: u32) -> Result<()> {
    process::wait_until("the host ends", HOST_DEADLINE, || {
        Ok(process::has_ended(pid))
    })
}

fn host_in(report: &[u8]) -> Result<u32> {
    let report: Value =
        serde_json::from_slice(report).context("`pollux doctor --json` printed no JSON")?;
    let Some(pid) = report.pointer("/host/pid").and_then(Value::as_u64) else {
        bail!("`pollux doctor --json` sees no host");
    };
    Ok(u32::try_from(pid)?)
}

fn initialize(workspace: &Path) -> Value {
    let uri = format!("file://{}", workspace.display());
    json!({
        "processId": std::process::id(),
        "rootUri": uri,
        "workspaceFolders": [{"uri": uri, "name": "bench"}],
        "capabilities": {
            "general": {"positionEncodings": ["utf-16"]},
            "workspace": {"workspaceFolders": true, "configuration": true},
            "textDocument": {"synchronization": {"didSave": true}},
        },
    })
}
