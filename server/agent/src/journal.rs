use pollux_model::{Content, FunctionCall, Part, Usage};

use crate::api::{ToolOutcome, TurnId, TurnOutcome};

/// Takes down what happens, so that the session can be resumed and found again.
///
/// Called in order, on the session's own task: an implementation hands the entry to a thread and
/// returns. Whatever goes wrong there is its own to report; a session does not end because it
/// cannot be recorded.
pub trait Journal: Send {
    fn record(&mut self, entry: Entry<'_>);
}

/// One thing worth keeping.
#[derive(Clone, Debug)]
pub enum Entry<'a> {
    /// What the person said: as it was typed, and as the model gets it.
    Prompt { typed: &'a str, parts: &'a [Part] },
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
    },
    /// What the model is told after its tools have run. What the person has said meanwhile follows as a prompt.
    Results { parts: &'a [Part] },
    /// The conversation is a new one: it was compressed, or old outputs were taken out. What was recorded of it
    /// before counts no longer.
    Replaced { history: &'a [Content] },
    /// The session is called this from now on.
    Titled { title: &'a str },
    /// A turn begins; its prompt is recorded next.
    TurnStarted { turn: TurnId },
    /// This turn and what followed it were taken back; this is left.
    Rewound {
        turn: TurnId,
        history: &'a [Content],
    },
    /// The turn is over.
    TurnEnded { outcome: &'a TurnOutcome },
}

/// Keeps nothing.
pub(crate) struct NoJournal;

impl Journal for NoJournal {
    fn record(&mut self, _: Entry<'_>) {}
}
