//! Taking known fields out of an object, and leaving the rest where it is.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Takes the field if it has the expected shape. Otherwise it stays, to be written back as it was.
pub(super) fn take<T: DeserializeOwned>(object: &mut Map<String, Value>, key: &str) -> Option<T> {
    let value = T::deserialize(object.get(key)?).ok()?;
    object.shift_remove(key);
    Some(value)
}

/// Takes the field whatever it is, without copying it.
pub(super) fn take_value(object: &mut Map<String, Value>, key: &str) -> Option<Value> {
    object.shift_remove(key)
}

pub(super) fn put<T: Serialize>(object: &mut Map<String, Value>, key: &str, value: Option<T>) {
    // The types of this crate have no shape that JSON lacks, so nothing is dropped here.
    if let Some(value) = value.and_then(|value| serde_json::to_value(value).ok()) {
        object.insert(key.to_owned(), value);
    }
}

/// What was unknown comes last, and does not replace what is known.
pub(super) fn put_rest(object: &mut Map<String, Value>, rest: Map<String, Value>) {
    for (key, value) in rest {
        object.entry(key).or_insert(value);
    }
}
