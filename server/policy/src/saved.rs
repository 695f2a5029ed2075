//! The file of saved approvals, `auto-saved.toml`: what is in it, and how one rule is put in or taken out.
//!
//! People edit this file. Everything in it that is not the rule in question stays as it is, comments included.

use serde::Serialize;
use toml_edit::{
    Array, ArrayOfTables, Document, DocumentMut, InlineTable, Item, Table, TableLike, Value,
};

use crate::load::{Lines, tables};
use crate::pattern::Pattern;
use crate::{
    ApprovalMode, Described, Draft, Narrowing, Rank, SERVER_FINGERPRINT, TOOL_FINGERPRINT,
};

#[cfg(test)]
mod tests;

/// The file cannot be changed without losing something. Whoever owns it keeps a copy and starts anew.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Corrupt {
    #[error("the file of saved approvals is not TOML: {0}")]
    NotToml(String),
    #[error("`rule` in the file of saved approvals is not a list of tables")]
    NoRules,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoveError {
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
    #[error("there is no saved rule number {0}")]
    NoSuchRule(usize),
}

/// A rule of the file, as far as it can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedRule {
    /// What [`remove`] takes.
    pub index: usize,
    pub line: Option<usize>,
    pub tool: Vec<String>,
    pub server: Option<String>,
    pub command_prefix: Vec<String>,
    pub args_pattern: Option<String>,
    pub decision: Option<String>,
    pub priority: Option<i64>,
    /// Empty for all modes.
    pub modes: Vec<String>,
    pub allow_redirection: bool,
    /// What the server said of the tools that the rule is about.
    pub described: Option<Described>,
}

/// All rules of the file, in its order.
pub fn list(text: &str) -> Result<Vec<SavedRule>, Corrupt> {
    let document = Document::parse(text).map_err(|error| not_toml(&error))?;
    let Some(item) = document.get("rule") else {
        return Ok(Vec::new());
    };
    let lines = Lines::of(text);
    let rules = tables(item).ok_or(Corrupt::NoRules)?;
    let rules = rules
        .into_iter()
        .enumerate()
        .map(|(index, (table, start))| {
            let mut rule = read(table);
            rule.index = index;
            rule.line = start.map(|start| lines.number(start));
            rule
        });
    Ok(rules.collect())
}

/// Why a rule that a person has written cannot be saved as an approval.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotARule {
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
    #[error("it has to be one `[[rule]]` and nothing else")]
    NotOne,
    #[error("`{0}` is nothing that an approval has")]
    Unknown(String),
    #[error("`{0}` has no value of the right kind")]
    Malformed(&'static str),
    #[error("its decision has to be \"allow\"")]
    NotAllowing,
    #[error("its priority has to be {0}")]
    Priority(i64),
    #[error("it is about `{found}`, and the question is about `{expected}`")]
    OtherTool { expected: String, found: String },
    #[error("a rule has a `commandPrefix` or an `argsPattern`, and not both")]
    Both,
    #[error("`argsPattern` is no pattern: {0}")]
    Pattern(String),
    #[error("`{0}` is no mode")]
    Mode(String),
    #[error("a rule for every call of `{0}` would allow more than anybody was asked about")]
    TooWide(String),
}

/// The approval in a text that a person has made of an offered one. `expected` is that offer: the tool cannot be
/// another.
pub fn parse_draft(text: &str, expected: &Draft) -> Result<Draft, NotARule> {
    let document = Document::parse(text).map_err(|error| not_toml(&error))?;
    let rules = document.get("rule").and_then(tables).unwrap_or_default();
    let ([(table, _)], 1) = (rules.as_slice(), document.iter().count()) else {
        return Err(NotARule::NotOne);
    };
    for (key, item) in table.iter() {
        let fits = match key {
            "decision" | "mcpName" | "argsPattern" => item.is_str(),
            "toolName" => item.is_str() || item.is_array(),
            "commandPrefix" | "modes" => item.is_str() || item.is_array(),
            "priority" => item.is_integer(),
            "allowRedirection" | "allow_redirection" => item.is_bool(),
            "toolAnnotations" => item.is_table_like(),
            unknown => return Err(NotARule::Unknown(unknown.to_owned())),
        };
        if !fits {
            let keys = [
                "decision",
                "mcpName",
                "argsPattern",
                "toolName",
                "commandPrefix",
                "modes",
                "toolAnnotations",
            ];
            let named = keys.into_iter().find(|known| *known == key);
            return Err(NotARule::Malformed(named.unwrap_or("priority")));
        }
    }
    draft_of(read(*table), expected)
}

fn draft_of(rule: SavedRule, expected: &Draft) -> Result<Draft, NotARule> {
    if rule.decision.as_deref() != Some("allow") {
        return Err(NotARule::NotAllowing);
    }
    let priority = i64::from(Rank::APPROVED);
    if rule.priority.is_some_and(|given| given != priority) {
        return Err(NotARule::Priority(priority));
    }
    if rule.tool != [expected.tool.as_str()] || rule.server != expected.server {
        return Err(NotARule::OtherTool {
            expected: expected.tool.clone(),
            found: rule.tool.join(", "),
        });
    }
    let prefixes: Vec<String> = rule.command_prefix;
    if prefixes.iter().any(|prefix| prefix.trim().is_empty()) {
        return Err(NotARule::Malformed("commandPrefix"));
    }
    let narrowing = match (prefixes.is_empty(), rule.args_pattern) {
        (true, None) => Narrowing::WholeTool,
        (false, None) => Narrowing::CommandPrefix(prefixes),
        (false, Some(_)) => return Err(NotARule::Both),
        (true, Some(pattern)) => {
            Pattern::args(&pattern).map_err(|error| NotARule::Pattern(error.to_string()))?;
            Narrowing::ArgsPattern(pattern)
        }
    };
    let mode = |name: &String| {
        let known = ApprovalMode::ALL.into_iter();
        let mut known = known.filter(|mode| mode.as_str() == name);
        known.next().ok_or_else(|| NotARule::Mode(name.clone()))
    };
    let modes: Vec<ApprovalMode> = rule.modes.iter().map(mode).collect::<Result<_, _>>()?;
    let draft = Draft {
        tool: expected.tool.clone(),
        server: expected.server.clone(),
        narrowing,
        modes: match modes.is_empty() {
            true => ApprovalMode::ALL.into(),
            false => modes,
        },
        allow_redirection: rule.allow_redirection,
        // It holds for what was asked about, whatever the person made of the text.
        described: expected.described.clone(),
    };
    match draft.is_too_wide() {
        true => Err(NotARule::TooWide(draft.tool)),
        false => Ok(draft),
    }
}

/// The text with the approval in it. A rule that already says the same is widened instead of repeated, and one
/// that says more is left alone.
pub fn merge(existing: &str, draft: &Draft) -> Result<String, Corrupt> {
    if draft.is_too_wide() {
        return Ok(existing.to_owned());
    }
    let rules = list(existing)?;
    if rules.iter().any(|rule| rule.covers(draft)) {
        return Ok(existing.to_owned());
    }
    let mut document = parse(existing)?;
    let same = rules.iter().find(|rule| rule.is_same(draft));
    let item = document
        .entry("rule")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    match same {
        Some(rule) => {
            let table = table_mut(item, rule.index).ok_or(Corrupt::NoRules)?;
            widen(table, rule, draft);
        }
        None => push(item, draft)?,
    }
    Ok(document.to_string())
}

/// The text without one rule.
pub fn remove(text: &str, index: usize) -> Result<String, RemoveError> {
    let count = list(text)?.len();
    if index >= count {
        return Err(RemoveError::NoSuchRule(index));
    }
    let mut document = parse(text)?;
    match document.get_mut("rule") {
        Some(Item::ArrayOfTables(tables)) => {
            tables.remove(index);
        }
        Some(Item::Value(Value::Array(values))) => {
            values.remove(index);
        }
        _ => return Err(Corrupt::NoRules.into()),
    }
    Ok(document.to_string())
}

impl SavedRule {
    /// Whether it is the rule that the draft would become.
    fn is_same(&self, draft: &Draft) -> bool {
        let (prefixes, pattern) = match &draft.narrowing {
            Narrowing::WholeTool => (&[] as &[String], None),
            Narrowing::CommandPrefix(prefixes) => (prefixes.as_slice(), None),
            Narrowing::ArgsPattern(pattern) => (&[] as &[String], Some(pattern)),
        };
        self.is_allowing(draft)
            && same_members(&self.command_prefix, prefixes)
            && self.args_pattern.as_ref() == pattern
    }

    /// Whether the draft would add nothing.
    fn covers(&self, draft: &Draft) -> bool {
        let narrowing = match &draft.narrowing {
            Narrowing::WholeTool => self.command_prefix.is_empty() && self.args_pattern.is_none(),
            Narrowing::CommandPrefix(prefixes) => prefixes
                .iter()
                .all(|prefix| self.command_prefix.contains(prefix)),
            Narrowing::ArgsPattern(pattern) => self.args_pattern.as_ref() == Some(pattern),
        };
        let modes = self.modes.is_empty()
            || draft
                .modes
                .iter()
                .all(|mode| self.modes.iter().any(|name| name == mode.as_str()));
        self.is_allowing(draft)
            && narrowing
            && modes
            && (self.allow_redirection || !draft.allow_redirection)
            && (self.described.is_none() || self.described == draft.described)
    }

    fn is_allowing(&self, draft: &Draft) -> bool {
        self.decision.as_deref() == Some("allow")
            && self.priority == Some(i64::from(Rank::APPROVED))
            && self.tool == [draft.tool.as_str()]
            && self.server == draft.server
    }
}

fn parse(text: &str) -> Result<DocumentMut, Corrupt> {
    text.parse().map_err(|error| not_toml(&error))
}

fn not_toml(error: &toml_edit::TomlError) -> Corrupt {
    Corrupt::NotToml(error.message().to_owned())
}

fn read(table: &dyn TableLike) -> SavedRule {
    let text = |key: &str| table.get(key).and_then(Item::as_str).map(str::to_owned);
    let texts = |key: &str| match table.get(key) {
        Some(item) => match (item.as_str(), item.as_array()) {
            (Some(text), _) => vec![text.to_owned()],
            (None, Some(values)) => {
                let texts = values.iter().filter_map(Value::as_str);
                texts.map(str::to_owned).collect()
            }
            (None, None) => Vec::new(),
        },
        None => Vec::new(),
    };
    let redirection = table
        .get("allowRedirection")
        .or_else(|| table.get("allow_redirection"));
    SavedRule {
        index: 0,
        line: None,
        tool: texts("toolName"),
        server: text("mcpName"),
        command_prefix: texts("commandPrefix"),
        args_pattern: text("argsPattern"),
        decision: text("decision"),
        priority: table.get("priority").and_then(Item::as_integer),
        modes: texts("modes"),
        allow_redirection: redirection.and_then(Item::as_bool).unwrap_or(false),
        described: described(table),
    }
}

fn described(table: &dyn TableLike) -> Option<Described> {
    let annotations = table.get("toolAnnotations")?.as_table_like()?;
    [TOOL_FINGERPRINT, SERVER_FINGERPRINT]
        .into_iter()
        .find_map(|annotation| {
            let fingerprint = annotations.get(annotation)?.as_str()?;
            Some(Described {
                annotation: annotation.to_owned(),
                fingerprint: fingerprint.to_owned(),
            })
        })
}

fn annotations(described: &Described) -> Value {
    let mut table = InlineTable::new();
    table.insert(&described.annotation, described.fingerprint.as_str().into());
    table.into()
}

fn table_mut(item: &mut Item, index: usize) -> Option<&mut dyn TableLike> {
    match item {
        Item::ArrayOfTables(tables) => tables
            .get_mut(index)
            .map(|table| table as &mut dyn TableLike),
        Item::Value(Value::Array(values)) => values
            .get_mut(index)?
            .as_inline_table_mut()
            .map(|table| table as &mut dyn TableLike),
        _ => None,
    }
}

fn push(item: &mut Item, draft: &Draft) -> Result<(), Corrupt> {
    match item {
        Item::ArrayOfTables(tables) => {
            let mut table = Table::new();
            write(&mut table, draft);
            tables.push(table);
        }
        Item::Value(Value::Array(values)) => {
            let mut table = InlineTable::new();
            write(&mut table, draft);
            values.push(table);
        }
        _ => return Err(Corrupt::NoRules),
    }
    Ok(())
}

fn write(table: &mut dyn TableLike, draft: &Draft) {
    let mut set = |key: &str, value: Value| {
        table.insert(key, Item::Value(value));
    };
    set("decision", "allow".into());
    set("priority", i64::from(Rank::APPROVED).into());
    set("toolName", draft.tool.as_str().into());
    if let Some(server) = &draft.server {
        set("mcpName", server.as_str().into());
    }
    match &draft.narrowing {
        Narrowing::WholeTool => {}
        Narrowing::CommandPrefix(prefixes) => {
            set(
                "commandPrefix",
                Value::Array(prefixes.iter().map(String::as_str).collect()),
            );
        }
        Narrowing::ArgsPattern(pattern) => set("argsPattern", pattern.as_str().into()),
    }
    if draft.allow_redirection {
        set("allowRedirection", true.into());
    }
    if let Some(described) = &draft.described {
        set("toolAnnotations", annotations(described));
    }
    set("modes", Value::Array(names(&draft.modes)));
}

/// An approval adds to what was approved before and takes nothing away.
fn widen(table: &mut dyn TableLike, rule: &SavedRule, draft: &Draft) {
    if !rule.modes.is_empty() {
        let together = ApprovalMode::ALL.into_iter().filter(|mode| {
            draft.modes.contains(mode) || rule.modes.iter().any(|name| name == mode.as_str())
        });
        let together: Vec<ApprovalMode> = together.collect();
        replace(table, "modes", Value::Array(names(&together)));
    }
    // Whoever approves a tool that has changed does not mean what it was before.
    if let Some(described) = draft
        .described
        .as_ref()
        .filter(|_| rule.described.is_some())
    {
        replace(table, "toolAnnotations", annotations(described));
    }
    if draft.allow_redirection && !rule.allow_redirection {
        table.remove("allow_redirection");
        replace(table, "allowRedirection", true.into());
    }
}

/// Sets a value and keeps the comment behind it.
fn replace(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

fn names(modes: &[ApprovalMode]) -> Array {
    modes.iter().map(|mode| mode.as_str()).collect()
}

fn same_members(left: &[String], right: &[String]) -> bool {
    left.iter().all(|one| right.contains(one)) && right.iter().all(|one| left.contains(one))
}
