//! Files in memory or in a folder, tools that do as they are told, and one tool call at a time: for the tests of this
//! crate.

mod agents;
mod bench;
mod disk;
mod gates;
mod programs;
mod scratch;
mod servers;
mod shell;
mod tool;
mod voices;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{CallId, Demo, FunctionCall, Model, Pace};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::api::{ApprovalMode, Decision as HunkDecision, Event, TurnId};
use crate::mode::SharedMode;
use crate::scheduler::Scheduler;
use crate::tools::{ToolError, ToolOutput};
use crate::topic::SharedTopic;
use crate::turn::{Events, Pending, Running};
use crate::{
    ContextOptions, EditOrigin, Equipment, FileError, Files, LoopDetection, OneVoice,
    SessionConfig, ToolSet, WorkspacePath, Written,
};

pub(crate) use agents::{TestAgents, agent};
pub(crate) use bench::Bench;
pub(crate) use disk::Workspace;
pub(crate) use gates::{FixedGate, ShippedGate};
pub(crate) use programs::RealPrograms;
pub(crate) use scratch::MemoryScratch;
pub(crate) use servers::{TestServers, offering, text as server_text};
pub(crate) use shell::shell_setup;
pub(crate) use tool::{Does, Log, TestTool};
pub(crate) use voices::ServingVoices;

/// Files that live in memory.
#[derive(Default)]
pub(crate) struct MemoryFiles(Mutex<BTreeMap<String, String>>);

impl MemoryFiles {
    pub(crate) fn new(files: &[(&str, &str)]) -> Arc<Self> {
        let files = files
            .iter()
            .map(|(path, text)| (path.to_string(), text.to_string()));
        Arc::new(Self(Mutex::new(files.collect())))
    }

    pub(crate) fn text(&self, path: &str) -> String {
        self.0.lock().unwrap()[path].clone()
    }

    pub(crate) fn set(&self, path: &str, text: &str) {
        self.0
            .lock()
            .unwrap()
            .insert(path.to_owned(), text.to_owned());
    }
}

impl Files for MemoryFiles {
    fn read<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>> {
        async {
            let files = self.0.lock().unwrap();
            files
                .get(&path.to_string())
                .cloned()
                .ok_or(FileError::NotFound)
        }
        .boxed()
    }

    fn read_bytes<'a>(
        &'a self,
        path: &'a WorkspacePath,
        limit: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        async move {
            let bytes = self.read(path).await?.into_bytes();
            match bytes.len() as u64 {
                length if length <= limit => Ok(bytes),
                bytes => Err(FileError::TooLarge { bytes, limit }),
            }
        }
        .boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a WorkspacePath,
        base: &'a str,
        text: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        async move {
            match self.0.lock().unwrap().get_mut(&path.to_string()) {
                Some(held) if held == base => *held = text.to_owned(),
                Some(_) => return Err(FileError::Changed),
                None => return Err(FileError::NotFound),
            }
            Ok(Written::default())
        }
        .boxed()
    }

    fn create<'a>(
        &'a self,
        path: &'a WorkspacePath,
        text: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        async move {
            match self.0.lock().unwrap().entry(path.to_string()) {
                Entry::Occupied(_) => return Err(FileError::Exists),
                Entry::Vacant(place) => place.insert(text.to_owned()),
            };
            Ok(Written::default())
        }
        .boxed()
    }
}

pub(crate) fn config(files: Arc<dyn Files>) -> SessionConfig {
    SessionConfig {
        voices: OneVoice::shared(Model::Demo(Demo::new(Pace::Instant))),
        files,
        root: PathBuf::from("/nowhere"),
        places: Vec::new(),
        surroundings: None,
        instructions: None,
        opening: Vec::new(),
        turn_limit: None,
        loop_detection: LoopDetection::On,
        continuation_limit: SessionConfig::CONTINUATION_LIMIT,
        tools: ToolSet::built_in(&Equipment::default()),
        hooks: crate::Hooks::default(),
        gate: Arc::new(FixedGate::default()),
        mode: ApprovalMode::Default,
        context: ContextOptions::default(),
        commands: None,
    }
}

/// A call as a model makes it.
pub(crate) fn function_call(name: &str, args: Value) -> FunctionCall {
    FunctionCall {
        id: CallId::new("call"),
        name: name.to_owned(),
        args: args.as_object().unwrap().clone(),
        signature: None,
    }
}

/// Runs one tool call and returns what the model is told. Every proposed edit gets these decisions.
pub(crate) async fn call_tool(
    files: Arc<dyn Files>,
    name: &str,
    args: Value,
    decisions: &[HunkDecision],
) -> Value {
    call_tool_with(&config(files), function_call(name, args), decisions).await
}

/// As [`call_tool`], in a session of the test's own making.
pub(crate) async fn call_tool_with(
    config: &SessionConfig,
    call: FunctionCall,
    decisions: &[HunkDecision],
) -> Value {
    let played = play(config, &call, |event, pending| {
        if let Event::EditProposed(proposal) = event {
            pending.decide(proposal.id, decisions.to_vec()).unwrap();
        }
    });
    played.await.response()
}

/// How a call ended, and what was heard meanwhile.
pub(crate) struct Played {
    pub(crate) end: Result<ToolOutput, ToolError>,
    pub(crate) events: Vec<Event>,
    pub(crate) mode: ApprovalMode,
}

impl Played {
    /// What the model is told.
    pub(crate) fn response(&self) -> Value {
        Value::Object(match &self.end {
            Ok(output) => output.response.clone(),
            Err(error) => error.response(),
        })
    }

    /// What the model is told, in words.
    pub(crate) fn text(&self) -> String {
        let response = self.response();
        let text = response.get("output").or(response.get("error")).unwrap();
        text.as_str().unwrap().to_owned()
    }

    pub(crate) fn error_type(&self) -> String {
        let response = self.response();
        response["error_type"].as_str().unwrap_or("none").to_owned()
    }

    /// Whether anybody was asked.
    pub(crate) fn asked(&self) -> bool {
        let asks =
            |event: &Event| matches!(event, Event::EditProposed(_) | Event::ApprovalRequested(_));
        self.events.iter().any(asks)
    }
}

/// Runs one tool call. `reply` hears every event and may answer.
pub(crate) async fn play(
    config: &SessionConfig,
    call: &FunctionCall,
    mut reply: impl FnMut(&Event, &Pending),
) -> Played {
    let (event_tx, mut event_rx) = mpsc::channel(8);
    let cancel = CancellationToken::new();
    let pending = Pending::default();
    let events = Events::new(event_tx, cancel.clone());
    let mode = SharedMode::new(config.mode);
    let topic = SharedTopic::default();
    let scheduler = Scheduler {
        config,
        events: &events,
        pending: &pending,
        running: &Running::default(),
        mode: &mode,
        topic: &topic,
        cancel: &cancel,
        turn: TurnId(1),
        caller: crate::tools::Caller::Model,
    };
    let mut heard = Vec::new();
    let end = {
        let mut running = pin!(scheduler.run_one(call));
        loop {
            tokio::select! {
                biased;
                Some(event) = event_rx.recv() => {
                    reply(&event, &pending);
                    heard.push(event);
                }
                end = &mut running => break end,
            }
        }
    };
    while let Ok(event) = event_rx.try_recv() {
        heard.push(event);
    }
    Played {
        end,
        events: heard,
        mode: mode.get(),
    }
}
