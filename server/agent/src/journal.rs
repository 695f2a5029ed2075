use std::time::Duration;

use futures_util::future::BoxFuture;
use pollux_model::{Content, FunctionCall, Part, Thought, Usage};
use tokio::sync::mpsc;

use crate::Spent;
use crate::api::{
    Answer, CommandExit, EditedFile, Event, KeptId, MadeEdit, Prompt, SentItem, ToolOutcome,
    TurnId, TurnOutcome,
};

/// Takes down what happens, so that the session can be resumed and found again.
///
/// Called in order, on the session's own task: an implementation hands the entry to a thread and
/// returns. Whatever goes wrong there is its own to report; a session does not end because it
/// cannot be recorded.
pub trait Journal: Send {
    fn record(&mut self, entry: Entry<'_>);

    /// Where to say [`Event::RecordingStopped`]. Called once, before anything is recorded.
    fn tell_through(&mut self, _events: mpsc::WeakSender<Event>) {}
}

/// One thing worth keeping.
#[derive(Clone, Debug)]
pub enum Entry<'a> {
    /// What the person said: as it was typed, and as the model gets it.
    Prompt {
        typed: &'a str,
        parts: &'a [Part],
        how: Said<'a>,
        /// It is in the record now and need not be kept otherwise.
        kept: Option<KeptId>,
    },
    /// The model is asked. What it said before and did not end does not count.
    Asked {
        model: &'a str,
    },
    /// A piece of an answer that has not ended.
    Text(&'a str),
    Thought(&'a Thought),
    /// A whole answer.
    Answer {
        model: &'a str,
        parts: &'a [Part],
        usage: Option<Usage>,
    },
    /// A tool has run; its result goes to the model with [`Entry::Results`].
    Tool {
        call: &'a FunctionCall,
        title: &'a str,
        outcome: &'a ToolOutcome,
        response: &'a Part,
        /// Images and documents that go to the model with it.
        shown: &'a [Part],
        took: Duration,
        edited: Option<&'a EditedFile>,
        /// How, where that was shown.
        edit: Option<&'a MadeEdit>,
        /// How a command ended.
        exit: Option<CommandExit>,
        /// The run of the sub-agent that did it.
        agent: Option<&'a str>,
        /// What a person said to it, if somebody was asked.
        given: Option<&'a Given>,
    },
    /// What the model is told after its tools have run. What the person has said meanwhile follows as a prompt.
    Results {
        parts: &'a [Part],
    },
    /// The conversation is a new one: it was compressed, or old outputs were taken out. What was recorded of it
    /// before counts no longer.
    Replaced {
        history: &'a [Content],
    },
    /// The session is called this from now on.
    Titled {
        title: &'a str,
    },
    /// A turn begins; its prompt is recorded next.
    TurnStarted {
        turn: TurnId,
    },
    /// This turn and what followed it were taken back; this is left.
    Rewound {
        turn: TurnId,
        history: &'a [Content],
    },
    /// The session has cost this in all.
    Spent {
        so_far: &'a Spent,
    },
    /// The turn is over.
    TurnEnded {
        turn: TurnId,
        outcome: &'a TurnOutcome,
        prompt: Fate,
    },
}

/// What became of a prompt and all that came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It is a part of the conversation.
    #[default]
    Kept,
    /// The model knows nothing of it any more. People may still look at it.
    TakenBack,
}

/// How something was said.
#[derive(Clone, Copy, Debug)]
pub enum Said<'a> {
    /// A turn begins with it.
    Asked {
        turn: TurnId,
        /// What went along.
        items: &'a [SentItem],
        /// What the model was told about the editor, which is before the prompt and no part of it.
        editor: Option<&'a str>,
    },
    /// Into the running turn.
    Steered,
    /// By the session itself.
    Told,
}

/// An answer to a question about a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    pub answer: Answer,
    /// Why somebody was asked.
    pub reason: String,
}

/// Keeps what was typed and is in no record yet, so that a process that dies does not take it along.
///
/// Called like a [`Journal`], but by whoever hears what was typed, and while a turn has the journal.
pub trait PromptKeeper: Send + Sync {
    fn keep(&self, step: Keep<'_>);

    /// Resolves when everything that was to be kept before is safe from the end of the process, or nothing can be.
    fn kept(&self) -> BoxFuture<'static, ()>;
}

/// What becomes of something that was typed.
#[derive(Clone, Debug)]
pub enum Keep<'a> {
    /// It is to be kept, or is something else now.
    Prompt { id: KeptId, prompt: &'a Prompt },
    /// It was taken back, or has come to its end.
    Gone(KeptId),
    /// Those that wait do so in this order.
    Order(Vec<KeptId>),
}

/// Keeps nothing.
pub(crate) struct NoJournal;

impl PromptKeeper for NoJournal {
    fn keep(&self, _: Keep<'_>) {}

    fn kept(&self) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl Journal for NoJournal {
    fn record(&mut self, _: Entry<'_>) {}
}
