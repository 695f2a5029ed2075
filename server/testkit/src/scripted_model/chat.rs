//! Steps in the words of OpenAI-compatible chat completions.

use serde_json::{Value, json};

use super::encoder::Delivery;
use super::step::{Call, Finish, Usage};

/// Writes deltas, and keeps what a reply without streaming needs at its end.
#[derive(Debug)]
pub(super) struct ChatWriter {
    model: String,
    id: String,
    delivery: Delivery,
    text: String,
    reasoning: String,
    calls: Vec<Value>,
    finish: Option<(String, Option<Usage>)>,
    has_spoken: bool,
}

impl ChatWriter {
    pub(super) fn new(delivery: Delivery, model: &str, order: usize) -> Self {
        Self {
            model: model.to_owned(),
            id: format!("chatcmpl-scripted-{order}"),
            delivery,
            text: String::new(),
            reasoning: String::new(),
            calls: Vec::new(),
            finish: None,
            has_spoken: false,
        }
    }

    pub(super) fn text(&mut self, text: &str) -> Value {
        if self.delivery == Delivery::Whole {
            self.text.push_str(text);
        }
        self.delta(json!({ "content": text }))
    }

    /// `reasoning_content` is not OpenAI's own but what the local servers agree on.
    pub(super) fn thought(&mut self, text: &str) -> Value {
        if self.delivery == Delivery::Whole {
            self.reasoning.push_str(text);
        }
        self.delta(json!({ "reasoning_content": text }))
    }

    pub(super) fn call(&mut self, call: &Call) -> Value {
        let index = self.calls.len();
        let id = call.id.clone().unwrap_or_else(|| format!("call_{index}"));
        let arguments = Value::Object(call.args.clone()).to_string();
        let function = json!({ "name": call.name, "arguments": arguments });
        let whole = json!({ "id": id, "type": "function", "function": function });
        let mut delta = whole.clone();
        delta["index"] = json!(index);
        self.calls.push(whole);
        self.delta(json!({ "tool_calls": [delta] }))
    }

    /// The finish chunk, and after it the usage in a chunk of its own.
    pub(super) fn finish(&mut self, finish: &Finish) -> Vec<Value> {
        let reason = self.reason(&finish.reason);
        let choice = json!({ "index": 0, "delta": {}, "finish_reason": reason });
        let mut events = vec![self.chunk(&json!([choice]))];
        if let Some(usage) = finish.usage {
            let mut chunk = self.chunk(&json!([]));
            chunk["usage"] = usage_object(usage);
            events.push(chunk);
        }
        self.finish = Some((reason, finish.usage));
        events
    }

    /// The body of a reply without streaming, if any step said something.
    pub(super) fn whole(&self) -> Option<Value> {
        if !self.has_spoken && self.finish.is_none() {
            return None;
        }
        let mut message = json!({ "role": "assistant", "content": self.text });
        if self.text.is_empty() && !self.calls.is_empty() {
            message["content"] = Value::Null;
        }
        if !self.reasoning.is_empty() {
            message["reasoning_content"] = json!(self.reasoning);
        }
        if !self.calls.is_empty() {
            message["tool_calls"] = json!(self.calls);
        }
        let (reason, usage) = match &self.finish {
            Some((reason, usage)) => (Some(reason), *usage),
            None => (None, None),
        };
        let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
        let mut body = self.chunk(&json!([choice]));
        body["object"] = json!("chat.completion");
        if let Some(usage) = usage {
            body["usage"] = usage_object(usage);
        }
        Some(body)
    }

    fn delta(&mut self, mut delta: Value) -> Value {
        if !self.has_spoken {
            delta["role"] = json!("assistant");
        }
        self.has_spoken = true;
        self.chunk(&json!([{ "index": 0, "delta": delta, "finish_reason": null }]))
    }

    fn chunk(&self, choices: &Value) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": 0,
            "model": self.model,
            "choices": choices,
        })
    }

    /// One script serves both shapes: Gemini's reasons are translated, others stay.
    fn reason(&self, reason: &str) -> String {
        let translated = match reason {
            "STOP" if self.calls.is_empty() => "stop",
            "STOP" => "tool_calls",
            "MAX_TOKENS" => "length",
            "SAFETY" => "content_filter",
            other => other,
        };
        translated.to_owned()
    }
}

fn usage_object(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output + usage.thoughts,
        "total_tokens": usage.total(),
    })
}
