//! The conversation as chat messages.

use serde_json::{Map, Value, json};

use crate::{Content, FunctionCall, FunctionResponse, InlineData, ModelError, Part, Request, Role};

pub(super) fn write(request: &Request) -> Result<Vec<Value>, ModelError> {
    let mut messages = Vec::new();
    for content in &request.contents {
        match content.role {
            Role::User => add_user(content, &mut messages),
            Role::Model => messages.extend(assistant(content)),
        }
    }
    if messages.is_empty() {
        return Err(ModelError::NoPrompt);
    }
    let instruction = request.system_instruction.as_deref();
    if let Some(text) = instruction.filter(|text| !text.is_empty()) {
        messages.insert(0, json!({ "role": "system", "content": text }));
    }
    Ok(messages)
}

/// Results of tools come first: they must follow the calls directly.
fn add_user(content: &Content, messages: &mut Vec<Value>) {
    let mut said = Vec::new();
    for part in &content.parts {
        match part {
            Part::FunctionResponse(response) => messages.push(tool_result(response)),
            Part::Text(text) => said.push(json!({ "type": "text", "text": text })),
            Part::SignedText(signed) => said.push(json!({ "type": "text", "text": signed.text })),
            Part::InlineData(data) => said.push(attachment(data)),
            // A person neither calls functions nor has thoughts to show.
            Part::FunctionCall(_) | Part::Thought(_) => {}
        }
    }
    let texts: Option<Vec<&str>> = said.iter().map(text_of).collect();
    let content = match texts {
        Some(texts) if texts.is_empty() => return,
        // Not every server takes a list of parts.
        Some(texts) => json!(texts.join("\n")),
        None => Value::Array(said),
    };
    messages.push(json!({ "role": "user", "content": content }));
}

fn text_of(part: &Value) -> Option<&str> {
    part.get("text")?.as_str()
}

fn attachment(data: &InlineData) -> Value {
    if data.mime_type.starts_with("image/") {
        let url = format!("data:{};base64,{}", data.mime_type, data.data);
        return json!({ "type": "image_url", "image_url": { "url": url } });
    }
    // The model must know that something is missing, or it will answer as if it had seen it.
    let note = format!(
        "[An attachment of type {} was left out: only images can be sent here.]",
        data.mime_type
    );
    json!({ "type": "text", "text": note })
}

fn tool_result(response: &FunctionResponse) -> Value {
    json!({
        "role": "tool",
        "tool_call_id": response.id.as_str(),
        "content": result_text(&response.response),
    })
}

/// A lone text is sent as it is; anything else as JSON.
fn result_text(response: &Map<String, Value>) -> String {
    let mut values = response.iter();
    match (values.next(), values.next()) {
        (Some((key, Value::String(text))), None) if key == "output" => text.clone(),
        _ => Value::Object(response.clone()).to_string(),
    }
}

/// Thoughts are not sent back: most servers do not take them.
fn assistant(content: &Content) -> Option<Value> {
    let mut text = String::new();
    let mut calls = Vec::new();
    for part in &content.parts {
        match part {
            Part::Text(more) => text.push_str(more),
            Part::SignedText(signed) => text.push_str(&signed.text),
            Part::FunctionCall(call) => calls.push(tool_call(call)),
            Part::Thought(_) | Part::FunctionResponse(_) | Part::InlineData(_) => {}
        }
    }
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if text.is_empty() {
        Value::Null
    } else {
        json!(text)
    };
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("content".to_owned(), content);
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Some(Value::Object(message))
}

fn tool_call(call: &FunctionCall) -> Value {
    let arguments = Value::Object(call.args.clone()).to_string();
    let function = json!({ "name": call.name, "arguments": arguments });
    json!({ "id": call.id.as_str(), "type": "function", "function": function })
}
