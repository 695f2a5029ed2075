//! The scripted model as a process of its own, so that its work is not counted as ours.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use super::super::place::Place;
use super::record::{self, Request};
use crate::{shell, tidy};

pub(super) struct Model {
    child: Child,
    record: PathBuf,
    pub(super) url: String,
}

impl Model {
    /// Listens when this returns.
    pub(super) fn start(program: &Path, place: &Place, script: &Value) -> Result<Self> {
        let (file, record) = (place.file("script.json"), place.file("record.jsonl"));
        fs::write(&file, script.to_string())?;
        fs::write(&record, "")?;
        let mut child = Command::new(program)
            .arg("--script")
            .arg(&file)
            .arg("--record")
            .arg(&record)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the scripted model does not start")?;
        let stdout = child.stdout.take().context("no stdout")?;
        let mut model = Self {
            child,
            record,
            url: String::new(),
        };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let line: Value = serde_json::from_str(&line).context("the scripted model said no port")?;
        let url = line.get("url").and_then(Value::as_str).context("no url")?;
        model.url = url.to_owned();
        Ok(model)
    }

    pub(super) fn first_request(&self) -> Result<Request> {
        record::first(&fs::read_to_string(&self.record)?)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // It ends when its stdin does; this also ends it when it is stuck.
        let _already_ended = self.child.kill();
        let _already_waited_for = self.child.wait();
    }
}

/// Built like the binary that is measured.
pub(super) fn build() -> Result<PathBuf> {
    let arguments = ["build", "--release", "--package", "pollux-testkit"];
    shell::run(
        shell::cargo()
            .args(arguments)
            .args(["--bin", "scripted-model"]),
    )?;
    let name = format!("scripted-model{}", std::env::consts::EXE_SUFFIX);
    Ok(tidy::target_folder()?.join("release").join(name))
}
