//! What happens in the session, told line by line, and how it stands.

#[cfg(test)]
mod tests;

mod calls;
mod retry;
mod words;

use std::collections::BTreeMap;
use std::io;
use std::time::{Instant, SystemTime};

use pollux_lsp::protocol::{
    AttachedLabel, ContextItem, SessionEvent, TodoItem, TodoState, ToolActivity, TurnEnd,
};

use super::question::{Question, Reply};
use crate::terminal::{Colour, Screen, Style};
use calls::{Calls, Ended, Started};
use retry::Retry;
use words::{answered, decided, mode, place};

const INTERRUPTED: &str = "Interrupted: Pollux exited during this turn. What arrived is above, and nothing you typed was lost.";
const CONTINUE_HINT: &str = "Type c to continue the turn.";

pub(super) struct Story {
    pub(super) screen: Screen<Vec<u8>>,
    heading: Heading,
    turn: Turn,
    calls: Calls,
    /// Prompts that wait, in the order in which they were said.
    queue: BTreeMap<u64, String>,
    questions: Vec<Question>,
    /// What was answered here and has not come back yet.
    replies: BTreeMap<u64, Reply>,
    cost: Option<String>,
    /// What waits to be retried.
    retry: Option<Retry>,
    /// What was told before a host died is not told again: only what is from this turn on.
    known: Option<u64>,
}

#[derive(Default)]
struct Heading {
    title: Option<String>,
    model: String,
    mode: &'static str,
}

/// How far the session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// None has run yet.
    First,
    Runs(u64),
    Ended(u64, TurnEnd),
}

impl Story {
    pub(super) fn new(colour: Colour) -> Self {
        Self {
            screen: Screen::new(Vec::new(), colour),
            heading: Heading::default(),
            turn: Turn::First,
            calls: Calls::default(),
            queue: BTreeMap::new(),
            questions: Vec::new(),
            replies: BTreeMap::new(),
            cost: None,
            retry: None,
            known: None,
        }
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self.turn, Turn::Runs(_))
    }

    /// Whether nothing will happen until somebody says something. Prompts that wait after a stop wait for that too.
    pub(super) fn is_idle(&self) -> bool {
        match self.turn {
            Turn::Runs(_) => false,
            Turn::Ended(_, outcome) if holds(outcome) => true,
            Turn::First | Turn::Ended(..) => self.queue.is_empty(),
        }
    }

    /// Whether a request waits to be retried.
    pub(super) fn is_retrying(&self) -> bool {
        self.retry.is_some()
    }

    /// Whether the last turn was interrupted and nothing has been said since.
    pub(super) fn is_interrupted(&self) -> bool {
        matches!(self.turn, Turn::Ended(_, TurnEnd::Interrupted))
    }

    /// What waits for an answer, the oldest first.
    pub(super) fn question(&self) -> Option<&Question> {
        self.questions
            .iter()
            .find(|question| !self.replies.contains_key(&question.number()))
    }

    /// It is answered here; whether that counts is heard later.
    pub(super) fn replied(&mut self, question: u64, reply: Reply) {
        self.replies.insert(question, reply);
    }

    /// The answer was not taken, and the question is open again.
    pub(super) fn not_replied(&mut self) {
        self.replies.clear();
    }

    /// What the session is called and who answers in it.
    pub(super) fn heading(&self) -> String {
        let Heading { title, model, mode } = &self.heading;
        let title = title.as_deref().unwrap_or("A session without a title");
        format!("{title} · {model} · {mode}")
    }

    /// What runs and what waits, a row each.
    pub(super) fn at_work(&self, now: Instant) -> Vec<String> {
        let mut rows = self.calls.rows(now);
        rows.extend(
            self.retry
                .as_ref()
                .map(|retry| retry.row(SystemTime::now())),
        );
        match self.queue.len() {
            0 => {}
            1 => rows.push("1 prompt waits".to_owned()),
            count => rows.push(format!("{count} prompts wait")),
        }
        rows
    }

    /// A host has died. The next one tells everything from its record: of that, a turn that was under way is shown again.
    pub(super) fn host_replaced(&mut self) -> io::Result<()> {
        self.known = match self.turn {
            Turn::First => None,
            Turn::Runs(turn) => Some(turn),
            Turn::Ended(turn, _) => Some(turn + 1),
        };
        self.turn = Turn::First;
        self.calls = Calls::default();
        self.retry = None;
        self.queue.clear();
        self.questions.clear();
        self.replies.clear();
        self.note("The host was restarted; going on from the record.")
    }

    /// Everything that had happened before is told.
    pub(super) fn caught_up(&mut self) {
        self.known = None;
    }

    pub(super) fn tell(&mut self, event: SessionEvent, now: Instant) -> io::Result<()> {
        if let (Some(known), SessionEvent::TurnStarted { turn, .. }) = (self.known, &event)
            && *turn >= known
        {
            self.known = None;
        }
        if self.known.is_none() {
            return self.say(event, now);
        }
        // How the session stands is to be known all the same.
        let shown = self.screen.out().len();
        self.say(event, now)?;
        self.screen.end_prose()?;
        self.screen.out().truncate(shown);
        Ok(())
    }

    fn say(&mut self, event: SessionEvent, now: Instant) -> io::Result<()> {
        match event {
            SessionEvent::Opened {
                mode: opened,
                model,
                title,
                ..
            } => {
                self.heading = Heading {
                    title,
                    model,
                    mode: mode(opened),
                };
            }
            SessionEvent::Titled { title } => self.heading.title = Some(title),
            SessionEvent::TurnStarted {
                turn,
                prompt,
                attachments,
                ..
            } => {
                self.turn = Turn::Runs(turn);
                self.cost = None;
                self.prompt("▌ ", &prompt, &attachments)?;
            }
            SessionEvent::Text { text } => self.screen.prose(&text)?,
            SessionEvent::AnswerEnded { .. } => {
                self.screen.end_prose()?;
                self.screen.blank()?;
            }
            SessionEvent::TurnEnded {
                turn,
                outcome,
                message,
            } => self.end(turn, outcome, &message)?,
            SessionEvent::PromptQueued { id, text, .. } => {
                if self.is_running() {
                    self.note(&format!("waits: {text}"))?;
                }
                self.queue.insert(id, text);
            }
            SessionEvent::PromptUnqueued { id } => {
                self.queue.remove(&id);
            }
            SessionEvent::PromptEdited { id, text } => {
                self.note(&format!("waits instead: {text}"))?;
                self.queue.insert(id, text);
            }
            SessionEvent::PromptSteered { text } => self.prompt("▌> ", &text, &[])?,
            SessionEvent::ToolStarted {
                call,
                title,
                activity,
                parent,
                ..
            } => {
                if activity == ToolActivity::Agent {
                    self.screen.end_prose()?;
                }
                let started = Started {
                    id: call,
                    title,
                    activity,
                    parent,
                };
                self.calls.started(started, now, &mut self.screen)?;
            }
            SessionEvent::ToolPrinted { call, text } => self.calls.printed(&call, &text),
            SessionEvent::ToolProgress {
                call,
                message,
                done,
                total,
            } => self.calls.progressed(&call, message, done, total),
            SessionEvent::ToolEnded {
                call,
                status,
                message,
                duration_ms,
                added,
                removed,
                ..
            } => {
                self.screen.end_prose()?;
                let ended = Ended {
                    status,
                    message,
                    duration_ms,
                    lines: added.zip(removed),
                };
                self.calls.ended(&call, &ended, &mut self.screen)?;
            }
            SessionEvent::ApprovalRequested(request) => self.ask(Question::Call(request), now),
            SessionEvent::EditProposed(edit) => self.ask(Question::Edit(edit), now),
            SessionEvent::ApprovalEnded {
                approval,
                answer,
                by,
            } => {
                let here = match self.replies.remove(&approval) {
                    Some(Reply::Answer(reply)) => Some(&reply) == answer.as_ref(),
                    _ => false,
                };
                let place = place(here, by.as_deref());
                self.settle(approval, &answered(answer.as_ref()), &place, now)?;
            }
            SessionEvent::EditDecided {
                proposal,
                decisions,
                by,
            } => {
                let here = self.replies.remove(&proposal).is_some();
                let place = place(here, by.as_deref());
                self.settle(proposal, &decided(&decisions), &place, now)?;
            }
            other => self.remark(other)?,
        }
        Ok(())
    }

    /// What takes a line at most, and changes nothing here.
    fn remark(&mut self, event: SessionEvent) -> io::Result<()> {
        match event {
            SessionEvent::Thought { subject, .. } => self.note(&format!("Thought: {subject}")),
            SessionEvent::CommandAnswered { command, text } => {
                self.note(&format!("/{command}"))?;
                self.screen.prose(&text)?;
                self.screen.end_prose()
            }
            SessionEvent::ContextSent { items, .. } => self.context(&items),
            SessionEvent::Citation { title, uri } => match title {
                Some(title) => self.note(&format!("from {title}: {uri}")),
                None => self.note(&format!("from {uri}")),
            },
            SessionEvent::RequestRetried {
                attempt,
                attempts,
                delay_ms,
                retry_at_ms,
                reason,
            } => {
                let retry = Retry::new(retry_at_ms, reason);
                let told = retry.told(delay_ms, attempt, attempts);
                self.retry = Some(retry);
                self.note(&told)
            }
            SessionEvent::RetryStarted {} => {
                self.retry = None;
                Ok(())
            }
            SessionEvent::ModelChanged {
                from, to, reason, ..
            } => self.note(&format!("{to} answers instead of {from}: {reason}")),
            SessionEvent::HistoryCompressed { before, after, .. } if after < before => self.note(
                &format!("The conversation was made shorter: {before} tokens, now {after}"),
            ),
            SessionEvent::EditContested { conflicts, .. } => self.note(&format!(
                "Conflict in {}: you and the agent changed the same lines, and yours are in the file",
                match conflicts {
                    1 => "a place".to_owned(),
                    many => format!("{many} places"),
                }
            )),
            SessionEvent::Rewound { turn } => self.note(&format!("Back to before turn {turn}")),
            SessionEvent::AnswerDiscarded { reason } => self.note(&format!(
                "The answer does not count ({reason}); asking again"
            )),
            SessionEvent::ApprovalNotRemembered { reason } => self.note(&reason),
            SessionEvent::HookSaid { message } => self.note(&message),
            SessionEvent::Deleted {} => self.note("This session was deleted."),
            SessionEvent::ModeChanged { mode: changed } => {
                self.heading.mode = mode(changed);
                self.note(&format!("Mode: {}", mode(changed)))
            }
            SessionEvent::ModelChosen { model, .. } => {
                self.heading.model = model;
                Ok(())
            }
            SessionEvent::Todos { todos } => self.todos(&todos),
            SessionEvent::Refused { reason } => {
                self.not_replied();
                self.note(&format!("Refused: {reason}"))
            }
            SessionEvent::Cost {
                turn,
                session,
                currency,
            } => {
                self.cost = Some(format!("{turn:.4} {currency}, {session:.4} in all"));
                Ok(())
            }
            // Told by something else, or of no use without the files beside it.
            _ => Ok(()),
        }
    }

    /// A line beside the conversation.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.screen.end_prose()?;
        self.screen.line(&[(Style::Dim, text)])
    }

    fn prompt(&mut self, mark: &str, text: &str, attached: &[AttachedLabel]) -> io::Result<()> {
        self.screen.end_prose()?;
        self.screen.blank()?;
        for line in text.split('\n') {
            self.screen
                .line(&[(Style::Dim, mark), (Style::Bold, line)])?;
        }
        for attachment in attached {
            self.note(&format!("  with {}", attachment.label))?;
        }
        self.screen.blank()
    }

    fn context(&mut self, items: &[ContextItem]) -> io::Result<()> {
        let labels: Vec<&str> = items.iter().map(|item| item.label.as_str()).collect();
        self.note(&format!("sent along: {}", labels.join(", ")))
    }

    fn todos(&mut self, todos: &[TodoItem]) -> io::Result<()> {
        let is = |todo: &&TodoItem, state| todo.status == state;
        let done = todos.iter().filter(|todo| is(todo, TodoState::Completed));
        let mut text = format!("Steps: {} of {} done", done.count(), todos.len());
        if let Some(now) = todos.iter().find(|todo| is(todo, TodoState::InProgress)) {
            text = format!("{text}, now: {}", now.description);
        }
        self.note(&text)
    }

    fn ask(&mut self, question: Question, now: Instant) {
        if let Some(call) = question.call() {
            self.calls.waits(call, now);
        }
        self.questions.push(question);
    }

    /// A question has its answer, here or elsewhere.
    fn settle(&mut self, number: u64, answer: &str, place: &str, now: Instant) -> io::Result<()> {
        let open = self
            .questions
            .iter()
            .position(|open| open.number() == number);
        let Some(open) = open else {
            return Ok(());
        };
        let question = self.questions.remove(open);
        if let Some(call) = question.call() {
            self.calls.goes_on(call, now);
        }
        let title = question.title();
        self.note(&format!("{title}: {answer}{place}"))
    }

    fn end(&mut self, turn: u64, outcome: TurnEnd, message: &str) -> io::Result<()> {
        self.turn = Turn::Ended(turn, outcome);
        self.calls = Calls::default();
        self.retry = None;
        self.questions.clear();
        self.replies.clear();
        self.screen.end_prose()?;
        self.screen.blank()?;
        let mut text = match (outcome, message) {
            (TurnEnd::Completed, _) => "Done.".to_owned(),
            (TurnEnd::Cancelled, _) => "Stopped.".to_owned(),
            (TurnEnd::Interrupted, _) => INTERRUPTED.to_owned(),
            (outcome, message) => {
                let word = if outcome == TurnEnd::Failed {
                    "Failed"
                } else {
                    "Stopped"
                };
                match message.trim_end_matches('.') {
                    "" => format!("{word}."),
                    message => format!("{word}: {message}."),
                }
            }
        };
        if let Some(cost) = &self.cost {
            text = format!("{text} {cost}.");
        }
        self.screen.line(&[(Style::Bold, &text)])?;
        if outcome == TurnEnd::Interrupted {
            self.note(CONTINUE_HINT)?;
        }
        if holds(outcome) && !self.queue.is_empty() {
            self.note("What waits has its turn after the next prompt.")?;
        }
        Ok(())
    }
}

/// Whether what waits goes on waiting after a turn that ended so.
fn holds(outcome: TurnEnd) -> bool {
    matches!(outcome, TurnEnd::Cancelled | TurnEnd::Interrupted)
}
