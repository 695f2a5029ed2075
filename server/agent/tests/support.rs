//! A session in a folder, with a model that calls what a test wants called.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::api::{Answer, Approval, ApprovalMode, Event, Offer, Op, Scope, ToolOutcome};
use pollux_agent::{
    Baggage, ContextOptions, EditOrigin, Entry, Equipment, FileError, Files, Gate, Journal, Keeper,
    LoopDetection, OneVoice, Scratch, Session, SessionConfig, SessionHandle, ShellChanges,
    ShellSetup, ShellWatch, ToolSet, Unwatched, WorkspacePath, Written,
};
use pollux_exec::{Background, EnvironmentOptions, Guard, Terminal, sanitised};
use pollux_model::{ApiKey, Gemini, GeminiApi, GeminiConfig, Http, Model, NetworkOptions, Part};
use pollux_policy::shell::Destruction;
use pollux_policy::{Call, Decision, Presence, Verdict};
use pollux_testkit::{Reply, Script, ScriptedModel};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;

/// Far more than anything here takes.
const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.unwrap()
}

/// Waits until a process is not there any more, or merely waits to be reaped.
pub(crate) async fn gone(process: u32) {
    let stat = Path::new("/proc").join(process.to_string()).join("stat");
    in_time(async {
        while let Ok(stat) = fs::read_to_string(&stat) {
            let (_, fields) = stat.rsplit_once(')').unwrap();
            if fields.trim_start().starts_with(['Z', 'X']) {
                return;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// What a test wants to be different.
pub(crate) struct Wishes {
    pub(crate) decision: Decision,
    pub(crate) inactivity: Option<Duration>,
    pub(crate) longest_output: usize,
    pub(crate) keeper: Arc<TestKeeper>,
    pub(crate) watch: Arc<dyn ShellWatch>,
    pub(crate) changes: Arc<dyn ShellChanges>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            decision: Decision::Allow,
            inactivity: None,
            longest_output: 40_000,
            keeper: Arc::default(),
            watch: Arc::new(Unwatched),
            changes: Arc::new(Unwatched),
        }
    }
}

pub(crate) struct Stage {
    folder: TempDir,
    session: SessionHandle,
    events: mpsc::Receiver<Event>,
    told: Told,
    pub(crate) setup: Arc<ShellSetup>,
    _server: ScriptedModel,
}

/// What a call came to.
#[derive(Clone, Debug)]
pub(crate) struct Result {
    pub(crate) outcome: ToolOutcome,
    pub(crate) response: Value,
}

impl Result {
    pub(crate) fn output(&self) -> &str {
        self.response["output"].as_str().unwrap()
    }

    pub(crate) fn error(&self) -> &str {
        self.response["error"].as_str().unwrap()
    }
}

/// The results in the order in which the calls ended.
type Told = Arc<Mutex<Vec<(String, Result)>>>;

impl Stage {
    /// Every list of calls is made in one answer of the model.
    pub(crate) async fn start(wishes: Wishes, rounds: &[&[(&str, Value)]]) -> Self {
        Self::start_with(wishes, rounds, Arc::default()).await
    }

    /// With commands that run in the background already.
    pub(crate) async fn start_with(
        wishes: Wishes,
        rounds: &[&[(&str, Value)]],
        background: Arc<tokio::sync::Mutex<Background>>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        fs::create_dir(&root).unwrap();
        let server = ScriptedModel::start(script(rounds)).await;
        let setup = Arc::new(ShellSetup {
            guard: Guard {
                program: env!("CARGO_BIN_EXE_agent-guard").into(),
                arguments: Vec::new(),
            },
            environment: environment(),
            terminal: Terminal::Pipes,
            sandbox: None,
            inactivity: wishes.inactivity,
            longest_output: wishes.longest_output,
            keeper: wishes.keeper,
            watch: wishes.watch,
            changes: wishes.changes,
            background,
            changed_build_files: Arc::default(),
            terminals: None,
            temporary: None,
        });
        let equipment = Equipment {
            scratch: Some(Arc::new(FolderScratch(folder.path().join("scratch")))),
            shell: Some(Arc::clone(&setup)),
            ..Equipment::default()
        };
        let config = SessionConfig {
            voices: OneVoice::shared(gemini(&server.url())),
            files: Arc::new(NewFiles(root.clone())),
            surroundings: None,
            root,
            places: Vec::new(),
            instructions: None,
            context: ContextOptions::default(),
            commands: None,
            opening: Vec::new(),
            continuation_limit: SessionConfig::CONTINUATION_LIMIT,
            turn_limit: None,
            loop_detection: LoopDetection::On,
            tools: ToolSet::built_in(&equipment),
            hooks: pollux_agent::Hooks::default(),
            gate: Arc::new(FixedGate(wishes.decision)),
            mode: ApprovalMode::Default,
        };
        let told = Told::default();
        let baggage = Baggage {
            journal: Box::new(Taken(told.clone())),
            ..Baggage::default()
        };
        let (session, events) = Session::start(config, baggage);
        Self {
            folder,
            session,
            events,
            told,
            setup,
            _server: server,
        }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) async fn submit(&self, op: Op) {
        self.session.submit(op).await.unwrap();
    }

    /// The next event of a kind.
    pub(crate) async fn next<T>(&mut self, wanted: impl Fn(Event) -> Option<T>) -> T {
        in_time(async {
            loop {
                if let Some(found) = wanted(self.events.recv().await.unwrap()) {
                    return found;
                }
            }
        })
        .await
    }

    /// Plays a turn to its end, allowing everything. Returns what was asked.
    pub(crate) async fn turn(&mut self) -> Vec<Arc<Approval>> {
        self.submit(Op::Queue("go".into())).await;
        let mut asked = Vec::new();
        loop {
            let question = self
                .next(|event| match event {
                    Event::ApprovalRequested(approval) => Some(Some(approval)),
                    Event::TurnEnded { .. } => Some(None),
                    _ => None,
                })
                .await;
            let Some(approval) = question else {
                return asked;
            };
            let allow = Op::Answer {
                approval: approval.id,
                answer: Answer::Allow,
                by: None,
            };
            asked.push(approval);
            self.submit(allow).await;
        }
    }

    /// What became of a call, by its number from 1 on.
    pub(crate) fn result(&self, number: usize) -> Result {
        let told = self.told.lock().unwrap();
        let id = number.to_string();
        let found = told.iter().find(|(call, _)| *call == id);
        found.unwrap_or_else(|| panic!("{told:?}")).1.clone()
    }
}

/// Runs one command that nobody is asked about.
pub(crate) async fn run(args: Value) -> (Stage, Result) {
    let mut stage = Stage::start(Wishes::default(), &[&[("run_shell_command", args)]]).await;
    assert!(stage.turn().await.is_empty());
    let result = stage.result(1);
    (stage, result)
}

/// Without the mark around it.
pub(crate) fn inner(text: &str) -> &str {
    let text = text.strip_prefix("<untrusted_context>\n").unwrap();
    text.strip_suffix("\n</untrusted_context>").unwrap()
}

fn script(rounds: &[&[(&str, Value)]]) -> Script {
    let mut number = 0;
    let mut script = Script::new();
    for round in rounds {
        let mut reply = Reply::new();
        for (tool, args) in *round {
            number += 1;
            let call = pollux_testkit::Call::new(*tool, args.clone());
            reply = reply.call(call.id(number.to_string()));
        }
        script = script.reply(match round.is_empty() {
            true => Reply::text("ok").finish("STOP"),
            false => reply.finish("STOP"),
        });
    }
    script.reply(Reply::text("ok").finish("STOP"))
}

fn gemini(base: &str) -> Model {
    let config = GeminiConfig {
        base_url: base.to_owned(),
        ..GeminiConfig::new(
            GeminiApi::Developer,
            "gemini-test",
            ApiKey::new("a-key-of-a-test"),
        )
    };
    Model::Gemini(Gemini::new(config, Http::new(NetworkOptions::default())).unwrap())
}

fn environment() -> Vec<pollux_exec::Variable> {
    #[expect(clippy::disallowed_methods, reason = "tests need programs to run")]
    let environment = std::env::vars_os();
    sanitised(environment, &EnvironmentOptions::default())
}

struct Taken(Told);

impl Journal for Taken {
    fn record(&mut self, entry: Entry<'_>) {
        if let Entry::Tool {
            call,
            outcome,
            response: Part::FunctionResponse(response),
            ..
        } = entry
        {
            let result = Result {
                outcome: outcome.clone(),
                response: Value::Object(response.response.clone()),
            };
            self.0.lock().unwrap().push((call.id.to_string(), result));
        }
    }
}

/// Keeps nothing, but says what it was asked to keep.
#[derive(Default)]
pub(crate) struct TestKeeper {
    pub(crate) fails: Option<&'static str>,
    pub(crate) kept: Mutex<Vec<String>>,
}

impl Keeper for TestKeeper {
    fn keep<'a>(
        &'a self,
        _: &'a str,
        _: &'a Path,
        destructions: &'a [Destruction],
    ) -> BoxFuture<'a, std::result::Result<(), String>> {
        let texts = destructions
            .iter()
            .map(|destruction| destruction.text.clone());
        self.kept.lock().unwrap().extend(texts);
        async { self.fails.map_or(Ok(()), |reason| Err(reason.to_owned())) }.boxed()
    }
}

struct FixedGate(Decision);

impl Gate for FixedGate {
    fn judge(&self, call: &Call<'_>, _: ApprovalMode) -> Verdict {
        Verdict {
            decision: match call.tool {
                "run_shell_command" => self.0,
                _ => Decision::Allow,
            },
            reason: "the test says so".to_owned(),
            deny_message: None,
            rule: None,
            parts: Vec::new(),
            only_reads: false,
        }
    }

    fn offers(&self, call: &Call<'_>, _: ApprovalMode) -> Vec<Offer> {
        vec![Offer {
            label: call.tool.to_owned(),
            scopes: vec![Scope::Session],
            rule: None,
        }]
    }

    fn remember<'a>(
        &'a self,
        _: &'a Call<'a>,
        _: ApprovalMode,
        _: usize,
        _: Scope,
    ) -> BoxFuture<'a, std::result::Result<(), String>> {
        async { Ok(()) }.boxed()
    }

    fn excluded(&self, _: &[&str], _: ApprovalMode) -> BTreeSet<String> {
        BTreeSet::new()
    }

    fn presence(&self) -> Presence {
        Presence::Interactive
    }

    fn may_enter(&self, _: ApprovalMode) -> bool {
        true
    }
}

/// No file is there; new ones can be made.
struct NewFiles(PathBuf);

impl Files for NewFiles {
    fn read<'a>(
        &'a self,
        _: &'a WorkspacePath,
    ) -> BoxFuture<'a, std::result::Result<String, FileError>> {
        async { Err(FileError::NotFound) }.boxed()
    }

    fn read_bytes<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: u64,
    ) -> BoxFuture<'a, std::result::Result<Vec<u8>, FileError>> {
        async { Err(FileError::NotFound) }.boxed()
    }

    fn write<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, std::result::Result<Written, FileError>> {
        async { Err(FileError::NotFound) }.boxed()
    }

    fn create<'a>(
        &'a self,
        path: &'a WorkspacePath,
        text: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, std::result::Result<Written, FileError>> {
        async move {
            let written = fs::write(self.0.join(path.as_path()), text);
            written.map_err(|source| FileError::Unwritable { source })?;
            Ok(Written::default())
        }
        .boxed()
    }
}

struct FolderScratch(PathBuf);

impl Scratch for FolderScratch {
    fn write<'a>(&'a self, name: &'a str, text: &'a str) -> BoxFuture<'a, io::Result<PathBuf>> {
        async move {
            let place = self.place(name);
            fs::create_dir_all(place.parent().unwrap())?;
            fs::write(&place, text)?;
            Ok(place)
        }
        .boxed()
    }

    fn read<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<String>> {
        async { fs::read_to_string(self.place(name)) }.boxed()
    }

    fn list<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<String>>> {
        async { Ok(Vec::new()) }.boxed()
    }

    fn make_folder<'a>(&'a self, folder: &'a Path) -> BoxFuture<'a, io::Result<()>> {
        async move { fs::create_dir_all(folder) }.boxed()
    }

    fn place(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}
