use serde_json::{Map, Value};

/// Braces that are tried as the beginning of the object. A text with more of them before it is no answer.
const MAX_STARTS: usize = 64;

/// The object in an answer: models put words before it, fences around it and remarks behind it.
pub(super) fn object_in(text: &str) -> Option<Map<String, Value>> {
    let starts = text.match_indices('{').map(|(place, _)| place);
    starts.take(MAX_STARTS).find_map(|start| {
        let rest = text.get(start..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(object))) => Some(object),
            _ => None,
        }
    })
}
