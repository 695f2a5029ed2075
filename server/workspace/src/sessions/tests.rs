use std::path::Path;

use futures_util::future::BoxFuture;
use pollux_agent::api::{ApprovalMode, Op, QueuedId};
use pollux_agent::{
    Baggage, ClosedGate, ContextOptions, EditOrigin, FileError, Files, LoopDetection, OneVoice,
    Session, SessionConfig, ToolSet, WorkspacePath, Written,
};
use pollux_model::{Demo, Model, Pace};

use super::*;
use crate::Cursor;

/// Sessions with the demo model and no files.
#[derive(Default)]
struct Source {
    opened: Mutex<u32>,
}

struct NoFiles;

impl Files for NoFiles {
    fn read<'a>(&'a self, _: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>> {
        Box::pin(async { Err(FileError::NotFound) })
    }

    fn write<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        Box::pin(async { Err(FileError::NotFound) })
    }

    fn read_bytes<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        Box::pin(async { Err(FileError::NotFound) })
    }

    fn create<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        Box::pin(async { Err(FileError::NotFound) })
    }
}

impl SessionSource for Source {
    fn open(&self, request: &SessionRequest) -> Result<OpenedSession, SessionError> {
        let mut opened = self.opened.lock().unwrap();
        *opened += 1;
        let id = match &request.which {
            Which::New => format!("new-{opened}"),
            Which::Recorded(which) if which == "lost" => {
                return Err(SessionError::NotFound(
                    "there is no session `lost`".to_owned(),
                ));
            }
            Which::Recorded(which) if which == "latest" => {
                return Err(SessionError::NotPossible("it is in use".to_owned()));
            }
            Which::Recorded(which) | Which::Again(which) => which.clone(),
        };
        let (handle, events) = Session::start(
            SessionConfig {
                voices: OneVoice::shared(Model::Demo(Demo::new(Pace::Instant))),
                files: Arc::new(NoFiles),
                root: request.folder.clone(),
                places: Vec::new(),
                surroundings: None,
                instructions: None,
                opening: Vec::new(),
                turn_limit: None,
                loop_detection: LoopDetection::On,
                continuation_limit: SessionConfig::CONTINUATION_LIMIT,
                tools: ToolSet::default(),
                hooks: pollux_agent::Hooks::default(),
                gate: Arc::new(ClosedGate),
                mode: ApprovalMode::Default,
                context: ContextOptions::default(),
                commands: None,
            },
            Baggage::default(),
        );
        Ok(OpenedSession {
            id: SessionId::from(id.as_str()),
            model: "demo".to_owned(),
            handle,
            events,
            terminals: Arc::default(),
            decided: tokio::sync::mpsc::unbounded_channel().1,
            past: vec![Event::TextReceived("before".to_owned())],
            in_use: Arc::new(|| false),
        })
    }

    fn list(&self, _: &DoorContext, _: &Path) -> Vec<SessionSummary> {
        Vec::new()
    }

    /// The first session has its first prompt in the record while somebody tries to open it.
    fn find(&self, _: &DoorContext, _: &Path, which: &str) -> Option<SessionId> {
        let is_recorded = *self.opened.lock().unwrap() > 1;
        (which == "latest" && is_recorded).then(|| SessionId::from("new-1"))
    }

    fn delete(&self, _: &DoorContext, _: &Path, _: &str) -> Result<(), SessionError> {
        Ok(())
    }
}

fn request(which: Which) -> SessionRequest {
    SessionRequest {
        folder: PathBuf::from("/w"),
        context: DoorContext::default(),
        trusted: None,
        which,
        model: None,
        wishes: SessionWishes::default(),
    }
}

#[tokio::test]
async fn a_session_that_is_alive_is_shared_and_followed_by_everyone() {
    let sessions = Sessions::new(Arc::new(Source::default()));
    let one = sessions.open(request(Which::New)).await.unwrap();
    let same = Which::Recorded(one.id.to_string());
    let two = sessions.open(request(same)).await.unwrap();
    assert!(Arc::ptr_eq(&one, &two));
    assert_eq!(sessions.alive(), 1);

    one.handle.submit(Op::Queue("hello".into())).await.unwrap();
    let mut cursor = Cursor(0);
    let mut events = Vec::new();
    while !matches!(events.last(), Some(Event::TurnEnded { .. })) {
        two.feed.beyond(cursor).await;
        let batch = two.feed.read(cursor);
        events.extend(batch.events);
        cursor = batch.next;
    }
    assert_eq!(
        events.first(),
        Some(&Event::TextReceived("before".to_owned()))
    );
    let mut running = sessions.running();
    running.wait_for(|count| *count == 0).await.unwrap();
    assert!(!one.is_running());
}

#[tokio::test]
async fn a_session_that_is_not_there_is_an_error_in_words() {
    let sessions = Sessions::new(Arc::new(Source::default()));
    let lost = sessions
        .open(request(Which::Recorded("lost".to_owned())))
        .await;
    assert_eq!(
        lost.err().unwrap().to_string(),
        "there is no session `lost`"
    );
}

#[tokio::test]
async fn the_latest_session_is_found_even_when_its_first_prompt_is_being_recorded() {
    let sessions = Sessions::new(Arc::new(Source::default()));
    let one = sessions.open(request(Which::New)).await.unwrap();
    let latest = Which::Recorded("latest".to_owned());
    let two = sessions.open(request(latest)).await.unwrap();
    assert!(Arc::ptr_eq(&one, &two));
}

#[tokio::test]
async fn a_session_at_work_is_not_deleted() {
    let sessions = Sessions::new(Arc::new(Source::default()));
    let live = sessions.open(request(Which::New)).await.unwrap();
    sessions.note(&live, true);
    let delete = || {
        sessions.delete(
            DoorContext::default(),
            PathBuf::from("/w"),
            live.id.to_string(),
        )
    };
    delete().await.unwrap_err();
    sessions.note(&live, false);
    delete().await.unwrap();
    assert_eq!(sessions.alive(), 0);
}

/// A session of which the test says what happens in it.
fn played() -> (Arc<Sessions>, Arc<LiveSession>, mpsc::Sender<Event>) {
    let sessions = Sessions::new(Arc::new(Source::default()));
    let (ops, _unheard) = mpsc::channel(1);
    let live = Arc::new(LiveSession::new(
        SessionId::from("played"),
        SessionHandle::of(ops),
        Arc::default(),
        Feed::new(Vec::new(), 0),
        request(Which::New),
        Arc::new(|| false),
    ));
    let (sender, events) = mpsc::channel(256);
    let (_, decided) = mpsc::unbounded_channel();
    let sources = Sources { events, decided };
    tokio::spawn(pump(Arc::clone(&sessions), Arc::clone(&live), sources));
    (sessions, live, sender)
}

fn said(text: &str) -> Event {
    Event::TextReceived(text.to_owned())
}

#[tokio::test(start_paused = true)]
async fn the_first_piece_of_an_answer_waits_for_nothing() {
    let (_sessions, live, sender) = played();
    let before = tokio::time::Instant::now();
    sender.send(said("a")).await.unwrap();
    live.feed.beyond(Cursor(0)).await;
    assert_eq!(before.elapsed(), Duration::ZERO);
    // And so does every one that comes after a pause.
    tokio::time::advance(Duration::from_millis(5)).await;
    let before = tokio::time::Instant::now();
    sender.send(said("b")).await.unwrap();
    live.feed.beyond(Cursor(1)).await;
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_writes_fast_is_followed_in_order_and_soon() {
    let (_sessions, live, sender) = played();
    let before = tokio::time::Instant::now();
    // More than may wait.
    for number in 0..1_000 {
        sender.send(said(&format!("{number} "))).await.unwrap();
    }
    sender.send(Event::Titled("end".to_owned())).await.unwrap();
    live.feed.beyond(Cursor(1_000)).await;
    // As often as the queue was full, and once more.
    assert!(before.elapsed() <= Duration::from_millis(10));
    let text: String = (0..1_000).map(|number| format!("{number} ")).collect();
    let all = live.feed.read(Cursor(0)).events;
    assert_eq!(all, [said(&text), Event::Titled("end".to_owned())]);
}

#[tokio::test]
async fn prompts_too_many_or_too_long_are_refused() {
    let (_sessions, live, events) = played();
    assert_eq!(live.check_prompt("hello"), Ok(()));
    let long = "x".repeat(5 * 1024 * 1024);
    let refused = live.check_prompt(&long).unwrap_err();
    assert_eq!(refused, "a prompt has 4 MB of text at most");
    let queued = |number: u64| Event::PromptQueued {
        id: QueuedId(number),
        text: "wait".to_owned(),
        attachments: Arc::default(),
    };
    for number in 0..200 {
        events.send(queued(number)).await.unwrap();
    }
    live.feed.beyond(Cursor(199)).await;
    let refused = live.check_prompt("one more").unwrap_err();
    assert!(refused.starts_with("200 prompts are waiting"), "{refused}");
    events
        .send(Event::PromptUnqueued(QueuedId(0)))
        .await
        .unwrap();
    live.feed.beyond(Cursor(200)).await;
    assert_eq!(live.check_prompt("one more"), Ok(()));
}
