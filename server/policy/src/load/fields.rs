//! Values of one table, checked for their types.

use std::ops::Range;

use toml_edit::{Item, TableLike, Value};

use crate::{ApprovalMode, Decision, Presence, Rank};

/// A reason to ignore the whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaError {
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

/// Where lines begin.
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(place, _)| place + 1);
        Self {
            starts: std::iter::once(0).chain(after_breaks).collect(),
        }
    }

    /// Counted from 1.
    pub(crate) fn number(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).max(1)
    }
}

pub(crate) struct Fields<'a> {
    table: &'a dyn TableLike,
    lines: &'a Lines,
    start: Option<usize>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(table: &'a dyn TableLike, lines: &'a Lines, start: Option<usize>) -> Self {
        Self {
            table,
            lines,
            start,
        }
    }

    /// Where the table begins.
    pub(crate) fn line(&self) -> Option<usize> {
        self.start.map(|start| self.lines.number(start))
    }

    pub(crate) fn line_of(&self, key: &str) -> Option<usize> {
        self.line_at(self.table.get(key).and_then(Item::span))
    }

    pub(crate) fn missing(&self, key: &str) -> SchemaError {
        SchemaError {
            line: self.line(),
            message: format!("`{key}` is missing"),
        }
    }

    pub(crate) fn wrong(&self, key: &str, wanted: &str) -> SchemaError {
        SchemaError {
            line: self.line_of(key),
            message: format!("`{key}` must be {wanted}"),
        }
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, SchemaError> {
        self.read(key, "text in quotes", |item| {
            item.as_str().map(str::to_owned)
        })
    }

    /// One text or a list of them.
    pub(crate) fn texts(&self, key: &str) -> Result<Option<Vec<String>>, SchemaError> {
        self.read(key, "text in quotes or a list of that", |item| {
            match item.as_str() {
                Some(text) => Some(vec![text.to_owned()]),
                None => list(item),
            }
        })
    }

    pub(crate) fn list(&self, key: &str) -> Result<Option<Vec<String>>, SchemaError> {
        self.read(key, "a list of texts in quotes", list)
    }

    pub(crate) fn truth(&self, key: &str) -> Result<Option<bool>, SchemaError> {
        self.read(key, "true or false", Item::as_bool)
    }

    pub(crate) fn priority(&self) -> Result<Option<u32>, SchemaError> {
        self.read("priority", "a whole number from 0 to 999", |item| {
            let number = u32::try_from(item.as_integer()?).ok()?;
            (number <= Rank::MAX_PRIORITY).then_some(number)
        })
    }

    pub(crate) fn decision(&self) -> Result<Decision, SchemaError> {
        self.read("decision", "\"allow\", \"deny\" or \"ask_user\"", |item| {
            Decision::parse(item.as_str()?)
        })?
        .ok_or_else(|| self.missing("decision"))
    }

    /// None for all modes, which is also what an empty list means.
    pub(crate) fn modes(&self) -> Result<Option<Vec<ApprovalMode>>, SchemaError> {
        let wanted = "a list of \"default\", \"autoEdit\", \"yolo\" and \"plan\"";
        let modes = self.read("modes", wanted, |item| {
            list(item)?
                .iter()
                .map(|mode| ApprovalMode::parse(mode))
                .collect::<Option<Vec<_>>>()
        })?;
        Ok(modes.filter(|modes| !modes.is_empty()))
    }

    pub(crate) fn presence(&self) -> Result<Option<Presence>, SchemaError> {
        let interactive = self.truth("interactive")?;
        Ok(interactive.map(|interactive| match interactive {
            true => Presence::Interactive,
            false => Presence::Headless,
        }))
    }

    /// A table of plain values; empty where it is not given.
    pub(crate) fn object(
        &self,
        key: &str,
    ) -> Result<serde_json::Map<String, serde_json::Value>, SchemaError> {
        let Some(fields) = self.table(key)? else {
            return Ok(serde_json::Map::new());
        };
        object(fields.table).ok_or_else(|| self.wrong(key, "a table of plain values"))
    }

    pub(crate) fn table(&self, key: &str) -> Result<Option<Fields<'a>>, SchemaError> {
        let Some(item) = self.present(key) else {
            return Ok(None);
        };
        let table = item
            .as_table_like()
            .ok_or_else(|| self.wrong(key, "a table"))?;
        let start = item.span().map(|span| span.start).or(self.start);
        Ok(Some(Fields::new(table, self.lines, start)))
    }

    fn read<T>(
        &self,
        key: &str,
        wanted: &str,
        convert: impl FnOnce(&Item) -> Option<T>,
    ) -> Result<Option<T>, SchemaError> {
        match self.present(key) {
            None => Ok(None),
            Some(item) => match convert(item) {
                Some(value) => Ok(Some(value)),
                None => Err(self.wrong(key, wanted)),
            },
        }
    }

    fn present(&self, key: &str) -> Option<&'a Item> {
        self.table.get(key).filter(|item| !item.is_none())
    }

    fn line_at(&self, span: Option<Range<usize>>) -> Option<usize> {
        span.map(|span| self.lines.number(span.start))
            .or_else(|| self.line())
    }
}

fn list(item: &Item) -> Option<Vec<String>> {
    item.as_array()?
        .iter()
        .map(|value| value.as_str().map(str::to_owned))
        .collect()
}

fn object(table: &dyn TableLike) -> Option<serde_json::Map<String, serde_json::Value>> {
    table
        .iter()
        .map(|(key, item)| Some((key.to_owned(), json(item)?)))
        .collect()
}

fn json(item: &Item) -> Option<serde_json::Value> {
    match item {
        Item::None => Some(serde_json::Value::Null),
        Item::Value(value) => json_value(value),
        Item::Table(table) => object(table).map(Into::into),
        Item::ArrayOfTables(tables) => tables
            .iter()
            .map(|table| object(table).map(serde_json::Value::from))
            .collect(),
    }
}

fn json_value(value: &Value) -> Option<serde_json::Value> {
    match value {
        Value::String(text) => Some(text.value().as_str().into()),
        Value::Integer(number) => Some((*number.value()).into()),
        Value::Float(number) => Some((*number.value()).into()),
        Value::Boolean(truth) => Some((*truth.value()).into()),
        Value::Array(values) => values.iter().map(json_value).collect(),
        Value::InlineTable(table) => object(table).map(Into::into),
        Value::Datetime(_) => None,
    }
}
