//! Function calls, which arrive in pieces.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::limits::{ANSWER_BYTES, ARGUMENTS_BYTES, CALLS, check_call, too_long};
use crate::wire::CallIds;
use crate::{FunctionCall, ModelError, ReplyFlaw, json};

#[derive(Deserialize)]
pub(super) struct CallDelta {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionDelta>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    name: Option<String>,
    /// A piece of text; a few servers send the whole object.
    arguments: Option<Value>,
}

/// The calls so far, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls {
    begun: Vec<Begun>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Begun {
    index: Option<u64>,
    id: Option<String>,
    name: Option<String>,
    arguments: String,
}

/// The arguments of a call are not an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotJson;

impl Calls {
    pub(super) fn add(&mut self, delta: CallDelta) -> Result<(), ModelError> {
        let id = delta.id.filter(|id| !id.is_empty());
        let (name, arguments) = match delta.function {
            Some(function) => (function.name, function.arguments),
            None => (None, None),
        };
        let name = name.filter(|name| !name.is_empty());
        let arguments = match arguments {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(other) => other.to_string(),
        };
        check_call(id.as_deref(), name.as_deref())?;
        let named = [&id, &name].into_iter().flatten().map(String::len);
        self.bytes += arguments.len() + named.sum::<usize>();
        if self.bytes > ANSWER_BYTES {
            return Err(too_long("the answer", ANSWER_BYTES));
        }
        if self.begun.len() > CALLS {
            let message = format!("the answer has more than {CALLS} calls");
            return Err(ModelError::bad_reply(ReplyFlaw::TooLong, message));
        }
        if let Some(call) = self.place(delta.index, id.as_deref(), name.as_deref()) {
            call.id = call.id.take().or(id);
            call.name = call.name.take().or(name);
            call.arguments.push_str(&arguments);
            if call.arguments.len() > ARGUMENTS_BYTES {
                let name = call.name.as_deref().unwrap_or_default();
                let what = format!("an argument list of `{name}`");
                return Err(too_long(&what, ARGUMENTS_BYTES));
            }
        }
        Ok(())
    }

    /// The call that a delta belongs to. Some servers give every call the index 0, some give none at all: a new id
    /// begins a new call whatever the index says, and without an index so does a name.
    fn place(
        &mut self,
        index: Option<u64>,
        id: Option<&str>,
        name: Option<&str>,
    ) -> Option<&mut Begun> {
        let is_same = |call: &Begun| match (id, call.id.as_deref()) {
            (Some(new), Some(old)) => new == old && call.index == index,
            _ => index.is_some() && call.index == index,
        };
        let found = match (index, id, name) {
            (None, None, None) => self.begun.len().checked_sub(1),
            _ => self.begun.iter().rposition(is_same),
        };
        if found.is_none() {
            self.begun.push(Begun {
                index,
                ..Begun::default()
            });
        }
        match found {
            Some(place) => self.begun.get_mut(place),
            None => self.begun.last_mut(),
        }
    }

    pub(super) fn finish(self, ids: &CallIds) -> Result<Vec<FunctionCall>, NotJson> {
        let whole = |call: Begun| {
            let args = parse_arguments(&call.arguments)?;
            Ok(ids.complete(call.id, call.name, args, None))
        };
        self.begun.into_iter().map(whole).collect()
    }
}

/// A call without arguments may come with none at all.
fn parse_arguments(text: &str) -> Result<Map<String, Value>, NotJson> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match json::parse_json(text) {
        Ok(Value::Object(args)) => Ok(args),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) | Err(_) => Err(NotJson),
    }
}
