//! A history that was compressed or masked, as the messages that replace the recorded ones.

use std::time::SystemTime;

use pollux_model::{CallId, Content, FunctionResponse, Part, Role};
use serde_json::Value;

use crate::id::{IdSource, MessageId};
use crate::part;
use crate::record::{CallStatus, Message, MessageKind, RecordedContent, ToolCall};
use crate::time::iso;

/// Messages whose content is exactly the history's. Calls are also listed with their results, which is
/// where the twin looks when it shows them.
pub fn messages_of(history: &[Content], now: SystemTime, ids: &mut dyn IdSource) -> Vec<Message> {
    history
        .iter()
        .map(|content| {
            let parts = content.parts.iter().map(part::to_json).collect();
            let kind = match content.role {
                Role::User => MessageKind::User,
                Role::Model => MessageKind::Gemini,
            };
            let id = MessageId::generate(ids);
            let mut message = Message::new(id, kind, RecordedContent::parts(parts), now);
            let calls = tool_calls(content, history, now);
            message.tool_calls = (!calls.is_empty()).then_some(calls);
            message
        })
        .collect()
}

fn tool_calls(content: &Content, history: &[Content], now: SystemTime) -> Vec<ToolCall> {
    content
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::FunctionCall(call) => Some(call),
            Part::Text(_)
            | Part::SignedText(_)
            | Part::Thought(_)
            | Part::FunctionResponse(_)
            | Part::InlineData(_) => None,
        })
        .map(|call| {
            let answer = answer_to(&call.id, history);
            let status = match answer {
                None => CallStatus::Cancelled,
                Some(answer) if answer.response.contains_key("error") => CallStatus::Error,
                Some(_) => CallStatus::Success,
            };
            let result = answer.map(|answer| {
                Value::Array(vec![part::to_json(&Part::FunctionResponse(answer.clone()))])
            });
            ToolCall {
                result,
                status: Some(status),
                timestamp: Some(iso(now)),
                ..ToolCall::from(call)
            }
        })
        .collect()
}

fn answer_to<'a>(id: &CallId, history: &'a [Content]) -> Option<&'a FunctionResponse> {
    history
        .iter()
        .flat_map(|content| &content.parts)
        .find_map(|part| match part {
            Part::FunctionResponse(answer) if answer.id == *id => Some(answer),
            Part::FunctionResponse(_)
            | Part::Text(_)
            | Part::SignedText(_)
            | Part::Thought(_)
            | Part::FunctionCall(_)
            | Part::InlineData(_) => None,
        })
}
