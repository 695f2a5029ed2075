//! One headless run from its start to its end, against a model of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::super::place::Place;
use super::agent::{Agent, LoopDetection, Tools};
use super::model::Model;
use super::output::{Line, piece};
use super::record::now;
use super::usage;

pub(super) struct Run {
    /// From just before the process was made until its first request reached the model.
    pub(super) first_request: Duration,
    pub(super) exit: Duration,
    /// User and system time of the process and of those it waited for.
    pub(super) cpu: Duration,
    pub(super) request_bytes: u64,
    pub(super) lines: Vec<Line>,
}

impl Run {
    pub(super) fn answer_characters(&self) -> usize {
        let pieces = self.lines.iter().filter_map(|line| piece(&line.text));
        pieces.map(|piece| piece.chars().count()).sum()
    }
}

/// A stage for runs of one agent: later runs find what the earlier ones left, as with a person.
pub(super) struct Stage<'a> {
    agent: &'a Agent,
    model: &'a Path,
    place: Place,
}

impl<'a> Stage<'a> {
    pub(super) fn new(agent: &'a Agent, model: &'a Path) -> Result<Self> {
        let place = Place::new()?;
        Ok(Self {
            agent,
            model,
            place,
        })
    }

    pub(super) fn run(&mut self, script: &Value, loops: LoopDetection) -> Result<Run> {
        self.run_with(Tools::Harmless, script, loops)
    }

    pub(super) fn run_with(
        &mut self,
        tools: Tools,
        script: &Value,
        loops: LoopDetection,
    ) -> Result<Run> {
        let model = Model::start(self.model, &self.place, script)?;
        self.agent.settle(&mut self.place, &model.url, loops)?;
        let mut command = self.agent.headless(&self.place, tools)?;
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let cpu = usage::of_ended_children()?;
        let begin = now();
        let mut child = command
            .spawn()
            .with_context(|| format!("{} does not start", self.agent.name))?;
        let stdout = child.stdout.take().context("no stdout")?;
        let mut lines = Vec::new();
        for text in BufReader::new(stdout).lines() {
            let text = text?;
            lines.push(Line { read: now(), text });
        }
        let status = child.wait()?;
        let exit = now().saturating_sub(begin);
        let cpu = usage::of_ended_children()?.saturating_sub(cpu);
        if !status.success() {
            bail!(
                "{} ended with {status}; {}",
                self.agent.name,
                self.place.last_words()
            );
        }
        let request = model.first_request()?;
        Ok(Run {
            first_request: request.arrived.saturating_sub(begin),
            exit,
            cpu,
            request_bytes: request.bytes,
            lines,
        })
    }
}
