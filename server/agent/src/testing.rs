//! Files in memory and one tool call at a time, for the tests of this crate.

mod bench;
mod scratch;
mod voices;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{CallId, Demo, FunctionCall, Model, Pace};
use pollux_policy::{Call, Decision, Presence, Verdict};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::Scratch;
use crate::api::{ApprovalMode, Decision as HunkDecision, Event, Offer, Scope};
use crate::mode::SharedMode;
use crate::scheduler::Scheduler;
use crate::topic::SharedTopic;
use crate::turn::{Events, Pending};
use crate::{
    ContextOptions, Equipment, FileError, Files, Gate, LoopDetection, OneVoice, SessionConfig,
    ToolSet, WorkspacePath,
};

pub(crate) use bench::Bench;
pub(crate) use scratch::MemoryScratch;
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
    ) -> BoxFuture<'a, Result<(), FileError>> {
        async move {
            match self.0.lock().unwrap().get_mut(&path.to_string()) {
                Some(held) if held == base => *held = text.to_owned(),
                Some(_) => return Err(FileError::Changed),
                None => return Err(FileError::NotFound),
            }
            Ok(())
        }
        .boxed()
    }

    fn create<'a>(
        &'a self,
        path: &'a WorkspacePath,
        text: &'a str,
    ) -> BoxFuture<'a, Result<(), FileError>> {
        async move {
            match self.0.lock().unwrap().entry(path.to_string()) {
                Entry::Occupied(_) => return Err(FileError::Exists),
                Entry::Vacant(place) => place.insert(text.to_owned()),
            };
            Ok(())
        }
        .boxed()
    }
}

/// A place for files that lives in memory.
#[derive(Default)]
pub(crate) struct MemoryScratch(Mutex<BTreeMap<String, String>>);

impl MemoryScratch {
    pub(crate) fn shared() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// What was written, with the length of each.
    pub(crate) fn sizes(&self) -> Vec<(String, usize)> {
        let files = self.0.lock().unwrap();
        files
            .iter()
            .map(|(name, text)| (name.clone(), text.len()))
            .collect()
    }
}

impl Scratch for MemoryScratch {
    fn write<'a>(&'a self, name: &'a str, text: &'a str) -> BoxFuture<'a, io::Result<PathBuf>> {
        let mut files = self.0.lock().unwrap();
        files.insert(name.to_owned(), text.to_owned());
        let place = self.place(name);
        async { Ok(place) }.boxed()
    }

    fn read<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<String>> {
        let found = self.0.lock().unwrap().get(name).cloned();
        async { found.ok_or_else(|| io::ErrorKind::NotFound.into()) }.boxed()
    }

    fn list<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, io::Result<Vec<String>>> {
        let files = self.0.lock().unwrap();
        let inside = |name: &&String| name.starts_with(folder);
        let names = files.keys().filter(inside).cloned().collect();
        async { Ok(names) }.boxed()
    }

    fn place(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/scratch/{name}"))
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
        round_limit: SessionConfig::ROUND_LIMIT,
        tools: ToolSet::built_in(&Equipment::default()),
        gate: Arc::new(FixedGate::default()),
        mode: ApprovalMode::Default,
        context: ContextOptions::default(),
    }
}

/// Asks about edits and says the same to every other call.
pub(crate) struct FixedGate {
    pub(crate) others: Decision,
    pub(crate) presence: Presence,
    pub(crate) excluded: BTreeSet<String>,
    pub(crate) remembered: Mutex<Vec<(String, usize, Scope)>>,
}

impl Default for FixedGate {
    fn default() -> Self {
        Self {
            others: Decision::Allow,
            presence: Presence::Interactive,
            excluded: BTreeSet::new(),
            remembered: Mutex::default(),
        }
    }
}

impl Gate for FixedGate {
    fn judge(&self, call: &Call<'_>, mode: ApprovalMode) -> Verdict {
        let decision = match call.tool {
            "replace" | "write_file" if mode < ApprovalMode::AutoEdit => Decision::Ask,
            _ => self.others,
        };
        Verdict {
            decision,
            reason: "the test says so".to_owned(),
            deny_message: None,
            rule: None,
            parts: Vec::new(),
        }
    }

    fn offers(&self, call: &Call<'_>, _: ApprovalMode) -> Vec<Offer> {
        vec![Offer {
            label: call.tool.to_owned(),
            scopes: vec![Scope::Session],
        }]
    }

    fn remember<'a>(
        &'a self,
        call: &'a Call<'a>,
        _: ApprovalMode,
        offer: usize,
        scope: Scope,
    ) -> BoxFuture<'a, Result<(), String>> {
        let mut remembered = self.remembered.lock().unwrap();
        remembered.push((call.tool.to_owned(), offer, scope));
        async { Ok(()) }.boxed()
    }

    fn excluded(&self, _: &[&str], _: ApprovalMode) -> BTreeSet<String> {
        self.excluded.clone()
    }

    fn presence(&self) -> Presence {
        self.presence
    }

    fn may_enter(&self, _: ApprovalMode) -> bool {
        true
    }
}

/// Runs one tool call and returns what the model is told. Every proposed edit gets these decisions.
pub(crate) async fn call_tool(
    files: Arc<dyn Files>,
    name: &str,
    args: Value,
    decisions: &[HunkDecision],
) -> Value {
    let call = FunctionCall {
        id: CallId::new("call"),
        name: name.to_owned(),
        args: args.as_object().unwrap().clone(),
        signature: None,
    };
    call_tool_with(&config(files), call, decisions).await
}

/// As [`call_tool`], in a session of the test's own making.
pub(crate) async fn call_tool_with(
    config: &SessionConfig,
    call: FunctionCall,
    decisions: &[HunkDecision],
) -> Value {
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
        mode: &mode,
        topic: &topic,
        cancel: &cancel,
    };
    let deciding = async {
        while let Some(event) = event_rx.recv().await {
            if let Event::EditProposed(proposal) = event {
                pending.decide(proposal.id, decisions.to_vec()).unwrap();
            }
        }
    };
    let response = tokio::select! {
        result = scheduler.run_one(&call) => match result {
            Ok(output) => output.response,
            Err(error) => error.response(),
        },
        () = deciding => panic!("the events ended before the tool"),
    };
    Value::Object(response)
}
