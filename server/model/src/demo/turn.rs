//! What has happened since the person's last prompt, read from the request.

use serde_json::{Map, Value};

use super::editor;
use crate::{CallId, Content, FunctionCall, FunctionResponse, Part, Request, Role};

/// The function calls of the running turn that were answered, with their answers.
pub(super) struct Turn<'request> {
    /// What the person said, without what was put around it.
    pub(super) prompt: &'request str,
    /// Everything up to there.
    pub(super) so_far: &'request [Content],
    answered: Vec<(&'request FunctionCall, &'request FunctionResponse)>,
    calls_so_far: usize,
}

impl<'request> Turn<'request> {
    /// `None` when the request holds no prompt.
    pub(super) fn of(request: &'request Request) -> Option<Self> {
        let is_prompt = |content: &Content| {
            content.role == Role::User && content.parts.iter().any(|part| as_text(part).is_some())
        };
        let place = request.contents.iter().rposition(is_prompt)?;
        let so_far = request.contents.get(..=place)?;
        let turn = request.contents.get(place..)?;
        // The facts of the session and of the editor come in the same message, and files that it names behind it.
        let mut texts = turn.first()?.parts.iter().filter_map(as_text);
        let prompt = texts.find(|text| !editor::is_context(text));
        let parts = || turn.iter().flat_map(|content| &content.parts);
        let calls: Vec<_> = parts().filter_map(as_call).collect();
        let answered = parts()
            .filter_map(as_response)
            .filter_map(|response| {
                let call = calls.iter().find(|call| call.id == response.id)?;
                Some((*call, response))
            })
            .collect();
        let all_parts = request.contents.iter().flat_map(|c| &c.parts);
        Some(Self {
            prompt: prompt.unwrap_or_default(),
            so_far,
            answered,
            calls_so_far: all_parts.filter_map(as_call).count(),
        })
    }

    /// The answered calls of one tool, in order.
    pub(super) fn answered(
        &self,
        tool: &str,
    ) -> impl Iterator<Item = (&'request FunctionCall, Answer<'request>)> {
        self.answered
            .iter()
            .filter(move |(call, _)| call.name == tool)
            .map(|(call, response)| (*call, Answer(&response.response)))
    }

    /// A new call. Its id differs from every id in the request, and from the one before it in this answer.
    pub(super) fn call(&mut self, name: &str, args: Value) -> FunctionCall {
        self.calls_so_far += 1;
        let args = match args {
            Value::Object(args) => args,
            _ => Map::new(),
        };
        FunctionCall {
            id: CallId::new(format!("demo-{}", self.calls_so_far)),
            name: name.to_owned(),
            args,
            signature: None,
        }
    }
}

/// The response to one call.
#[derive(Clone, Copy)]
pub(super) struct Answer<'request>(&'request Map<String, Value>);

impl<'request> Answer<'request> {
    /// The output, or the tool's error.
    pub(super) fn output(self) -> Result<&'request str, &'request str> {
        match (self.text("output"), self.text("error")) {
            (_, Some(error)) => Err(error),
            (Some(output), None) => Ok(output),
            (None, None) => Err("the tool returned nothing"),
        }
    }

    /// How many entries a list in the response has; nothing when there is no such list.
    pub(super) fn count(self, key: &str) -> Option<usize> {
        self.0.get(key).and_then(Value::as_array).map(Vec::len)
    }

    fn text(self, key: &str) -> Option<&'request str> {
        self.0.get(key).and_then(Value::as_str)
    }
}

/// A text argument of a call.
pub(super) fn argument<'request>(call: &'request FunctionCall, name: &str) -> &'request str {
    call.args
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The words in a part.
pub(super) fn as_text(part: &Part) -> Option<&str> {
    match part {
        Part::Text(text) => Some(text),
        Part::SignedText(_)
        | Part::Thought(_)
        | Part::FunctionCall(_)
        | Part::FunctionResponse(_)
        | Part::InlineData(_) => None,
    }
}

fn as_call(part: &Part) -> Option<&FunctionCall> {
    match part {
        Part::FunctionCall(call) => Some(call),
        Part::Text(_)
        | Part::SignedText(_)
        | Part::Thought(_)
        | Part::FunctionResponse(_)
        | Part::InlineData(_) => None,
    }
}

fn as_response(part: &Part) -> Option<&FunctionResponse> {
    match part {
        Part::FunctionResponse(response) => Some(response),
        Part::Text(_)
        | Part::SignedText(_)
        | Part::Thought(_)
        | Part::FunctionCall(_)
        | Part::InlineData(_) => None,
    }
}
