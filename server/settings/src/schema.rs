//! What each setting is: its type, its default, and how layers combine it.
//!
//! `table` is the only place that names settings and their types. Everything else asks by path, so a new
//! setting of the twin is one new row.

mod former;
mod table;

use serde_json::{Map, Value};

pub(crate) use former::former_name;

pub(crate) struct Row {
    /// Keys joined by dots; `*` stands for any one key.
    path: &'static str,
    pub(crate) kind: Kind,
    preset: Preset,
    pub(crate) merge: Merge,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Flag,
    Number,
    Text,
    Choice(&'static [&'static str]),
    TextList,
    List,
    Object,
    /// An object in which only these keys mean anything.
    StrictObject(&'static [&'static str]),
    OneOf(&'static [Kind]),
}

#[derive(Debug, Clone, Copy)]
enum Preset {
    Nothing,
    Flag(bool),
    Integer(i64),
    Decimal(f64),
    Text(&'static str),
    Texts(&'static [&'static str]),
    EmptyObject,
}

/// How a higher layer meets a lower one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merge {
    /// Objects key by key, everything else replaced.
    Deep,
    /// The entries of an object are replaced whole.
    Shallow,
    Concat,
    /// `Concat` without repetitions.
    Union,
}

/// What the table knows about a path.
pub(crate) enum Entry {
    Row(&'static Row),
    /// Only longer paths are known, so the value has to be an object.
    Section,
    Unknown,
}

pub(crate) fn entry<S: AsRef<str>>(path: &[S]) -> Entry {
    let mut found = Entry::Unknown;
    let first = path.first().map(S::as_ref).unwrap_or_default();
    // Most rows are about something else, and no name at the beginning stands for others.
    for row in table::ROWS.iter().filter(|row| row.path.starts_with(first)) {
        let mut names = row.path.split('.');
        let matches = path
            .iter()
            .all(|key| names.next().is_some_and(|name| covers(name, key.as_ref())));
        if !matches {
            continue;
        }
        match names.next() {
            None => return Entry::Row(row),
            Some(_) => found = Entry::Section,
        }
    }
    found
}

pub(crate) fn merge_of<S: AsRef<str>>(path: &[S]) -> Merge {
    match entry(path) {
        Entry::Row(row) => row.merge,
        Entry::Section | Entry::Unknown => Merge::Deep,
    }
}

/// The lowest layer.
pub(crate) fn defaults() -> Map<String, Value> {
    let mut defaults = Map::new();
    for row in table::ROWS {
        if let Some(value) = row.preset.value() {
            insert(&mut defaults, row.path, value);
        }
    }
    defaults
}

/// Puts `value` at a dotted path, making the objects on the way. An obstacle on the way is kept.
pub(crate) fn insert(map: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            map.insert(path.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner = map
                .entry(first)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}

fn covers(name: &str, key: &str) -> bool {
    name == "*" || name == key
}

impl Preset {
    fn value(self) -> Option<Value> {
        Some(match self {
            Self::Nothing => return None,
            Self::Flag(flag) => Value::from(flag),
            Self::Integer(number) => Value::from(number),
            Self::Decimal(number) => Value::from(number),
            Self::Text(text) => Value::from(text),
            Self::Texts(texts) => Value::from(texts),
            Self::EmptyObject => Value::Object(Map::new()),
        })
    }
}

#[cfg(test)]
mod tests;
