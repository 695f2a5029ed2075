//! The events of Gemini's stream. A reply in one piece has the same shape as one event.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use super::{grounding, refusal, thought};
use crate::http::Endpoint;
use crate::wire::{CallIds, Flow, parse};
use crate::{Citation, FinishReason, ModelError, SignedText, StreamEvent, Usage};

/// Keeps what is handed out only at the end.
#[derive(Debug)]
pub(crate) struct Decoder {
    endpoint: Endpoint,
    ids: CallIds,
    reason: Option<FinishReason>,
    /// Older models give a reason with every event; what they say about the end is then worth nothing.
    goes_on_after_stop: bool,
    usage: Usage,
}

/// Everything is optional: the service leaves out what it does not know, and a proxy may send `null`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<PromptFeedback>,
    usage_metadata: Option<UsageMetadata>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
    citation_metadata: Option<CitationMetadata>,
    grounding_metadata: Option<grounding::Metadata>,
    url_context_metadata: Option<grounding::UrlContext>,
}

#[derive(Deserialize)]
struct Content {
    parts: Option<Vec<Part>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    thought: Option<bool>,
    thought_signature: Option<String>,
    function_call: Option<Call>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    name: Option<String>,
    args: Option<Value>,
}

/// The Gemini API says `citationSources`, Vertex `citations`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CitationMetadata {
    citation_sources: Option<Vec<Source>>,
    citations: Option<Vec<Source>>,
}

#[derive(Deserialize)]
struct Source {
    title: Option<String>,
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsageMetadata {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
    total_token_count: Option<u64>,
}

impl Decoder {
    pub(crate) fn new(endpoint: Endpoint, ids: CallIds) -> Self {
        Self {
            endpoint,
            ids,
            reason: None,
            goes_on_after_stop: false,
            usage: Usage::default(),
        }
    }

    pub(crate) fn event(
        &mut self,
        data: &str,
        events: &mut VecDeque<StreamEvent>,
    ) -> Result<Flow, ModelError> {
        let event: Event = parse(data)?;
        if let Some(error) = event.error {
            return Err(refusal::in_stream(&error, &self.endpoint));
        }
        let had_stopped = self.reason.is_some();
        let before = events.len();
        // Only one candidate is ever asked for.
        if let Some(candidate) = event.candidates.into_iter().flatten().next() {
            self.candidate(candidate, events);
        }
        if let Some(block) = event
            .prompt_feedback
            .and_then(|feedback| feedback.block_reason)
        {
            self.stopped(block);
        }
        if let Some(usage) = event.usage_metadata {
            let before = self.usage;
            self.count(&usage);
            // With a reason it comes at the end.
            if self.usage != before && self.reason.is_none() {
                events.push_back(StreamEvent::UsedSoFar(self.usage));
            }
        }
        self.goes_on_after_stop |= had_stopped && events.len() > before;
        Ok(match self.reason {
            Some(_) if !self.goes_on_after_stop => Flow::Stopped,
            _ => Flow::More,
        })
    }

    pub(crate) fn end(&mut self, events: &mut VecDeque<StreamEvent>) {
        if let Some(reason) = self.reason.take() {
            let usage = self.usage;
            events.push_back(StreamEvent::Finished { reason, usage });
        }
    }

    fn candidate(&mut self, candidate: Candidate, events: &mut VecDeque<StreamEvent>) {
        let parts = candidate.content.and_then(|content| content.parts);
        for part in parts.into_iter().flatten() {
            self.part(part, events);
        }
        if let Some(metadata) = candidate.citation_metadata {
            let sources = metadata
                .citation_sources
                .into_iter()
                .chain(metadata.citations);
            events.extend(sources.flatten().filter_map(|source| {
                let uri = source.uri.filter(|uri| !uri.is_empty())?;
                let title = source.title.filter(|title| !title.is_empty());
                Some(StreamEvent::Citation(Citation { title, uri }))
            }));
        }
        let grounding =
            grounding::read(candidate.grounding_metadata, candidate.url_context_metadata);
        events.extend(grounding.map(StreamEvent::Grounding));
        if let Some(reason) = candidate.finish_reason {
            self.stopped(reason);
        }
    }

    fn part(&self, part: Part, events: &mut VecDeque<StreamEvent>) {
        let is_thought = part.thought == Some(true);
        // A signature without a text of its own belongs to something that is not understood here.
        let signature = part.text.as_ref().and(part.thought_signature.clone());
        let text = part.text.unwrap_or_default();
        match signature {
            _ if is_thought && !text.is_empty() => {
                events.push_back(StreamEvent::Thought(thought::parse(&text)));
            }
            // The signature of a call is the call's; one behind the answer comes with an empty text.
            Some(signature) if !is_thought && part.function_call.is_none() => {
                events.push_back(StreamEvent::SignedText(SignedText { text, signature }));
            }
            _ if !text.is_empty() => events.push_back(StreamEvent::Text(text)),
            _ => {}
        }
        if let Some(call) = part.function_call {
            let args = match call.args {
                Some(Value::Object(args)) => args,
                _ => serde_json::Map::new(),
            };
            let signature = part.thought_signature;
            let call = self.ids.complete(call.id, call.name, args, signature);
            events.push_back(StreamEvent::FunctionCall(call));
        }
    }

    fn stopped(&mut self, reason: String) {
        self.reason = match reason.as_str() {
            "" | "FINISH_REASON_UNSPECIFIED" | "BLOCK_REASON_UNSPECIFIED" => return,
            "STOP" => Some(FinishReason::Stop),
            "MAX_TOKENS" => Some(FinishReason::MaxTokens),
            "SAFETY" => Some(FinishReason::Safety),
            "RECITATION" => Some(FinishReason::Recitation),
            "MALFORMED_FUNCTION_CALL" => Some(FinishReason::MalformedFunctionCall),
            "UNEXPECTED_TOOL_CALL" => Some(FinishReason::UnexpectedToolCall),
            _ => Some(FinishReason::Other(reason)),
        };
    }

    /// Each event tells the sums so far; what one leaves out keeps its last value.
    fn count(&mut self, metadata: &UsageMetadata) {
        let usage = &mut self.usage;
        let counts = [
            (&mut usage.prompt_tokens, metadata.prompt_token_count),
            (
                &mut usage.cached_tokens,
                metadata.cached_content_token_count,
            ),
            (&mut usage.answer_tokens, metadata.candidates_token_count),
            (&mut usage.thought_tokens, metadata.thoughts_token_count),
            (&mut usage.tool_tokens, metadata.tool_use_prompt_token_count),
            (&mut usage.total_tokens, metadata.total_token_count),
        ];
        for (kept, told) in counts {
            *kept = told.unwrap_or(*kept);
        }
    }
}
