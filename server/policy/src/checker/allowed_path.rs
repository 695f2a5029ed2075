use std::path::Component;

use serde_json::{Map, Value};

use super::Objection;
use crate::paths::Target;
use crate::{Context, Decision};

/// Folders and files that no unattended edit has business with. `.git` is not among them because it is asked for
/// in every mode.
const BLOCKED: &[&str] = &[".env", "node_modules"];
const BLOCKED_BEGINNING: &str = "gha-creds";
const ASKED: &str = ".vscode";

pub(super) fn check(
    args: &Map<String, Value>,
    included: &[String],
    excluded: &[String],
    context: &Context<'_>,
) -> Option<Objection> {
    let mut paths = Vec::new();
    collect(args, included, excluded, &mut paths);
    paths
        .into_iter()
        .filter_map(|path| objection(path, context))
        .max_by_key(|objection| objection.decision)
}

fn objection(path: &str, context: &Context<'_>) -> Option<Objection> {
    let target = Target::of(path, context.cwd, context);
    if !target.is_inside(context) {
        return Some(Objection {
            decision: Decision::Deny,
            reason: format!("`{path}` is not inside the workspace"),
        });
    }
    let names = || {
        target.forms().flat_map(|form| {
            Target::below_roots(form, context).components().filter_map(
                |component| match component {
                    Component::Normal(name) => name.to_str(),
                    _ => None,
                },
            )
        })
    };
    let is_blocked = |name: &str| {
        BLOCKED
            .iter()
            .any(|blocked| name.eq_ignore_ascii_case(blocked))
            || name.starts_with(BLOCKED_BEGINNING)
    };
    if let Some(name) = names().find(|name| is_blocked(name)) {
        return Some(Objection {
            decision: Decision::Deny,
            reason: format!("`{path}` leads into `{name}`, which is not for the agent to change"),
        });
    }
    names()
        .any(|name| name.eq_ignore_ascii_case(ASKED))
        .then(|| Objection {
            decision: Decision::Ask,
            reason: format!("`{path}` is a setting of the editor"),
        })
}

fn collect<'a>(
    object: &'a Map<String, Value>,
    included: &[String],
    excluded: &[String],
    out: &mut Vec<&'a str>,
) {
    for (key, value) in object {
        match value {
            Value::String(path) => {
                let named = included.contains(key) || names_a_path(key);
                if named && !excluded.contains(key) {
                    out.push(path);
                }
            }
            Value::Array(values) => {
                for value in values {
                    match value {
                        Value::Object(inner) => collect(inner, included, excluded, out),
                        Value::String(path) => {
                            let named = included.contains(key) || names_a_path(key);
                            if named && !excluded.contains(key) {
                                out.push(path);
                            }
                        }
                        _ => {}
                    }
                }
            }
            Value::Object(inner) => collect(inner, included, excluded, out),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn names_a_path(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["path", "directory", "file"]
        .iter()
        .any(|part| key.contains(part))
        || key == "source"
        || key == "destination"
}
