use std::path::PathBuf;
use std::sync::Arc;

use pollux_agent::api::{Answer, Event, TurnOutcome};
use pollux_agent::prompt::Audience;
use pollux_model::Pace;
use pollux_workspace::{Cursor, DoorContext, LiveSession, SessionRequest, Sessions, Which};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio::time::advance;

use super::*;
use crate::session_source::Configured;

const SECOND: Duration = Duration::from_secs(1);
/// What the demo model finds something to change in.
const SAMPLE: [(&str, &str); 2] = [
    (
        "src/retry.rs",
        include_str!("../../demo/sample/src/retry.rs"),
    ),
    (
        "src/upload.rs",
        include_str!("../../demo/sample/src/upload.rs"),
    ),
];

/// A host without doors, and a session whose model wants to change a file.
struct Stage {
    sessions: Arc<Sessions>,
    live: Arc<LiveSession>,
    doors: watch::Sender<usize>,
    watching: JoinHandle<()>,
}

impl Stage {
    async fn start_in(home: &TempDir) -> Self {
        let work = home.path().join("work");
        std::fs::create_dir_all(work.join("src")).unwrap();
        for (name, text) in SAMPLE {
            std::fs::write(work.join(name), text).unwrap();
        }
        let sessions = Sessions::new(source());
        let live = sessions.open(request(home, Which::New)).await.unwrap();
        let doors = watch::Sender::new(0);
        let watching = give_up_on_answers(doors.subscribe(), sessions.questions(), PATIENCE);
        let stage = Self {
            watching: tokio::spawn(watching),
            sessions,
            live,
            doors,
        };
        stage.ask().await;
        stage
    }

    /// Prompts the model and waits until it asks.
    async fn ask(&self) {
        let prompt = Op::Queue("fix it".into());
        self.live.handle.submit(prompt).await.unwrap();
        let mut questions = self.sessions.questions();
        questions.wait_for(|open| !open.is_empty()).await.unwrap();
        self.settle().await;
    }

    /// Lets every task see what has happened.
    async fn settle(&self) {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    async fn pass(&self, time: Duration) {
        advance(time).await;
        self.settle().await;
    }

    async fn ends_unattended(&self) {
        let mut running = self.sessions.running();
        running.wait_for(|count| *count == 0).await.unwrap();
        assert_eq!(self.outcome(), Some(TurnOutcome::Unattended));
    }

    /// How the turn ended, if it did.
    fn outcome(&self) -> Option<TurnOutcome> {
        let events = self.live.feed.read(Cursor(0)).events;
        events.into_iter().find_map(|event| match event {
            Event::TurnEnded { outcome, .. } => Some(outcome),
            _ => None,
        })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

fn source() -> Arc<Configured> {
    Arc::new(Configured {
        demo_pace: Pace::Instant,
        audience: Audience::Interactive,
        mode: None,
        policy_paths: Vec::new(),
        allowed_tools: Vec::new(),
        rooms: None,
        mentions: crate::mentions::Mentions::default(),
        servers: Default::default(),
        local_models: Default::default(),
        index: Default::default(),
        expiry: Default::default(),
    })
}

fn request(home: &TempDir, which: Which) -> SessionRequest {
    let variables = [("HOME", home.path().to_str().unwrap())];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    SessionRequest {
        folder: home.path().join("work"),
        context: DoorContext {
            folder: PathBuf::from("/"),
            environment: Arc::new(variables.into()),
        },
        trusted: Some(true),
        which,
        model: None,
        wishes: Default::default(),
    }
}

/// A host, whose sessions have ended and are written down when it has.
fn in_a_host<T>(what: impl Future<Output = T>) -> T {
    let host = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    host.block_on(what)
}

#[test]
fn a_question_that_nobody_can_answer_ends_its_turn_and_the_session_can_be_resumed() {
    let home = tempfile::tempdir().unwrap();
    let id = in_a_host(async {
        let stage = Stage::start_in(&home).await;
        stage.pass(PATIENCE - SECOND).await;
        assert_eq!(stage.outcome(), None);
        stage.pass(SECOND).await;
        stage.ends_unattended().await;
        stage.live.id.to_string()
    });
    let record = records(home.path());
    assert!(record.contains("nobody was there"), "{record}");
    in_a_host(async {
        let sessions = Sessions::new(source());
        let which = Which::Recorded(id.clone());
        let live = sessions.open(request(&home, which)).await.unwrap();
        assert_eq!(live.id.as_str(), id);
        let past = live.feed.read(Cursor(0)).events;
        let prompt = |event: &Event| matches!(event, Event::TurnStarted { prompt, .. } if prompt == "fix it");
        assert!(past.iter().any(prompt), "{past:?}");
    });
}

#[tokio::test(start_paused = true)]
async fn while_a_door_is_open_a_question_waits_and_afterwards_it_waits_anew() {
    let home = tempfile::tempdir().unwrap();
    let stage = Stage::start_in(&home).await;
    stage.pass(PATIENCE - SECOND).await;
    stage.doors.send_replace(1);
    stage.pass(PATIENCE * 10).await;
    assert_eq!(stage.outcome(), None);
    stage.doors.send_replace(0);
    stage.pass(PATIENCE - SECOND).await;
    assert_eq!(stage.outcome(), None);
    stage.pass(SECOND).await;
    stage.ends_unattended().await;
}

#[tokio::test(start_paused = true)]
async fn every_question_has_its_own_time() {
    let home = tempfile::tempdir().unwrap();
    let stage = Stage::start_in(&home).await;
    stage.pass(PATIENCE - SECOND).await;
    // The first is answered from elsewhere; the demo asks for another edit.
    let first = stage.sessions.questions().borrow()[0].asked.id();
    let answer = Op::Answer {
        approval: first,
        answer: Answer::Allow,
        by: None,
    };
    stage.live.handle.submit(answer).await.unwrap();
    let mut questions = stage.sessions.questions();
    let another = |open: &Vec<OpenQuestion>| open.iter().any(|open| open.asked.id() != first);
    questions.wait_for(another).await.unwrap();
    stage.settle().await;
    stage.pass(PATIENCE - SECOND).await;
    assert_eq!(stage.outcome(), None);
    stage.pass(SECOND).await;
    stage.ends_unattended().await;
}

/// Everything that is recorded.
fn records(folder: &std::path::Path) -> String {
    let mut found = String::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found += &records(&path);
        } else if path.extension().is_some_and(|name| name == "jsonl") {
            found += &std::fs::read_to_string(&path).unwrap();
        }
    }
    found
}
