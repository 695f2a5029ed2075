//! A client at the standard input and output of `pollux acp`, by the protocol's own library.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    CancelNotification, ClientCapabilities, ContentBlock, CreateElicitationRequest,
    CreateElicitationResponse, CreateTerminalRequest, Implementation, InitializeRequest,
    InitializeResponse, KillTerminalRequest, LoadSessionRequest, NewSessionRequest,
    NewSessionResponse, PermissionOptionKind, PromptRequest, PromptResponse, ReadTextFileRequest,
    ReleaseTerminalRequest, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionNotification, SessionUpdate,
    StopReason, TerminalOutputRequest, ToolCallStatus, ToolCallUpdateFields,
    WaitForTerminalExitRequest, WriteTextFileRequest,
};
use agent_client_protocol::v1::{ConnectionTo, Responder, SentRequest};
use agent_client_protocol::{Agent, ByteStreams, Client as AcpClient, Error, JsonRpcRequest};
use pollux_testkit::scripted_model::ScriptedModel;
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

use super::desk::Desk;
use super::screens::Screens;
use crate::support::World;
use crate::support::talk::with_model;

/// Longer than anything takes on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(90);

/// What the agent says without having been asked.
pub(super) enum Heard {
    Update(Box<SessionUpdate>),
    Asked(Box<Asked>),
    Form(Box<Form>),
}

/// A question about a call.
pub(super) struct Asked {
    pub(super) request: RequestPermissionRequest,
    responder: Responder<RequestPermissionResponse>,
}

/// Questions of the model.
pub(super) struct Form {
    pub(super) request: CreateElicitationRequest,
    responder: Responder<CreateElicitationResponse>,
}

impl Form {
    pub(super) fn answer(self, response: CreateElicitationResponse) {
        self.responder.respond(response).unwrap();
    }
}

impl Asked {
    pub(super) fn choose(self, kind: PermissionOptionKind) {
        let options = &self.request.options;
        let option = options.iter().find(|option| option.kind == kind).unwrap();
        let id = option.option_id.clone();
        self.select(&id.0);
    }

    pub(super) fn select(self, id: &str) {
        let selected = SelectedPermissionOutcome::new(id.to_owned());
        let outcome = RequestPermissionOutcome::Selected(selected);
        let response = RequestPermissionResponse::new(outcome);
        self.responder.respond(response).unwrap();
    }

    pub(super) fn dismiss(self) {
        let response = RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled);
        self.responder.respond(response).unwrap();
    }

    /// Waits until the agent does not want to know any more.
    pub(super) async fn taken_back(&self) {
        let cancellation = self.responder.cancellation();
        let taken_back = timeout(PATIENCE, cancellation.cancelled()).await;
        taken_back.expect("the question is taken back");
    }

    /// All texts that the question shows.
    pub(super) fn text(&self) -> String {
        let content = self.request.tool_call.fields.content.clone();
        serde_json::to_string(&content.unwrap_or_default()).unwrap()
    }
}

pub(super) struct Client {
    pub(super) connection: ConnectionTo<Agent>,
    pub(super) initialized: InitializeResponse,
    pub(super) desk: Arc<Desk>,
    pub(super) screens: Arc<Screens>,
    heard: mpsc::UnboundedReceiver<Heard>,
    child: Child,
    running: JoinHandle<Result<(), Error>>,
    _closing: oneshot::Sender<()>,
}

impl Client {
    /// Somebody who trusts the folder, with a model that follows a script.
    pub(super) async fn start(world: &World, server: &ScriptedModel) -> Self {
        Self::start_with(world, server, ClientCapabilities::new()).await
    }

    pub(super) async fn start_with(
        world: &World,
        server: &ScriptedModel,
        capabilities: ClientCapabilities,
    ) -> Self {
        let mut command = world.pollux(&["acp"]);
        with_model(&mut command, server);
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        Self::run(command, capabilities).await
    }

    /// Somebody whose client holds files.
    pub(super) async fn start_at(world: &World, server: &ScriptedModel, desk: Desk) -> Self {
        let mut command = world.pollux(&["acp"]);
        with_model(&mut command, server);
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        let screens = Screens::default();
        Self::run_at(command, Desk::capabilities(), desk, screens).await
    }

    /// Somebody whose client has terminals.
    pub(super) async fn start_before(
        world: &World,
        server: &ScriptedModel,
        screens: Screens,
    ) -> Self {
        let mut command = world.pollux(&["acp"]);
        with_model(&mut command, server);
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        let capabilities = ClientCapabilities::new().terminal(true);
        Self::run_at(command, capabilities, Desk::default(), screens).await
    }

    pub(super) async fn run(command: Command, capabilities: ClientCapabilities) -> Self {
        Self::run_at(command, capabilities, Desk::default(), Screens::default()).await
    }

    async fn run_at(
        mut command: Command,
        capabilities: ClientCapabilities,
        desk: Desk,
        screens: Screens,
    ) -> Self {
        let screens = Arc::new(screens);
        let [creating, showing, waiting, killing, releasing] =
            std::array::from_fn(|_| Arc::clone(&screens));
        let desk = Arc::new(desk);
        let (reading, writing) = (Arc::clone(&desk), Arc::clone(&desk));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let transport = ByteStreams::new(
            child.stdin.take().unwrap().compat_write(),
            child.stdout.take().unwrap().compat(),
        );
        let (told, heard) = mpsc::unbounded_channel();
        let (asked, formed) = (told.clone(), told.clone());
        let (connected, connection) = oneshot::channel();
        let (closing, closed) = oneshot::channel::<()>();
        let running = AcpClient
            .v1()
            .on_receive_notification(
                async move |update: SessionNotification, _| {
                    let _test_has_ended = told.send(Heard::Update(Box::new(update.update)));
                    Ok(())
                },
                agent_client_protocol::on_receive_notification!(),
            )
            .on_receive_request(
                async move |request: RequestPermissionRequest, responder, _| {
                    let question = Asked { request, responder };
                    let _test_has_ended = asked.send(Heard::Asked(Box::new(question)));
                    Ok(())
                },
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: CreateElicitationRequest, responder, _| {
                    let form = Form { request, responder };
                    let _test_has_ended = formed.send(Heard::Form(Box::new(form)));
                    Ok(())
                },
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: ReadTextFileRequest, responder, _| {
                    reading.read(request, responder)
                },
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: WriteTextFileRequest, responder, _| {
                    writing.write(request, responder)
                },
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: CreateTerminalRequest, responder, _| {
                    creating.create(request, responder)
                },
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_request(
                async move |_: TerminalOutputRequest, responder, _| showing.output(responder),
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_request(
                async move |_: WaitForTerminalExitRequest, responder, _| waiting.wait(responder),
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_request(
                async move |_: KillTerminalRequest, responder, _| killing.kill(responder),
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_request(
                async move |_: ReleaseTerminalRequest, responder, _| releasing.release(responder),
                agent_client_protocol::on_receive_request!(),
            )
            .connect_with(transport, async move |connection| {
                let _test_has_ended = connected.send(connection);
                let _is_dropped = closed.await;
                Ok(())
            });
        let running = tokio::spawn(running);
        let connection = timeout(PATIENCE, connection).await.unwrap().unwrap();
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(capabilities)
            .client_info(Implementation::new("panel", "1").title("A Panel".to_owned()));
        let initialized = connection.send_request(hello).block_task();
        let initialized = timeout(PATIENCE, initialized).await.unwrap().unwrap();
        Self {
            connection,
            initialized,
            desk,
            screens,
            heard,
            child,
            running,
            _closing: closing,
        }
    }

    pub(super) async fn call<R: JsonRpcRequest>(&self, request: R) -> Result<R::Response, Error> {
        let answer = self.connection.send_request(request).block_task();
        timeout(PATIENCE, answer).await.expect("an answer")
    }

    pub(super) async fn open(&self, folder: &Path) -> NewSessionResponse {
        self.call(NewSessionRequest::new(folder)).await.unwrap()
    }

    /// A new session in the workspace.
    pub(super) async fn session(&self, world: &World) -> String {
        self.open(&world.work()).await.session_id.to_string()
    }

    pub(super) async fn load(&self, world: &World, session: &str) {
        let load = LoadSessionRequest::new(session.to_owned(), world.work());
        self.call(load).await.unwrap();
    }

    /// Says something, and goes on at once.
    pub(super) fn say(&self, session: &str, text: &str) -> Prompting {
        self.send(session, vec![text.to_owned().into()])
    }

    pub(super) fn send(&self, session: &str, blocks: Vec<ContentBlock>) -> Prompting {
        let request = PromptRequest::new(session.to_owned(), blocks);
        Prompting::of(self.connection.send_request(request))
    }

    /// A prompt whose request can be cancelled.
    pub(super) fn request(&self, session: &str, text: &str) -> SentRequest<PromptResponse> {
        let request = PromptRequest::new(session.to_owned(), vec![text.to_owned().into()]);
        self.connection.send_request(request)
    }

    pub(super) fn cancel(&self, session: &str) {
        let cancel = CancelNotification::new(session.to_owned());
        self.connection.send_notification(cancel).unwrap();
    }

    pub(super) async fn next(&mut self) -> Heard {
        let next = timeout(PATIENCE, self.heard.recv()).await;
        next.expect("the agent says something")
            .expect("it is there")
    }

    /// The first thing that is wanted, whatever comes before it.
    pub(super) async fn until<T>(&mut self, mut wanted: impl FnMut(Heard) -> Option<T>) -> T {
        loop {
            if let Some(found) = wanted(self.next().await) {
                return found;
            }
        }
    }

    pub(super) async fn asked(&mut self) -> Asked {
        self.until(|heard| match heard {
            Heard::Asked(asked) => Some(*asked),
            _ => None,
        })
        .await
    }

    pub(super) async fn form(&mut self) -> Form {
        self.until(|heard| match heard {
            Heard::Form(form) => Some(*form),
            _ => None,
        })
        .await
    }

    pub(super) async fn update<T>(
        &mut self,
        mut wanted: impl FnMut(SessionUpdate) -> Option<T>,
    ) -> T {
        self.until(|heard| match heard {
            Heard::Update(update) => wanted(*update),
            _ => None,
        })
        .await
    }

    /// The end of a call, with what it shows.
    pub(super) async fn call_ended(&mut self) -> ToolCallUpdateFields {
        self.update(|update| match update {
            SessionUpdate::ToolCallUpdate(change)
                if matches!(
                    change.fields.status,
                    Some(ToolCallStatus::Completed | ToolCallStatus::Failed)
                ) && change.fields.raw_output.is_some() =>
            {
                Some(change.fields)
            }
            _ => None,
        })
        .await
    }

    /// What has arrived so far.
    pub(super) fn so_far(&mut self) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        while let Ok(heard) = self.heard.try_recv() {
            if let Heard::Update(update) = heard {
                updates.push(*update);
            }
        }
        updates
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Closes its end, and sees the door end.
    pub(super) async fn finish(self) {
        assert!(self.die().await.success());
    }

    /// The client dies, and with it its ends of the pipes.
    pub(super) async fn die(self) -> ExitStatus {
        let Self {
            running, mut child, ..
        } = self;
        running.abort();
        let _aborted = running.await;
        let ended = timeout(PATIENCE, child.wait()).await;
        ended.expect("the door ends").unwrap()
    }
}

/// A prompt whose answer is waited for.
pub(super) struct Prompting(JoinHandle<Result<PromptResponse, Error>>);

impl Prompting {
    pub(super) fn of(sent: SentRequest<PromptResponse>) -> Self {
        Self(tokio::spawn(sent.block_task()))
    }

    pub(super) async fn result(self) -> Result<PromptResponse, Error> {
        let answer = timeout(PATIENCE, self.0).await;
        answer.expect("the turn ends").unwrap()
    }

    pub(super) async fn reason(self) -> StopReason {
        self.result().await.unwrap().stop_reason
    }
}

/// The text of the chunks of this kind.
pub(super) fn said(updates: &[SessionUpdate]) -> String {
    let text = |update: &SessionUpdate| match update {
        SessionUpdate::AgentMessageChunk(chunk) => match &chunk.content {
            ContentBlock::Text(text) => Some(text.text.clone()),
            _ => None,
        },
        _ => None,
    };
    updates.iter().filter_map(text).collect()
}

/// The same of what a person has said.
pub(super) fn said_by_person(updates: &[SessionUpdate]) -> Vec<String> {
    let text = |update: &SessionUpdate| match update {
        SessionUpdate::UserMessageChunk(chunk) => match &chunk.content {
            ContentBlock::Text(text) => Some(text.text.clone()),
            _ => None,
        },
        _ => None,
    };
    updates.iter().filter_map(text).collect()
}
