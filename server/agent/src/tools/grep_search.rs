//! `grep_search`: lines that hold a text.

#[cfg(test)]
mod tests;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use pollux_search::{Case, Context, Excludes, GrepQuery, Report, RuleFiles, Syntax, grep};
use serde_json::{Map, Value, json};

use super::params::{Flag, Params};
use super::searching::{SearchSetup, failed};
use super::{Desk, ErrorKind, Tool, ToolError, ToolOutput};

const NAME: &str = "grep_search";

/// Matches that a model is told of unless it asks for more or less.
const MATCHES: usize = 100;
/// Whatever it asks for: a hard cap on what a model is shown.
const MOST_MATCHES: usize = 5_000;

pub(super) struct GrepSearch(pub(super) SearchSetup);

impl Tool for GrepSearch {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Searches file contents for a regular expression.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": { "type": "string", "minLength": 1, "description": "What to look for." },
                    "dir_path": { "type": "string", "description": "A folder or file; the workspace if left out." },
                    "include_pattern": { "type": "string", "description": "Only files that match this glob." },
                    "exclude_pattern": { "type": "string", "description": "No lines that match this regular expression." },
                    "names_only": { "type": "boolean", "description": "Only the names of the files." },
                    "max_matches_per_file": { "type": "integer", "minimum": 1 },
                    "total_max_matches": { "type": "integer", "minimum": 1, "description": "100 if left out." },
                    "case_sensitive": { "type": "boolean", "description": "Off unless set." },
                    "fixed_strings": { "type": "boolean", "description": "The pattern is plain text." },
                    "context": { "type": "integer", "minimum": 0, "description": "Lines around each match." },
                    "after": { "type": "integer", "minimum": 0 },
                    "before": { "type": "integer", "minimum": 0 },
                    "no_ignore": { "type": "boolean", "description": "Search ignored files too." },
                },
                "required": ["pattern"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let params = Params::new(args);
        let pattern = params.optional_string("pattern").unwrap_or_default();
        match params.optional_string("dir_path") {
            Some(place) => format!("Search “{pattern}” in {place}"),
            None => format!("Search “{pattern}”"),
        }
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        desk.place_in("dir_path").map(drop)
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let at = self.0.open_place(desk, "dir_path").await?;
            let wanted = Wanted::of(&desk.params())?;
            let root = desk.config.root.clone();
            let shown_at = desk
                .params()
                .optional_string("dir_path")
                .unwrap_or(".")
                .to_owned();
            let rules = match wanted.no_ignore {
                Flag::On => RuleFiles::none(),
                Flag::Off => self.0.ignore.clone(),
            };
            let look = move |tree: &pollux_search::Tree<'_>| {
                let excludes = match wanted.no_ignore {
                    Flag::On => Excludes::nothing(),
                    Flag::Off => Excludes::for_grep(),
                };
                let query = wanted.query(&at, &excludes);
                let found = grep(tree, &query)?;
                let summary = match found.matches {
                    1 => "1 match".to_owned(),
                    matches => format!("{matches} matches"),
                };
                let told = found.report(&query, &shown_at, &root);
                Ok(ToolOutput::text(told, summary))
            };
            let found = self.0.look(desk, rules, look).await?;
            found.map_err(|error| failed(ErrorKind::Grep, &error))
        }
        .boxed()
    }
}

/// The parameters of a call.
struct Wanted {
    pattern: String,
    include: Option<String>,
    exclude: Option<String>,
    report: Report,
    case: Case,
    syntax: Syntax,
    context: Context,
    most_per_file: Option<usize>,
    limit: usize,
    no_ignore: Flag,
}

impl Wanted {
    fn of(params: &Params<'_>) -> Result<Self, ToolError> {
        let around = params.number("context");
        let (before, after) = (params.number("before"), params.number("after"));
        let optional = |name| params.optional_string(name).map(str::to_owned);
        Ok(Self {
            pattern: params.string("pattern")?.to_owned(),
            include: optional("include_pattern"),
            exclude: optional("exclude_pattern"),
            report: match params.flag("names_only", Flag::Off) {
                Flag::On => Report::Names,
                Flag::Off => Report::Lines,
            },
            case: match params.flag("case_sensitive", Flag::Off) {
                Flag::On => Case::Sensitive,
                Flag::Off => Case::Insensitive,
            },
            syntax: match params.flag("fixed_strings", Flag::Off) {
                Flag::On => Syntax::Literal,
                Flag::Off => Syntax::Regex,
            },
            context: match (around, before, after) {
                (None, None, None) => Context::Automatic,
                _ => Context::Lines {
                    before: before.or(around).unwrap_or_default(),
                    after: after.or(around).unwrap_or_default(),
                },
            },
            most_per_file: params.number("max_matches_per_file"),
            limit: params
                .number("total_max_matches")
                .unwrap_or(MATCHES)
                .min(MOST_MATCHES),
            no_ignore: params.flag("no_ignore", Flag::Off),
        })
    }

    fn query<'a>(&'a self, at: &'a std::path::Path, excludes: &'a Excludes) -> GrepQuery<'a> {
        GrepQuery {
            pattern: &self.pattern,
            syntax: self.syntax,
            case: self.case,
            at,
            include: self.include.as_deref(),
            exclude_lines: self.exclude.as_deref(),
            report: self.report,
            context: self.context,
            most_per_file: self.most_per_file,
            limit: self.limit,
            excludes,
        }
    }
}
