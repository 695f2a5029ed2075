//! Steps in the words of the Gemini API.

use serde_json::{Map, Value, json};

use super::encoder::Delivery;
use super::step::{Call, Citation, Finish, Usage};

/// Gemini and Vertex name the list of citations differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Gemini,
    Vertex,
}

/// Writes events, and keeps what a reply without streaming needs at its end.
#[derive(Debug)]
pub(super) struct GeminiWriter {
    dialect: Dialect,
    model: String,
    response_id: String,
    delivery: Delivery,
    whole: Whole,
}

/// The parts of one answer, put together.
#[derive(Debug, Default)]
struct Whole {
    parts: Vec<Value>,
    citations: Vec<Value>,
    finish: Option<Finish>,
}

impl GeminiWriter {
    pub(super) fn new(dialect: Dialect, delivery: Delivery, model: &str, order: usize) -> Self {
        Self {
            dialect,
            model: model.to_owned(),
            response_id: format!("scripted-{order}"),
            delivery,
            whole: Whole::default(),
        }
    }

    pub(super) fn text(&mut self, text: &str) -> Value {
        self.part(json!({ "text": text }))
    }

    pub(super) fn thought(&mut self, text: &str) -> Value {
        self.part(json!({ "text": text, "thought": true }))
    }

    pub(super) fn call(&mut self, call: &Call) -> Value {
        let mut function = json!({ "name": call.name, "args": call.args });
        if let Some(id) = &call.id {
            function["id"] = json!(id);
        }
        let mut part = json!({ "functionCall": function });
        if let Some(signature) = &call.thought_signature {
            part["thoughtSignature"] = json!(signature);
        }
        self.part(part)
    }

    pub(super) fn citation(&mut self, citation: &Citation) -> Value {
        let mut source = json!({ "uri": citation.uri });
        for (key, value) in [("title", &citation.title), ("license", &citation.license)] {
            if let Some(value) = value {
                source[key] = json!(value);
            }
        }
        self.whole.citations.push(source.clone());
        let mut candidate = Map::new();
        candidate.insert("citationMetadata".to_owned(), self.citations(&[source]));
        self.event(candidate, None)
    }

    pub(super) fn finish(&mut self, finish: &Finish) -> Value {
        self.whole.finish = Some(finish.clone());
        let mut candidate = Map::new();
        candidate.insert("finishReason".to_owned(), json!(finish.reason));
        self.event(candidate, finish.usage)
    }

    /// The body of a reply without streaming, if any step said something.
    pub(super) fn whole(&self) -> Option<Value> {
        let Whole {
            parts,
            citations,
            finish,
        } = &self.whole;
        if parts.is_empty() && citations.is_empty() && finish.is_none() {
            return None;
        }
        let mut candidate = Map::new();
        if !parts.is_empty() {
            let content = json!({ "role": "model", "parts": parts });
            candidate.insert("content".to_owned(), content);
        }
        if !citations.is_empty() {
            candidate.insert("citationMetadata".to_owned(), self.citations(citations));
        }
        if let Some(finish) = finish {
            candidate.insert("finishReason".to_owned(), json!(finish.reason));
        }
        let usage = finish.as_ref().and_then(|finish| finish.usage);
        Some(self.event(candidate, usage))
    }

    fn part(&mut self, part: Value) -> Value {
        // A stream of 50 MB need not be kept.
        if self.delivery == Delivery::Whole {
            self.whole.add(&part);
        }
        let mut candidate = Map::new();
        let content = json!({ "role": "model", "parts": [part] });
        candidate.insert("content".to_owned(), content);
        self.event(candidate, None)
    }

    fn citations(&self, sources: &[Value]) -> Value {
        match self.dialect {
            Dialect::Gemini => json!({ "citationSources": sources }),
            Dialect::Vertex => json!({ "citations": sources }),
        }
    }

    fn event(&self, mut candidate: Map<String, Value>, usage: Option<Usage>) -> Value {
        candidate.insert("index".to_owned(), json!(0));
        let mut event = json!({ "candidates": [candidate] });
        if let Some(usage) = usage {
            event["usageMetadata"] = usage_metadata(usage);
        }
        event["modelVersion"] = json!(self.model);
        event["responseId"] = json!(self.response_id);
        event
    }
}

impl Whole {
    /// Texts of one kind that follow each other become one part.
    fn add(&mut self, part: &Value) {
        let kind = |part: &Value| part.get("thought").cloned();
        if let (Some(more), Some(last)) = (part["text"].as_str(), self.parts.last_mut())
            && kind(last) == kind(part)
            && let Some(Value::String(text)) = last.get_mut("text")
        {
            text.push_str(more);
            return;
        }
        self.parts.push(part.clone());
    }
}

fn usage_metadata(usage: Usage) -> Value {
    let mut metadata = json!({
        "promptTokenCount": usage.prompt,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": usage.total(),
    });
    let optional = [
        ("thoughtsTokenCount", usage.thoughts),
        ("cachedContentTokenCount", usage.cached),
    ];
    for (key, count) in optional.into_iter().filter(|&(_, count)| count > 0) {
        metadata[key] = json!(count);
    }
    metadata
}
