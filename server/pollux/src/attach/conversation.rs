//! The window as it lives: what is told is shown, and what is typed is sent.

mod foot;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use pollux_lsp::door::{Client, Refusal, Told};
use pollux_lsp::protocol::{
    ApprovalAnswerParams, Done, EditDecideParams, PromptParams, QuestionReply, SessionEvent,
    SessionEventsParams, SessionFollowParams, SessionParams, SessionResult, SessionResumeParams,
    method,
};
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::desk::Desk;
use super::keys::{Key, Keys};
use super::line::Line;
use super::question::{Question, Reply, Understood};
use super::story::Story;
use crate::terminal::{Colour, Screen, Style};

/// A line that begins with this is said into the running turn.
const STEER: char = '>';

/// What goes on with a turn that was interrupted, and what the model is told then.
const CONTINUE: &str = "c";
const CONTINUE_PROMPT: &str = "Continue where you were interrupted.";

/// How often the time of a running call is shown anew.
const TICK: Duration = Duration::from_secs(1);

/// The session that is followed.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) folder: String,
}

pub(super) struct Conversation<W: Write> {
    client: Client,
    session: Session,
    story: Story,
    desk: Desk<W>,
    colour: Colour,
    /// So many lines of what was before are shown.
    lines: usize,
    hearing: Hearing,
    line: Line,
    asked: Option<Asked>,
    /// A word about what was typed last.
    hint: Option<String>,
    stopping: bool,
    failed: mpsc::UnboundedSender<Failed>,
    failures: mpsc::UnboundedReceiver<Failed>,
}

/// How much of the session is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hearing {
    /// Nothing yet: what is told happened before.
    Beginning,
    /// The same once more, from another host.
    Again,
    Live,
}

/// The question that is on the screen.
struct Asked {
    number: u64,
    replies: BTreeMap<usize, QuestionReply>,
    /// A line that was begun before the question came is no answer to it, whatever it says.
    draft: bool,
}

/// What was asked for and not done.
enum Failed {
    Following(Refusal),
    Prompt { text: String, why: Refusal },
    Other(Refusal),
}

/// Whether the window stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stay {
    Here,
    Leave,
}

impl<W: Write> Conversation<W> {
    pub(super) fn new(
        client: Client,
        session: Session,
        desk: Desk<W>,
        colour: Colour,
        lines: usize,
    ) -> Self {
        let (failed, failures) = mpsc::unbounded_channel();
        Self {
            client,
            session,
            story: Story::new(colour),
            desk,
            colour,
            lines,
            hearing: Hearing::Beginning,
            line: Line::default(),
            asked: None,
            hint: None,
            stopping: false,
            failed,
            failures,
        }
    }

    /// Follows the session until the person leaves, or where nobody types until it is idle.
    pub(super) async fn run(
        mut self,
        mut told: mpsc::Receiver<Told>,
        mut typed: Option<mpsc::Receiver<Vec<u8>>>,
    ) -> io::Result<()> {
        let mut resized = signal(SignalKind::window_change())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        let mut keys = Keys::default();
        self.fit();
        self.follow();
        loop {
            let stay = tokio::select! {
                told = told.recv() => match told {
                    Some(Told::Events(batch)) => self.hear(batch)?,
                    Some(Told::HostReplaced) => self.begin_again()?,
                    None => Stay::Leave,
                },
                bytes = next(&mut typed) => match bytes {
                    Some(bytes) => self.press(&keys.feed(&bytes))?,
                    None => Stay::Leave,
                },
                Some(failed) = self.failures.recv() => self.complain(failed)?,
                _ = resized.recv() => {
                    self.fit();
                    Stay::Here
                }
                _ = terminate.recv() => Stay::Leave,
                _ = hangup.recv() => Stay::Leave,
                () = tokio::time::sleep(TICK), if self.shows_time() => Stay::Here,
            };
            if stay == Stay::Leave {
                return self.leave();
            }
            self.draw()?;
        }
    }

    fn fit(&mut self) {
        if self.desk.size().is_some() {
            self.desk.measure();
        }
        if let Some(size) = self.desk.size() {
            self.story.screen.fit(size.columns);
        }
    }

    /// Everything from the start: the story is bounded when it is shown.
    fn follow(&self) {
        let (client, failed) = (self.client.clone(), self.failed.clone());
        let session = self.session.clone();
        tokio::spawn(async move {
            if let Err(refusal) = follow(&client, &session).await {
                let _closing = failed.send(Failed::Following(refusal));
            }
        });
    }

    fn begin_again(&mut self) -> io::Result<Stay> {
        self.story.host_replaced()?;
        self.asked = None;
        if self.hearing == Hearing::Live {
            self.hearing = Hearing::Again;
        }
        Ok(Stay::Here)
    }

    fn hear(&mut self, batch: SessionEventsParams) -> io::Result<Stay> {
        let now = Instant::now();
        // What waits in a session that only its record is left of waits for somebody who says something.
        let mut idle = self.hearing != Hearing::Live;
        for event in batch.events {
            let is_over = matches!(event, SessionEvent::Deleted {});
            self.story.tell(event, now)?;
            if is_over {
                return Ok(Stay::Leave);
            }
        }
        if self.hearing != Hearing::Live {
            if batch.more {
                return Ok(Stay::Here);
            }
            self.story.caught_up();
            if self.hearing == Hearing::Beginning {
                self.begin()?;
            }
            self.hearing = Hearing::Live;
        }
        if !self.story.is_running() {
            self.stopping = false;
        }
        self.ask()?;
        idle &= !self.story.is_running();
        idle |= self.story.is_idle();
        Ok(match idle && self.desk.size().is_none() {
            true => Stay::Leave,
            false => Stay::Here,
        })
    }

    /// The end of what was before, below a line that says what it is.
    fn begin(&mut self) -> io::Result<()> {
        let heading = self.story.heading();
        let said = std::mem::take(self.story.screen.out());
        let mut top = Screen::new(Vec::new(), self.colour);
        let mut from = said.len();
        let ends = said
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, byte)| **byte == b'\n');
        let lines = ends.clone().count();
        if lines > self.lines {
            from = ends.map(|(at, _)| at + 1).nth(self.lines).unwrap_or(from);
        } else {
            from = 0;
        }
        top.line(&[(Style::Bold, &heading)])?;
        top.line(&[(Style::Dim, &self.session.id)])?;
        if from > 0 {
            let left_out = format!("… {} lines before; --lines shows more", lines - self.lines);
            top.line(&[(Style::Dim, &left_out)])?;
        }
        top.blank()?;
        self.desk.say(top.out());
        self.desk.say(said.get(from..).unwrap_or_default());
        Ok(())
    }

    /// Shows the question that waits, if another does.
    fn ask(&mut self) -> io::Result<()> {
        let Some(question) = self.story.question().cloned() else {
            self.asked = None;
            return Ok(());
        };
        if self.asked.as_ref().map(|asked| asked.number) == Some(question.number()) {
            return Ok(());
        }
        self.hint = None;
        let asked = Asked {
            number: question.number(),
            replies: BTreeMap::new(),
            draft: !self.line.is_empty(),
        };
        question.show(&mut self.story.screen, &asked.replies)?;
        self.asked = Some(asked);
        Ok(())
    }

    fn press(&mut self, keys: &[Key]) -> io::Result<Stay> {
        for key in keys {
            self.hint = None;
            match key {
                Key::Stop if self.story.is_running() && !self.stopping => {
                    self.stopping = true;
                    let session = self.session.id.clone();
                    self.send(method::TURN_CANCEL, &SessionParams { session });
                }
                Key::Retry => {
                    if self.story.is_retrying() {
                        let session = self.session.id.clone();
                        self.send(method::RETRY_NOW, &SessionParams { session });
                    }
                }
                Key::Stop if !self.stopping && !self.line.is_empty() => {
                    self.line.set(String::new());
                }
                Key::Leave if !self.line.is_empty() => self.line.press(&Key::Delete),
                Key::Stop | Key::Leave => return Ok(Stay::Leave),
                Key::Enter => self.enter()?,
                key => self.line.press(key),
            }
            if let Some(asked) = &mut self.asked {
                asked.draft &= !self.line.is_empty();
            }
        }
        Ok(Stay::Here)
    }

    fn enter(&mut self) -> io::Result<()> {
        let text = self.line.text().trim().to_owned();
        let question = self.story.question().cloned();
        let is_answer = question
            .as_ref()
            .is_some_and(|question| question.asks_for_words());
        if text.is_empty() && !is_answer {
            return Ok(());
        }
        if let Some(steered) = text.strip_prefix(STEER) {
            self.line.take();
            self.say(method::PROMPT_STEER, steered.trim());
            return Ok(());
        }
        match (question, &mut self.asked) {
            (Some(question), Some(asked)) if !asked.draft => {
                match question.understand(&text, &mut asked.replies) {
                    Understood::Reply(reply) => {
                        self.line.take();
                        self.answer(&question, reply)?;
                    }
                    Understood::Next => {
                        self.line.take();
                        question.show(&mut self.story.screen, &asked.replies)?;
                    }
                    Understood::Nothing => {
                        self.hint = Some("That is no answer to what is asked:".to_owned());
                    }
                }
            }
            _ => {
                self.line.take();
                let text = match text.as_str() {
                    CONTINUE if self.story.is_interrupted() => CONTINUE_PROMPT,
                    text => text,
                };
                self.say(method::PROMPT_QUEUE, text);
            }
        }
        Ok(())
    }

    fn say(&mut self, method: &'static str, text: &str) {
        let text = text.to_owned();
        if text.is_empty() {
            return;
        }
        let params = PromptParams {
            session: self.session.id.clone(),
            text: text.clone(),
            attachments: Vec::new(),
            context: None,
        };
        let sent = self.client.ask(method, &params);
        let failed = self.failed.clone();
        tokio::spawn(async move {
            if let Err(why) = sent.answer::<Done>().await {
                let _closing = failed.send(Failed::Prompt { text, why });
            }
        });
    }

    fn answer(&mut self, question: &Question, reply: Reply) -> io::Result<()> {
        let session = self.session.id.clone();
        let number = question.number();
        match reply.clone() {
            Reply::Answer(answer) => {
                let approval = number;
                self.send(
                    method::APPROVAL_ANSWER,
                    &ApprovalAnswerParams {
                        session,
                        approval,
                        answer,
                    },
                );
            }
            Reply::Hunks(decisions) => {
                let proposal = number;
                self.send(
                    method::EDIT_DECIDE,
                    &EditDecideParams {
                        session,
                        proposal,
                        decisions,
                    },
                );
            }
        }
        self.story.replied(number, reply);
        self.ask()
    }

    fn send(&self, method: &'static str, params: &impl Serialize) {
        let sent = self.client.ask(method, params);
        let failed = self.failed.clone();
        tokio::spawn(async move {
            if let Err(why) = sent.answer::<Done>().await {
                let _closing = failed.send(Failed::Other(why));
            }
        });
    }

    fn complain(&mut self, failed: Failed) -> io::Result<Stay> {
        match failed {
            // Another host comes, and then it is followed again.
            Failed::Following(Refusal::HostLost(_)) => {}
            Failed::Following(why) => return Err(io::Error::other(why)),
            Failed::Prompt { text, why } => {
                self.story.note(&format!("Not sent: {why}"))?;
                // What was typed is not lost.
                match self.line.is_empty() {
                    true => self.line.set(text),
                    false => self.story.note(&text)?,
                }
            }
            Failed::Other(why) => {
                self.stopping = false;
                self.story.not_replied();
                self.story.note(&format!("Not done: {why}"))?;
                self.ask()?;
            }
        }
        Ok(Stay::Here)
    }

    fn shows_time(&self) -> bool {
        self.desk.size().is_some() && self.story.is_running()
    }

    fn draw(&mut self) -> io::Result<()> {
        // What was before is shown all at once, and only its end.
        if self.hearing == Hearing::Beginning {
            return Ok(());
        }
        let said = std::mem::take(self.story.screen.out());
        self.desk.say(&said);
        let foot = self.foot();
        self.desk.draw(&foot)
    }

    fn leave(&mut self) -> io::Result<()> {
        self.story.screen.end_prose()?;
        if self.story.is_running() && self.desk.size().is_some() {
            let text = "Left. The turn goes on; pollux attach comes back to it.";
            self.story.note(text)?;
        }
        let said = std::mem::take(self.story.screen.out());
        self.desk.say(&said);
        self.desk.clear()
    }
}

/// The session may have to be opened again, by a host that does not know it yet.
async fn follow(client: &Client, session: &Session) -> Result<(), Refusal> {
    let wanted = SessionResumeParams {
        session: session.id.clone(),
        folder: Some(session.folder.clone()),
    };
    client
        .ask(method::SESSION_RESUME, &wanted)
        .answer::<SessionResult>()
        .await?;
    let from_the_start = SessionFollowParams {
        session: session.id.clone(),
        cursor: 0,
    };
    client
        .ask(method::SESSION_FOLLOW, &from_the_start)
        .answer::<Done>()
        .await?;
    Ok(())
}

/// The next bytes that are typed; never any where nobody types.
async fn next(typed: &mut Option<mpsc::Receiver<Vec<u8>>>) -> Option<Vec<u8>> {
    match typed {
        Some(typed) => typed.recv().await,
        None => std::future::pending().await,
    }
}
