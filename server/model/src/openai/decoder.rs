//! The chunks of a chat completion. A reply in one piece is read the same way, `message` being one big `delta`.

mod calls;

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use calls::{CallDelta, Calls};

use super::refusal;
use crate::http::Endpoint;
use crate::wire::{CallIds, Flow, parse};
use crate::{FinishReason, ModelError, StreamEvent, Thought, Usage};

/// Puts function calls together, and keeps what is handed out only at the end.
#[derive(Debug)]
pub(crate) struct Decoder {
    endpoint: Endpoint,
    ids: CallIds,
    calls: Calls,
    reason: Option<FinishReason>,
    usage: Usage,
}

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    message: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    total_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

impl Decoder {
    pub(crate) fn new(endpoint: Endpoint, ids: CallIds) -> Self {
        Self {
            endpoint,
            ids,
            calls: Calls::default(),
            reason: None,
            usage: Usage::default(),
        }
    }

    pub(crate) fn event(
        &mut self,
        data: &str,
        events: &mut VecDeque<StreamEvent>,
    ) -> Result<Flow, ModelError> {
        if data.trim() == "[DONE]" {
            // Some servers say that they are done and not why.
            self.reason.get_or_insert(FinishReason::Stop);
            return Ok(Flow::Ended);
        }
        let chunk: Chunk = parse(data)?;
        if let Some(error) = chunk.error {
            return Err(refusal::in_stream(&error, &self.endpoint));
        }
        if let Some(usage) = chunk.usage {
            self.usage = counted(&usage);
            if self.reason.is_none() {
                events.push_back(StreamEvent::UsedSoFar(self.usage));
            }
        }
        if let Some(choice) = chunk.choices.into_iter().flatten().next() {
            self.choice(choice, events)?;
        }
        Ok(match self.reason {
            Some(_) => Flow::Stopped,
            None => Flow::More,
        })
    }

    /// Calls are whole once the model has stopped; without a reason the stream was cut off, and they are not.
    pub(crate) fn end(&mut self, events: &mut VecDeque<StreamEvent>) {
        let Some(mut reason) = self.reason.take() else {
            return;
        };
        match std::mem::take(&mut self.calls).finish(&self.ids) {
            Ok(calls) => events.extend(calls.into_iter().map(StreamEvent::FunctionCall)),
            Err(calls::NotJson) => {
                // Running out of tokens inside a call explains the broken call, and tells the caller more.
                if reason != FinishReason::MaxTokens {
                    reason = FinishReason::MalformedFunctionCall;
                }
            }
        }
        let usage = self.usage;
        events.push_back(StreamEvent::Finished { reason, usage });
    }

    fn choice(
        &mut self,
        choice: Choice,
        events: &mut VecDeque<StreamEvent>,
    ) -> Result<(), ModelError> {
        let is_whole = choice.message.is_some();
        if let Some(delta) = choice.delta.or(choice.message) {
            let said = |text: Option<String>| text.filter(|text| !text.is_empty());
            if let Some(description) = said(delta.reasoning_content).or(said(delta.reasoning)) {
                let subject = String::new();
                events.push_back(StreamEvent::Thought(Thought {
                    subject,
                    description,
                }));
            }
            if let Some(text) = said(delta.content).or(said(delta.refusal)) {
                events.push_back(StreamEvent::Text(text));
            }
            for call in delta.tool_calls.into_iter().flatten() {
                self.calls.add(call)?;
            }
        }
        match choice.finish_reason.filter(|reason| !reason.is_empty()) {
            Some(reason) => self.reason = Some(finish_reason(reason)),
            None if is_whole => self.reason = Some(FinishReason::Stop),
            None => {}
        }
        Ok(())
    }
}

fn finish_reason(reason: String) -> FinishReason {
    match reason.as_str() {
        "stop" | "tool_calls" | "function_call" | "eos" | "eos_token" => FinishReason::Stop,
        "length" | "max_tokens" => FinishReason::MaxTokens,
        "content_filter" | "safety" => FinishReason::Safety,
        _ => FinishReason::Other(reason),
    }
}

/// Thinking is part of the completion here, and beside it in [`Usage`].
fn counted(usage: &WireUsage) -> Usage {
    let prompt = usage.prompt_tokens.unwrap_or_default();
    let completion = usage.completion_tokens.unwrap_or_default();
    let cached = usage.prompt_tokens_details.as_ref();
    let thought = usage.completion_tokens_details.as_ref();
    let thought = thought.and_then(|details| details.reasoning_tokens);
    let thought = thought.unwrap_or_default().min(completion);
    Usage {
        prompt_tokens: prompt,
        cached_tokens: cached
            .and_then(|details| details.cached_tokens)
            .unwrap_or_default(),
        answer_tokens: completion - thought,
        thought_tokens: thought,
        tool_tokens: 0,
        total_tokens: usage
            .total_tokens
            .unwrap_or_else(|| prompt.saturating_add(completion)),
    }
}
