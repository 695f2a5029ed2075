//! Notices when a model goes round in circles: the same tool calls again and again, or the same words.
//!
//! Owns what it needs to remember of the answers of one prompt. Decides nothing about the turn: a [`Verdict`] says
//! what the twin would do. Its cost per character is constant, whatever came before, because it runs on every
//! piece of every answer.

mod calls;
mod chant;
mod markup;
mod rounds;

#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::{Map, Value};

use calls::CallCycles;
use chant::Chant;
use markup::{Markup, Seen};
use rounds::Rounds;

/// Arguments may be a whole file, and this is shown to the model.
const MAX_SHOWN_ARGS: usize = 200;

/// Watches the answers to one prompt.
#[derive(Debug, Default)]
pub(crate) struct LoopDetector {
    detection: Detection,
    calls: CallCycles,
    chant: Chant,
    markup: Markup,
    rounds: Rounds,
    /// How many loops were found since the prompt.
    found: u32,
}

/// What to do about the answer so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Fine,
    /// The first loop of a prompt: stop the answer, tell the model, and let it try again.
    Recover(Loop),
    /// It happened again: end the turn.
    Stop(Loop),
}

/// What repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Loop {
    ToolCalls {
        /// The latest of the calls that repeat.
        name: String,
        /// As JSON, cut to a size that fits into a message.
        args: String,
        /// How many different calls make up one round.
        cycle: usize,
    },
    Chanting {
        text: String,
    },
    /// Another model has found out.
    Unproductive {
        analysis: String,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Detection {
    #[default]
    Enabled,
    Disabled,
}

impl LoopDetector {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// For `model.disableLoopDetection`: finds nothing and remembers nothing.
    pub(crate) fn disabled() -> Self {
        Self {
            detection: Detection::Disabled,
            ..Self::default()
        }
    }

    /// More of the answer's text. How the text is cut into pieces makes no difference.
    pub(crate) fn on_text(&mut self, text: &str) -> Verdict {
        if self.detection == Detection::Disabled {
            return Verdict::Fine;
        }
        let mut units = [0; 2];
        for char in text.chars() {
            match self.markup.feed(char) {
                Seen::Text => {}
                Seen::Ignored => continue,
                Seen::Boundary => self.chant.restart(),
                Seen::IgnoredBoundary => {
                    self.chant.restart();
                    continue;
                }
            }
            for unit in char.encode_utf16(&mut units) {
                if let Some(text) = self.chant.push(*unit) {
                    return self.verdict(Loop::Chanting { text });
                }
            }
        }
        Verdict::Fine
    }

    /// A whole tool call. A chant does not go on across it.
    pub(crate) fn on_tool_call(&mut self, name: &str, args: &Map<String, Value>) -> Verdict {
        if self.detection == Detection::Disabled {
            return Verdict::Fine;
        }
        self.restart_text();
        let Some(cycle) = self.calls.push(name, args) else {
            return Verdict::Fine;
        };
        self.verdict(Loop::ToolCalls {
            name: name.to_owned(),
            args: shown_args(args),
            cycle,
        })
    }

    /// The model is asked once more for the same prompt. Says whether another model should look for a loop first.
    pub(crate) fn on_round(&mut self) -> bool {
        self.detection == Detection::Enabled && self.rounds.next_is_checked()
    }

    /// A model has looked and is not certain.
    pub(crate) fn suspect(&mut self, confidence: f64) {
        self.rounds.suspect(confidence);
    }

    /// A model has looked and is certain.
    pub(crate) fn on_judgement(&mut self, found: Loop) -> Verdict {
        self.verdict(found)
    }

    /// The latest calls were of an answer that does not count; nobody has run them.
    pub(crate) fn take_back_calls(&mut self, count: usize) {
        self.calls.take_back(count);
    }

    /// Another answer begins, or the text so far was taken back for a retry.
    pub(crate) fn restart_text(&mut self) {
        self.chant.restart();
        self.markup = Markup::default();
    }

    /// The calls stay remembered: one more round of the same after the recovery is the second loop.
    fn verdict(&mut self, found: Loop) -> Verdict {
        self.restart_text();
        self.found = self.found.saturating_add(1);
        if self.found == 1 {
            Verdict::Recover(found)
        } else {
            Verdict::Stop(found)
        }
    }
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ToolCalls { name, args, cycle } if *cycle == 1 => {
                write!(f, "repeated tool call: {name} with arguments {args}")
            }
            Self::ToolCalls { name, args, cycle } => write!(
                f,
                "repeated round of {cycle} tool calls, the last one {name} with arguments {args}"
            ),
            Self::Unproductive { analysis } => f.write_str(analysis),
            Self::Chanting { text } => write!(f, "repeating text: {text:?}"),
        }
    }
}

fn shown_args(args: &Map<String, Value>) -> String {
    let mut json = serde_json::to_string(args).unwrap_or_default();
    if let Some((end, _)) = json.char_indices().nth(MAX_SHOWN_ARGS) {
        json.truncate(end);
        json.push('…');
    }
    json
}
