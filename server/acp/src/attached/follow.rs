//! The task that reads a session's feed and tells the client, in that order.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, CLIENT_METHOD_NAMES,
    ConfigOptionUpdate, PromptResponse, RequestId, SessionConfigOption, SessionId,
    SessionNotification, SessionUpdate, StopReason, ToolCallUpdate, UnstructuredCommandInput,
};
use pollux_agent::CommandLine;
use pollux_agent::api::{ApprovalId, Event, PromptMark, ServedBy};
use pollux_workspace::{Asked, Cursor, SessionEnd};
use serde_json::value::RawValue;
use tokio_util::task::AbortOnDropHandle;

use super::{Attached, Fate, Unserved};
use crate::asking::{self, Asking};
use crate::connection::Connection;
use crate::failure;
use crate::telling::{Telling, Told, Whose};

/// Pieces of an answer that come closer together than this are told in one. The first is told at once, so whoever writes
/// slower than this has each piece for itself; a model that writes faster costs its client no more than that.
const JOIN: Duration = Duration::from_millis(3);

/// After a turn the commands are looked for this much later. They hardly ever change in one, and whoever goes on at once
/// need not share the processor with that.
const SETTLED: Duration = Duration::from_millis(100);

/// How a client comes to a session.
pub(crate) struct Beginning {
    /// The request that is answered once what was is told.
    pub(crate) request: RequestId,
    pub(crate) response: Box<RawValue>,
    /// What the client should know before.
    pub(crate) remark: Option<String>,
    pub(crate) prelude: Prelude,
}

/// What is told of what was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prelude {
    Nothing,
    Everything,
}

/// Runs until the session has ended, or the client has left it.
pub(super) async fn follow(
    attached: Arc<Attached>,
    connection: Arc<Connection>,
    beginning: Beginning,
) {
    let live = Arc::clone(&attached.live);
    let mut following = Following {
        session: SessionId::new(live.id.as_str()),
        telling: Telling::new(live.folder.clone(), connection.client.traits())
            .at(connection.owner()),
        questions: BTreeMap::new(),
        commands: Arc::default(),
        listing: None,
        attached,
        connection,
    };
    let mut cursor = following.past(&beginning).await;
    let end = loop {
        tokio::select! {
            biased;
            () = live.feed.beyond(cursor) => {}
            end = live.ended() => break end,
        }
        let batch = live.feed.read(cursor);
        cursor = batch.next;
        for event in &batch.events {
            following.happened(event).await;
        }
        if let Some(Event::TextReceived(_) | Event::ToolPrinted { .. }) = batch.events.last() {
            tokio::time::sleep(JOIN).await;
        }
    };
    following.over(end).await;
}

struct Following {
    attached: Arc<Attached>,
    connection: Arc<Connection>,
    session: SessionId,
    telling: Telling,
    /// What the client is asked at this moment.
    questions: BTreeMap<ApprovalId, Asking>,
    /// The commands that the client was told of last.
    commands: Arc<Mutex<Vec<AvailableCommand>>>,
    listing: Option<AbortOnDropHandle<()>>,
}

/// A question that was asked before the client came.
type Open = (Asked, Box<ToolCallUpdate>);

/// Whether what happened was about a prompt of this client.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtItsTurn {
    Yes,
    No,
}

impl Following {
    /// What was until now; then the client has its answer, and is asked what is still open.
    async fn past(&mut self, beginning: &Beginning) -> Cursor {
        let attached = Arc::clone(&self.attached);
        let feed = &attached.live.feed;
        let (now, mut cursor) = (feed.end(), Cursor::default());
        let mut open: Vec<Open> = Vec::new();
        while cursor < now {
            let batch = feed.read(cursor);
            cursor = batch.next;
            for event in &batch.events {
                self.was(event, beginning.prelude, &mut open).await;
            }
        }
        if let Some(remark) = &beginning.remark {
            let told = self.telling.remark_aloud(remark);
            self.tell(told).await;
        }
        let client = &self.connection.client;
        let response: Result<&RawValue, _> = Ok(&beginning.response);
        client.respond(&beginning.request, response).await;
        self.list_commands(Duration::ZERO);
        if beginning.prelude == Prelude::Nothing {
            self.telling.forget_announced();
        }
        for (asked, call) in open {
            for told in self.telling.announce(&asked) {
                self.tell(told).await;
            }
            self.ask(asked, *call).await;
        }
        cursor
    }

    async fn was(&mut self, event: &Event, prelude: Prelude, open: &mut Vec<Open>) {
        // Whoever loads a session may know nothing any more of a terminal that it once had.
        if self.is_about_prompt(event).await || matches!(event, Event::ToolTerminal { .. }) {
            return;
        }
        for told in self.telling.tell(event) {
            match told {
                Told::Ask { asked, call } => open.push((asked, call)),
                Told::Answered(id) => open.retain(|(asked, _)| asked.id() != id),
                Told::TurnEnded => open.clear(),
                Told::Update(update) if prelude == Prelude::Everything => {
                    self.update(*update).await;
                }
                // How things stand is in the answer.
                Told::Update(_) | Told::Mode(_) | Told::Model(..) | Told::Refused(_) => {}
            }
        }
    }

    async fn happened(&mut self, event: &Event) {
        if self.is_about_prompt(event).await {
            return;
        }
        for told in self.telling.tell(event) {
            self.tell(told).await;
        }
    }

    /// Marks are the door's own business.
    async fn is_about_prompt(&mut self, event: &Event) -> bool {
        match event {
            Event::PromptTaken(mark) => {
                self.telling.answers(match self.attached.taken(mark) {
                    true => Whose::Own,
                    false => Whose::Others,
                });
                true
            }
            Event::PromptServed { mark, by } => {
                if self.served(mark, *by).await == AtItsTurn::Yes {
                    self.telling.answers(Whose::Others);
                }
                true
            }
            _ => false,
        }
    }

    async fn served(&mut self, mark: &PromptMark, by: ServedBy) -> AtItsTurn {
        let Some(served) = self.attached.served(mark) else {
            return AtItsTurn::No;
        };
        let reason = match by {
            _ if served.stopped => Ok(StopReason::Cancelled),
            ServedBy::Turn(turn) => self.telling.stop_reason(turn),
            ServedBy::Command | ServedBy::NoSuchCommand => Ok(StopReason::EndTurn),
            ServedBy::Nothing => Ok(StopReason::Cancelled),
        };
        let response = reason.map(PromptResponse::new);
        let client = &self.connection.client;
        client.respond(&served.request, response).await;
        match served.was_at_its_turn {
            true => AtItsTurn::Yes,
            false => AtItsTurn::No,
        }
    }

    async fn tell(&mut self, told: Told) {
        match told {
            Told::Update(update) => self.update(*update).await,
            Told::Ask { asked, call } => self.ask(asked, *call).await,
            Told::Answered(id) => drop(self.questions.remove(&id)),
            Told::TurnEnded => {
                self.questions.clear();
                self.list_commands(SETTLED);
            }
            Told::Mode(mode) => {
                let options = self.attached.mode_set(mode);
                self.options_changed(options.list()).await;
            }
            Told::Model(model, thinking) => {
                let options = self.attached.model_set(model, thinking);
                self.options_changed(options.list()).await;
            }
            Told::Refused(refusal) => self.attached.refused(&refusal),
        }
    }

    async fn options_changed(&self, list: Vec<SessionConfigOption>) {
        let update = ConfigOptionUpdate::new(list);
        self.update(SessionUpdate::ConfigOptionUpdate(update)).await;
    }

    async fn ask(&mut self, asked: Asked, call: ToolCallUpdate) {
        let client = &self.connection.client;
        let asking = asking::ask(&self.attached, client, &asked, call).await;
        self.questions.insert(asked.id(), asking);
    }

    async fn update(&self, update: SessionUpdate) {
        let update = SessionNotification::new(self.session.clone(), update);
        let method = CLIENT_METHOD_NAMES.session_update;
        self.connection.client.notify(method, &update).await;
    }

    /// Looks which commands there are, beside everything else, and tells of them if that is news.
    fn list_commands(&mut self, after: Duration) {
        let (connection, session) = (Arc::clone(&self.connection), self.session.clone());
        let attached = Arc::clone(&self.attached);
        let known = Arc::clone(&self.commands);
        let listing = async move {
            if !after.is_zero() {
                tokio::time::sleep(after).await;
            }
            let found = connection.commands(&attached).await;
            let list: Vec<AvailableCommand> = found.into_iter().map(command).collect();
            let is_news = {
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                let is_news = *known != list;
                known.clone_from(&list);
                is_news
            };
            if is_news {
                let update = AvailableCommandsUpdate::new(list);
                let update = SessionUpdate::AvailableCommandsUpdate(update);
                let update = SessionNotification::new(session, update);
                let method = CLIENT_METHOD_NAMES.session_update;
                connection.client.notify(method, &update).await;
            }
        };
        self.listing = Some(AbortOnDropHandle::new(tokio::spawn(listing)));
    }

    /// Nothing more happens in the session.
    async fn over(&mut self, end: SessionEnd) {
        self.questions.clear();
        for Unserved { request, fate } in self.attached.never_served(end) {
            let response = match fate {
                Fate::CutOff => Ok(PromptResponse::new(StopReason::Cancelled)),
                Fate::Unheard(SessionEnd::Closed) => Err(failure::no_session(&self.session.0)),
                Fate::Unheard(SessionEnd::Deleted) => Err(failure::deleted(&self.session.0)),
            };
            self.connection.client.respond(&request, response).await;
        }
    }
}

fn command(line: CommandLine) -> AvailableCommand {
    let input = line
        .arguments
        .map(|hint| AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint)));
    AvailableCommand::new(line.name, line.description).input(input)
}
