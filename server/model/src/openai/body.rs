//! The request as chat completions want it, with keys in a fixed order.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::{Delivery, messages};
use crate::{ModelError, Request, limits};

/// Names of Gemini's parameters, and what they are called here.
const RENAMED: [(&str, &str); 7] = [
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("maxOutputTokens", "max_tokens"),
    ("stopSequences", "stop"),
    ("seed", "seed"),
    ("presencePenalty", "presence_penalty"),
    ("frequencyPenalty", "frequency_penalty"),
];

pub(super) fn write(
    request: &Request,
    model: &str,
    delivery: Delivery,
) -> Result<Bytes, ModelError> {
    let messages = messages::write(request)?;
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("messages".to_owned(), Value::Array(messages));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let function = json!({
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            });
            json!({ "type": "function", "function": function })
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    for (theirs, ours) in RENAMED {
        if let Some(value) = request.generation.get(theirs) {
            body.insert(ours.to_owned(), value.clone());
        }
    }
    if let Some(format) = response_format(&request.generation) {
        body.insert("response_format".to_owned(), format);
    }
    match delivery {
        Delivery::Streamed => {
            body.insert("stream".to_owned(), json!(true));
            let options = json!({ "include_usage": true });
            body.insert("stream_options".to_owned(), options);
        }
        Delivery::Whole => {
            body.insert("stream".to_owned(), json!(false));
        }
    }
    let body = Value::Object(body).to_string();
    limits::check_request(body.len())?;
    Ok(body.into())
}

fn response_format(generation: &Map<String, Value>) -> Option<Value> {
    let schema = generation.get("responseJsonSchema");
    let schema = schema.or_else(|| generation.get("responseSchema"));
    if let Some(schema) = schema {
        let named = json!({ "name": "answer", "schema": schema });
        return Some(json!({ "type": "json_schema", "json_schema": named }));
    }
    let is_json = generation.get("responseMimeType")?.as_str()? == "application/json";
    is_json.then(|| json!({ "type": "json_object" }))
}
