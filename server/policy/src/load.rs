//! Rule files: text in; rules, checkers and complaints out.

mod checker;
mod fields;
mod rule;
mod tool_names;
pub use tool_names::unknown_tool;

use toml_edit::{Document, Item, TableLike};

use crate::checker::CheckerRule;
use crate::{ApprovalMode, Decision, Problem, ProblemKind, Rule, Tier};
pub(crate) use fields::{Fields, Lines, SchemaError};

#[cfg(test)]
mod tests;

/// A file of rules as somebody has read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFile {
    /// What a person is told about where a rule stands: a path, or `Extension (name): file`.
    pub source: String,
    pub text: String,
    pub tier: Tier,
}

/// What a rule file came to.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    pub rules: Vec<Rule>,
    pub checkers: Vec<CheckerRule>,
    pub problems: Vec<Problem>,
}

/// Reads a rule file. What it cannot use it says; it never fails.
pub fn load(file: &RuleFile) -> Loaded {
    let lines = Lines::of(&file.text);
    let document = match Document::parse(file.text.as_str()) {
        Ok(document) => document,
        Err(error) => {
            return Loaded {
                problems: vec![Problem {
                    source: file.source.clone(),
                    line: error.span().map(|span| lines.number(span.start)),
                    kind: ProblemKind::TomlParse,
                    message: format!("not TOML, so the file is ignored: {}", error.message()),
                }],
                ..Loaded::default()
            };
        }
    };
    let mut reading = Reading {
        file,
        lines: &lines,
        loaded: Loaded::default(),
        schema_errors: Vec::new(),
    };
    reading.each(&document, "rule", Reading::rule);
    reading.each(&document, "safety_checker", Reading::checker);
    reading.finish()
}

/// The file being read.
pub(super) struct Reading<'a> {
    file: &'a RuleFile,
    lines: &'a Lines,
    loaded: Loaded,
    schema_errors: Vec<SchemaError>,
}

impl<'a> Reading<'a> {
    fn each(
        &mut self,
        document: &Document<&str>,
        key: &str,
        read: fn(&mut Self, Fields<'_>) -> Result<(), SchemaError>,
    ) {
        let Some(item) = document.get(key) else {
            return;
        };
        let Some(tables) = tables(item) else {
            let line = item.span().map(|span| self.lines.number(span.start));
            self.schema_errors.push(SchemaError {
                line,
                message: format!("`{key}` must be a list of tables, written `[[{key}]]`"),
            });
            return;
        };
        for (table, start) in tables {
            let fields = Fields::new(table, self.lines, start);
            if let Err(error) = read(self, fields) {
                self.schema_errors.push(error);
            }
        }
    }

    fn finish(self) -> Loaded {
        if self.schema_errors.is_empty() {
            return self.loaded;
        }
        let problems = self.schema_errors.into_iter().map(|error| Problem {
            source: self.file.source.clone(),
            line: error.line,
            kind: ProblemKind::SchemaValidation,
            message: format!("{}; the whole file is ignored", error.message),
        });
        Loaded {
            problems: problems.collect(),
            ..Loaded::default()
        }
    }

    fn problem(&mut self, line: Option<usize>, kind: ProblemKind, message: String) {
        self.loaded.problems.push(Problem {
            source: self.file.source.clone(),
            line,
            kind,
            message,
        });
    }

    /// What an extension may not do: allow anything, or speak about the mode without questions.
    fn refused_to_extension(
        &self,
        decision: Option<Decision>,
        modes: Option<&[ApprovalMode]>,
    ) -> Option<&'static str> {
        if self.file.tier != Tier::Extension {
            return None;
        }
        if decision == Some(Decision::Allow) {
            return Some("an extension may not allow anything, so the rule is left out");
        }
        let about_yolo = modes.is_some_and(|modes| modes.contains(&ApprovalMode::Yolo));
        about_yolo.then_some("an extension may not speak about the yolo mode, so this is left out")
    }
}

pub(crate) type Start = Option<usize>;

/// The tables of a list, written `[[key]]` or `key = [{…}]`, each with where it begins.
pub(crate) fn tables(item: &Item) -> Option<Vec<(&dyn TableLike, Start)>> {
    let start = |span: Option<std::ops::Range<usize>>| span.map(|span| span.start);
    if let Some(tables) = item.as_array_of_tables() {
        let each = tables
            .iter()
            .map(|table| (table as &dyn TableLike, start(table.span())));
        return Some(each.collect());
    }
    item.as_array()?
        .iter()
        .map(|value| {
            let table = value.as_inline_table()?;
            Some((table as &dyn TableLike, start(value.span())))
        })
        .collect()
}
