//! One file: what it describes, or everything that is wrong with it at once.

mod fields;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use self::fields::Fields;
use super::frontmatter::{self, Parts};
use super::{AgentFile, AgentOrigin, tool_names, yaml};
use crate::problem::{Place, Problem};

/// In bytes. Nobody writes a longer one, and it is taken apart by code that others wrote.
const LONGEST_HEAD: usize = 64 * 1024;

/// Only a file of an agent that runs here has these.
const LOCAL_ONLY: [&str; 6] = [
    "tools",
    "mcp_servers",
    "model",
    "temperature",
    "max_turns",
    "timeout_mins",
];
/// And these only one of an agent that runs elsewhere.
const REMOTE_ONLY: [&str; 3] = ["agent_card_url", "agent_card_json", "auth"];
const SHARED: [&str; 4] = ["kind", "name", "description", "display_name"];

/// What a file comes to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Read {
    pub(super) agent: Option<AgentFile>,
    pub(super) problems: Vec<Problem>,
}

impl Read {
    fn refused(problem: Problem) -> Self {
        Self {
            agent: None,
            problems: vec![problem],
        }
    }
}

/// Takes the text of a file apart. Never fails: what is wrong is a problem.
pub(super) fn read(path: &Path, text: &str, origin: AgentOrigin) -> Read {
    let Some(Parts { head, body }) = frontmatter::split(text) else {
        return Read::refused(
            Problem::error(path, "no description of an agent stands at its beginning").fixed_by(
                "begin with a line `---`, then `name:` and `description:`, then a line `---`",
            ),
        );
    };
    if head.len() > LONGEST_HEAD {
        return Read::refused(Problem::error(path, "its head is larger than 64 KiB"));
    }
    let head = match yaml::parse(head) {
        Ok(head) => head,
        Err(error) => {
            let place = Place {
                line: error.line + 1,
                column: error.column,
            };
            return Read::refused(Problem::error(path, error.message).at(place));
        }
    };
    let entries = match head {
        Value::Array(agents) => return Read::refused(remote_list(path, &agents)),
        Value::Object(entries) => entries,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Read::refused(invalid(
                path,
                "Agent Definition",
                &["Expected object".to_owned()],
            ));
        }
    };
    if is_remote(&entries) {
        return Read::refused(remote(path, &[called(&entries)]));
    }
    local(path, text, body, origin, &entries)
}

fn local(
    path: &Path,
    text: &str,
    body: &str,
    origin: AgentOrigin,
    entries: &Map<String, Value>,
) -> Read {
    let mut fields = Fields::of(entries);
    fields.only(&[&SHARED[..], &LOCAL_ONLY[..]].concat());
    fields.expect("kind", "'local'", |kind| {
        (kind == "local").then_some(()).ok_or(())
    });
    let name = fields.required("name", Fields::slug);
    let description = fields.required("description", Fields::filled);
    let display_name = fields.optional("display_name", Fields::text);
    let tools = fields.optional("tools", tools);
    let servers = fields.optional("mcp_servers", Fields::names);
    let model = fields.optional("model", Fields::text);
    let temperature = fields.optional("temperature", Fields::number);
    let max_turns = fields.optional("max_turns", Fields::count);
    let minutes = fields.optional("timeout_mins", Fields::count);
    let (Some(name), Some(description), []) = (name, description, fields.wrong()) else {
        return Read::refused(invalid(path, "Agent Definition", fields.wrong()));
    };
    let mut problems = Vec::new();
    if let Some(servers) = servers.filter(|servers| !servers.is_empty()) {
        problems.push(Problem::warning(
            path,
            format!(
                "the servers of agent {name} are not started ({}): Pollux starts those of the settings only",
                fields::listed(&servers)
            ),
        ));
    }
    Read {
        agent: Some(AgentFile {
            name,
            display_name: display_name.filter(|name| !name.trim().is_empty()),
            description,
            instructions: body.to_owned(),
            tools,
            model: model.filter(|model| model != "inherit" && !model.is_empty()),
            temperature,
            max_turns,
            max_time: minutes.map(|minutes| Duration::from_secs(u64::from(minutes) * 60)),
            origin,
            path: path.to_owned(),
            hash: hash(text),
        }),
        problems,
    }
}

/// The names, or what is wrong with which of them.
fn tools(fields: &mut Fields<'_>, name: &str, value: &Value) -> Option<Vec<String>> {
    let Value::Array(values) = value else {
        fields.mistyped(name, "array", value);
        return None;
    };
    let mut tools = Vec::new();
    for (place, value) in values.iter().enumerate() {
        let place = format!("{name}.{place}");
        match value {
            Value::String(tool) if tool_names::is_known(tool) => tools.push(tool.clone()),
            Value::String(_) => fields.note(&place, "Invalid tool name"),
            _ => fields.mistyped(&place, "string", value),
        }
    }
    Some(tools)
}

fn is_remote(entries: &Map<String, Value>) -> bool {
    match entries.get("kind").and_then(Value::as_str) {
        Some(kind) => kind == "remote",
        None => {
            let has = |keys: &[&str]| keys.iter().any(|key| entries.contains_key(*key));
            has(&REMOTE_ONLY) && !has(&LOCAL_ONLY)
        }
    }
}

/// A list describes agents that run elsewhere, and no others.
fn remote_list(path: &Path, agents: &[Value]) -> Problem {
    let mut wrong = Vec::new();
    let mut names = Vec::new();
    for (place, agent) in agents.iter().enumerate() {
        match agent {
            Value::Object(entries) if is_remote(entries) => names.push(called(entries)),
            Value::Object(_) => wrong.push(format!(
                "{place}: (Local Agent) a list describes remote agents only"
            )),
            _ => wrong.push(format!("{place}: (Remote Agent) Expected object")),
        }
    }
    if agents.is_empty() {
        wrong.push("the list is empty".to_owned());
    }
    match wrong.is_empty() {
        true => remote(path, &names),
        false => invalid(path, "Remote Agents List", &wrong),
    }
}

fn remote(path: &Path, names: &[String]) -> Problem {
    let what = match names {
        [_] => "is a remote agent",
        _ => "are remote agents",
    };
    Problem::error(
        path,
        format!(
            "{} {what}: Pollux does not call remote agents yet",
            fields::listed(names)
        ),
    )
}

fn called(entries: &Map<String, Value>) -> String {
    let name = entries.get("name").and_then(Value::as_str);
    name.unwrap_or("this").to_owned()
}

fn invalid(path: &Path, what: &str, wrong: &[String]) -> Problem {
    let lines: Vec<&str> = wrong.iter().map(String::as_str).collect();
    Problem::error(
        path,
        format!("Validation failed: {what}:\n{}", lines.join("\n")),
    )
}

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
