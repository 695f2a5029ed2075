//! Parts of the model's types as the JSON of a record, and back.

use pollux_model::{CallId, FunctionCall, FunctionResponse, InlineData, Part, SignedText, Thought};
use serde_json::{Map, Value, json};

use crate::record::RecordedContent;
use crate::text::content_text;

/// A part as records hold it.
pub fn part_to_json(part: &Part) -> Value {
    to_json(part)
}

/// What a record holds as a part, if it is one.
pub fn part_from_json(value: &Value) -> Option<Part> {
    from_json(value)
}

pub(crate) fn to_json(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"text": text}),
        Part::SignedText(signed) => {
            json!({"text": signed.text, "thoughtSignature": signed.signature})
        }
        Part::Thought(thought) => json!({"text": thought_text(thought), "thought": true}),
        Part::FunctionCall(call) => {
            let mut part = json!({
                "functionCall": {"id": call.id.as_str(), "name": call.name, "args": call.args}
            });
            if let (Some(signature), Value::Object(part)) = (&call.signature, &mut part) {
                part.insert(
                    "thoughtSignature".to_owned(),
                    Value::from(signature.as_str()),
                );
            }
            part
        }
        Part::FunctionResponse(answer) => json!({
            "functionResponse": {
                "id": answer.id.as_str(), "name": answer.name, "response": answer.response
            }
        }),
        Part::InlineData(data) => json!({
            "inlineData": {"mimeType": data.mime_type, "data": data.data}
        }),
    }
}

/// A part the model's types lack becomes its name in brackets, so that the model knows of it. A call or a
/// response without an id gets an empty one. `None` if there is nothing to say.
pub(crate) fn from_json(value: &Value) -> Option<Part> {
    let Value::Object(object) = value else {
        return value.as_str().map(|text| Part::Text(text.to_owned()));
    };
    if let Some(Value::Object(call)) = object.get("functionCall") {
        return Some(Part::FunctionCall(FunctionCall {
            id: CallId::new(text_of(call, "id")),
            name: text_of(call, "name"),
            args: object_of(call, "args"),
            signature: object
                .get("thoughtSignature")
                .and_then(Value::as_str)
                .map(str::to_owned),
        }));
    }
    if let Some(Value::Object(answer)) = object.get("functionResponse") {
        return Some(Part::FunctionResponse(FunctionResponse {
            id: CallId::new(text_of(answer, "id")),
            name: text_of(answer, "name"),
            response: object_of(answer, "response"),
        }));
    }
    if let Some(Value::Object(data)) = object.get("inlineData") {
        return Some(Part::InlineData(InlineData {
            mime_type: text_of(data, "mimeType"),
            data: text_of(data, "data"),
        }));
    }
    if object.get("thought").and_then(Value::as_bool) == Some(true) {
        return Some(Part::Thought(parse_thought(&text_of(object, "text"))));
    }
    if let (Some(Value::String(text)), Some(Value::String(signature))) =
        (object.get("text"), object.get("thoughtSignature"))
    {
        return Some(Part::SignedText(SignedText {
            text: text.clone(),
            signature: signature.clone(),
        }));
    }
    let text = content_text(&RecordedContent::from(value.clone()));
    (!text.is_empty()).then_some(Part::Text(text))
}

/// The same, and behind an answer what it shows: where the model takes it so, the twin keeps that within the answer.
pub(crate) fn all_from_json(value: &Value) -> Vec<Part> {
    let mut parts: Vec<Part> = from_json(value).into_iter().collect();
    let within = value.pointer("/functionResponse/parts");
    let within = within.and_then(Value::as_array).into_iter().flatten();
    let shown = within.filter_map(from_json);
    parts.extend(shown.filter(|part| matches!(part, Part::InlineData(_))));
    parts
}

pub(crate) fn thought_text(thought: &Thought) -> String {
    match (thought.subject.as_str(), thought.description.as_str()) {
        ("", description) => description.to_owned(),
        (subject, "") => format!("**{subject}**"),
        (subject, description) => format!("**{subject}** {description}"),
    }
}

/// The first `**bold**` is the subject, and the rest is the description.
fn parse_thought(text: &str) -> Thought {
    let parsed = text.split_once("**").and_then(|(before, rest)| {
        let (subject, after) = rest.split_once("**")?;
        let description = format!("{before}{}", after.strip_prefix(' ').unwrap_or(after));
        Some(Thought {
            subject: subject.to_owned(),
            description,
        })
    });
    parsed.unwrap_or_else(|| Thought {
        subject: String::new(),
        description: text.to_owned(),
    })
}

fn text_of(object: &Map<String, Value>, key: &str) -> String {
    let text = object.get(key).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn object_of(object: &Map<String, Value>, key: &str) -> Map<String, Value> {
    let value = object.get(key).and_then(Value::as_object);
    value.cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests;
