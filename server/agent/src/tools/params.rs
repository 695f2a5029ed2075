use serde_json::{Map, Value};

use super::error::ToolError;

/// The arguments of a call, taken out one by one with their types checked.
pub(super) struct Params<'call>(&'call Map<String, Value>);

/// What an optional flag says when it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    On,
    Off,
}

impl<'call> Params<'call> {
    pub(super) fn new(args: &'call Map<String, Value>) -> Self {
        Self(args)
    }

    pub(super) fn string(&self, name: &'static str) -> Result<&'call str, ToolError> {
        let value = self.0.get(name).and_then(Value::as_str);
        value.ok_or(ToolError::InvalidParams {
            name,
            must_be: "must be there and must be a string",
        })
    }

    /// A line number, counted from 1.
    pub(super) fn line(&self, name: &'static str) -> Result<Option<usize>, ToolError> {
        let Some(value) = self.0.get(name) else {
            return Ok(None);
        };
        let line = value.as_u64().and_then(|line| usize::try_from(line).ok());
        match line {
            Some(line) if line > 0 => Ok(Some(line)),
            _ => Err(ToolError::InvalidParams {
                name,
                must_be: "must be a whole number from 1 on",
            }),
        }
    }

    /// A flag that is off unless it is set.
    pub(super) fn flag(&self, name: &'static str) -> Result<Flag, ToolError> {
        match self.0.get(name) {
            None | Some(Value::Bool(false)) => Ok(Flag::Off),
            Some(Value::Bool(true)) => Ok(Flag::On),
            Some(_) => Err(ToolError::InvalidParams {
                name,
                must_be: "must be true or false",
            }),
        }
    }
}
