//! Whether an answer is one.
//!
//! A stream that ended well on the wire may still hold nothing that a person or a tool can use. Such an answer is
//! taken back and asked for again. Judges what an answer consisted of; sends nothing and waits for nothing.

#[cfg(test)]
mod tests;

use std::time::Duration;

use pollux_model::{FinishReason, Part};

/// The first attempt and three retries.
pub(crate) const MAX_ATTEMPTS: u32 = 4;
const FIRST_DELAY: Duration = Duration::from_secs(1);

/// What an answer consisted of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    pub(crate) parts: &'a [Part],
    /// Nothing: the stream ended without one.
    pub(crate) finish: Option<&'a FinishReason>,
    pub(crate) to: AnswerTo,
}

/// What the model was answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerTo {
    Person,
    /// After its tools have run a model may have nothing to add.
    FunctionResponse,
}

/// An answer that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidStream {
    #[error("the answer ended without a finish reason")]
    NoFinishReason,
    #[error("the model made a function call that cannot be read")]
    MalformedFunctionCall,
    #[error("the model called a tool that it was not offered")]
    UnexpectedToolCall,
    #[error("the model ran out of tokens before it answered")]
    MaxTokensExceeded,
    #[error("the answer was blocked for safety")]
    SafetyBlocked,
    #[error("the answer was blocked because it recites")]
    RecitationBlocked,
    #[error("the answer was blocked")]
    OtherBlocked,
    #[error("the model thought and did not answer")]
    ThinkingOnlyResponse,
    #[error("the answer is empty")]
    NoResponseText,
}

/// How to ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nudge {
    /// The same request: the answer was bad luck.
    None,
    /// With a sentence that asks for an answer (`history::nudge`): the model thought that it was done.
    Add,
}

/// Judges a whole answer.
pub(crate) fn check(answer: &Answer<'_>) -> Result<(), InvalidStream> {
    let has_call = |part: &Part| matches!(part, Part::FunctionCall(_));
    if answer.parts.iter().any(has_call) {
        return Ok(());
    }
    match answer.finish {
        None if answer.to == AnswerTo::Person => return Err(InvalidStream::NoFinishReason),
        Some(FinishReason::MalformedFunctionCall) => {
            return Err(InvalidStream::MalformedFunctionCall);
        }
        Some(FinishReason::UnexpectedToolCall) => return Err(InvalidStream::UnexpectedToolCall),
        _ => {}
    }
    if has_visible_text(answer.parts) {
        return Ok(());
    }
    let has_thought = |part: &Part| matches!(part, Part::Thought(_));
    match answer.finish {
        Some(FinishReason::MaxTokens) => Err(InvalidStream::MaxTokensExceeded),
        Some(FinishReason::Safety) => Err(InvalidStream::SafetyBlocked),
        Some(FinishReason::Recitation) => Err(InvalidStream::RecitationBlocked),
        Some(FinishReason::Other(_)) => Err(InvalidStream::OtherBlocked),
        _ if answer.parts.iter().any(has_thought) => Err(InvalidStream::ThinkingOnlyResponse),
        _ if answer.to == AnswerTo::FunctionResponse => Ok(()),
        _ => Err(InvalidStream::NoResponseText),
    }
}

impl InvalidStream {
    /// The name in events and records, the same as the twin's.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoFinishReason => "NO_FINISH_REASON",
            Self::MalformedFunctionCall => "MALFORMED_FUNCTION_CALL",
            Self::UnexpectedToolCall => "UNEXPECTED_TOOL_CALL",
            Self::MaxTokensExceeded => "MAX_TOKENS_EXCEEDED",
            Self::SafetyBlocked => "SAFETY_BLOCKED",
            Self::RecitationBlocked => "RECITATION_BLOCKED",
            Self::OtherBlocked => "OTHER_BLOCKED",
            Self::ThinkingOnlyResponse => "THINKING_ONLY_RESPONSE",
            Self::NoResponseText => "NO_RESPONSE_TEXT",
        }
    }

    /// Every kind is asked for again; two of them with a nudge.
    pub(crate) fn nudge(self) -> Nudge {
        match self {
            Self::ThinkingOnlyResponse | Self::NoResponseText => Nudge::Add,
            Self::NoFinishReason
            | Self::MalformedFunctionCall
            | Self::UnexpectedToolCall
            | Self::MaxTokensExceeded
            | Self::SafetyBlocked
            | Self::RecitationBlocked
            | Self::OtherBlocked => Nudge::None,
        }
    }
}

/// How long to wait after a failed attempt, counted from 1; nothing when it was the last one. Holds for invalid
/// answers and for connections that break within an answer.
pub(crate) fn delay_after(attempt: u32) -> Option<Duration> {
    if attempt >= MAX_ATTEMPTS {
        return None;
    }
    FIRST_DELAY.checked_mul(2_u32.checked_pow(attempt.saturating_sub(1))?)
}

/// Whether a person would see anything: text that is not all blanks, zero-width characters and HTML comments.
pub(crate) fn has_visible_text(parts: &[Part]) -> bool {
    // A comment may go on from one part into the next. Joining costs only for answers that begin with nothing
    // visible, because any other has ended the search before.
    let texts = parts.iter().filter_map(Part::as_text);
    let mut open = String::new();
    for text in texts {
        open.push_str(text);
        match first_visible(&open) {
            Visible::Yes => return true,
            Visible::No => open.clear(),
            Visible::InComment => {}
        }
    }
    !open.is_empty()
}

enum Visible {
    Yes,
    No,
    /// Only if the comment is never closed.
    InComment,
}

fn first_visible(text: &str) -> Visible {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_whitespace() || is_zero_width(char));
        if rest.is_empty() {
            return Visible::No;
        }
        let Some(comment) = rest.strip_prefix("<!--") else {
            let may_become_comment = "<!--".starts_with(rest);
            return if may_become_comment {
                Visible::InComment
            } else {
                Visible::Yes
            };
        };
        match comment.split_once("-->") {
            Some((_, behind)) => rest = behind,
            None => return Visible::InComment,
        }
    }
}

fn is_zero_width(char: char) -> bool {
    matches!(char, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}')
}
