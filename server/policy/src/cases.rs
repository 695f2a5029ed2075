//! Tables of cases: what a policy is expected to say, written down beside the rules.
//!
//! ```toml
//! [[case]]
//! tool = "run_shell_command"
//! args = { command = "git status" }
//! mode = "default"
//! expect = "allow"
//! ```

use serde::Serialize;
use serde_json::{Map, Value};
use toml_edit::Document;

use crate::load::{Fields, Lines, SchemaError, tables};
use crate::{ApprovalMode, Call, Context, Decision, Policy, Presence, Trust, Verdict};

#[cfg(test)]
mod tests;

/// A call and what is expected of it. What is not set is as in the context the cases run in.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub line: Option<usize>,
    pub name: Option<String>,
    pub tool: String,
    pub args: Map<String, Value>,
    pub server: Option<String>,
    pub subagent: Option<String>,
    pub annotations: Map<String, Value>,
    pub mode: Option<ApprovalMode>,
    pub presence: Option<Presence>,
    pub trust: Option<Trust>,
    pub expect: Decision,
}

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseResult {
    pub line: Option<usize>,
    pub name: Option<String>,
    pub tool: String,
    pub passed: bool,
    pub expected: Decision,
    pub verdict: Verdict,
}

/// The first thing that is wrong in a table of cases.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cases cannot be read: {message}")]
pub struct BadCases {
    /// Counted from 1.
    pub line: Option<usize>,
    pub message: String,
}

pub fn parse_cases(text: &str) -> Result<Vec<Case>, BadCases> {
    let lines = Lines::of(text);
    let document = Document::parse(text).map_err(|error| BadCases {
        line: error.span().map(|span| lines.number(span.start)),
        message: error.message().to_owned(),
    })?;
    let Some(item) = document.get("case") else {
        return Ok(Vec::new());
    };
    let tables = tables(item).ok_or_else(|| BadCases {
        line: item.span().map(|span| lines.number(span.start)),
        message: "`case` must be a list of tables, written `[[case]]`".to_owned(),
    })?;
    tables
        .into_iter()
        .map(|(table, start)| Ok(read(&Fields::new(table, &lines, start))?))
        .collect()
}

impl Case {
    pub fn run(&self, policy: &Policy, context: &Context<'_>) -> CaseResult {
        let call = Call {
            tool: &self.tool,
            args: &self.args,
            server: self.server.as_deref(),
            subagent: self.subagent.as_deref(),
            annotations: Some(&self.annotations),
        };
        let context = Context {
            mode: self.mode.unwrap_or(context.mode),
            presence: self.presence.unwrap_or(context.presence),
            trust: self.trust.unwrap_or(context.trust),
            ..*context
        };
        let verdict = policy.decide(&call, &context);
        CaseResult {
            line: self.line,
            name: self.name.clone(),
            tool: self.tool.clone(),
            passed: verdict.decision == self.expect,
            expected: self.expect,
            verdict,
        }
    }
}

impl From<SchemaError> for BadCases {
    fn from(error: SchemaError) -> Self {
        Self {
            line: error.line,
            message: error.message,
        }
    }
}

fn read(fields: &Fields<'_>) -> Result<Case, SchemaError> {
    let mode = fields.text("mode")?;
    let mode = mode.map(|mode| {
        ApprovalMode::parse(&mode)
            .ok_or_else(|| fields.wrong("mode", "\"default\", \"autoEdit\", \"yolo\" or \"plan\""))
    });
    let trusted = fields.truth("trusted")?;
    let expect = fields
        .text("expect")?
        .ok_or_else(|| fields.missing("expect"))?;
    let expect = match expect.as_str() {
        // Tables of earlier versions.
        "ask" => Some(Decision::Ask),
        other => Decision::parse(other),
    };
    Ok(Case {
        line: fields.line(),
        name: fields.text("name")?,
        tool: fields.text("tool")?.ok_or_else(|| fields.missing("tool"))?,
        args: fields.object("args")?,
        server: fields.text("server")?,
        subagent: fields.text("subagent")?,
        annotations: fields.object("annotations")?,
        mode: mode.transpose()?,
        presence: fields.presence()?,
        trust: trusted.map(|trusted| match trusted {
            true => Trust::Trusted,
            false => Trust::Untrusted,
        }),
        expect: expect
            .ok_or_else(|| fields.wrong("expect", "\"allow\", \"ask_user\" or \"deny\""))?,
    })
}
