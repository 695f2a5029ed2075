use serde_json::{Map, Value};

use super::ToolError;

/// The arguments of a call, taken out one by one. The schema has been checked, so what is missing here is a tool
/// whose schema and code disagree; the model is told all the same.
pub(crate) struct Params<'call>(&'call Map<String, Value>);

/// What an optional flag says when it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    On,
    Off,
}

impl<'call> Params<'call> {
    pub(crate) fn new(args: &'call Map<String, Value>) -> Self {
        Self(args)
    }

    pub(crate) fn string(&self, name: &str) -> Result<&'call str, ToolError> {
        let value = self.0.get(name).and_then(Value::as_str);
        value.ok_or_else(|| ToolError::invalid(format!("`{name}` must be there and be a string")))
    }

    pub(crate) fn optional_string(&self, name: &str) -> Option<&'call str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A list of strings, where there is one.
    pub(crate) fn strings(&self, name: &str) -> Option<Vec<String>> {
        let values = self.0.get(name)?.as_array()?;
        let strings = values.iter().filter_map(Value::as_str);
        Some(strings.map(str::to_owned).collect())
    }

    /// A whole number that is not negative. For the schema, and for some models, `2.0` is one too.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        let value = self.0.get(name)?;
        match value.as_u64() {
            Some(number) => usize::try_from(number).ok(),
            // Digits and nothing else: neither a fraction nor a sign, and not too long.
            None => format!("{:.0}", value.as_f64()?).parse().ok(),
        }
    }

    /// Parameters within a parameter.
    pub(crate) fn object(&self, name: &str) -> Option<Params<'call>> {
        self.0.get(name).and_then(Value::as_object).map(Params)
    }

    /// A flag, where it is set.
    pub(crate) fn set_flag(&self, name: &str) -> Option<Flag> {
        match self.0.get(name)?.as_bool()? {
            true => Some(Flag::On),
            false => Some(Flag::Off),
        }
    }

    /// A flag that has a value unless it is set.
    pub(crate) fn flag(&self, name: &str, unset: Flag) -> Flag {
        self.set_flag(name).unwrap_or(unset)
    }
}
