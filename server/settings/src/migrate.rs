//! Deprecated keys, given their present names in memory.
//!
//! The twin rewrites the user's file; we never do. The user is told the new name instead, and both
//! spellings have the same effect here.

use serde_json::{Map, Value, json};

use crate::check::Finding;
use crate::json::Step;
use crate::schema::insert;

/// Old switches that said the opposite of their successors.
const INVERTED: &[(&str, &str)] = &[
    ("general.disableAutoUpdate", "general.enableAutoUpdate"),
    (
        "general.disableUpdateNag",
        "general.enableAutoUpdateNotification",
    ),
    (
        "ui.accessibility.disableLoadingPhrases",
        "ui.accessibility.enableLoadingPhrases",
    ),
    (
        "context.fileFiltering.disableFuzzySearch",
        "context.fileFiltering.enableFuzzySearch",
    ),
];

/// Keys that only moved.
const RENAMED: &[(&str, &str)] = &[
    ("tools.approvalMode", "general.defaultApprovalMode"),
    ("experimental.plan", "general.plan.enabled"),
    (
        "experimental.codebaseInvestigatorSettings.enabled",
        "agents.overrides.codebase_investigator.enabled",
    ),
    (
        "experimental.codebaseInvestigatorSettings.maxNumTurns",
        "agents.overrides.codebase_investigator.runConfig.maxTurns",
    ),
    (
        "experimental.codebaseInvestigatorSettings.maxTimeMinutes",
        "agents.overrides.codebase_investigator.runConfig.maxTimeMinutes",
    ),
    (
        "experimental.codebaseInvestigatorSettings.model",
        "agents.overrides.codebase_investigator.modelConfig.model",
    ),
    (
        "experimental.codebaseInvestigatorSettings.thinkingBudget",
        "agents.overrides.codebase_investigator.modelConfig.generateContentConfig.thinkingConfig.thinkingBudget",
    ),
    (
        "experimental.cliHelpAgentSettings.enabled",
        "agents.overrides.cli_help.enabled",
    ),
];

/// Objects that mean nothing once their entries have moved.
const EMPTIED: &[&str] = &[
    "experimental.codebaseInvestigatorSettings",
    "experimental.cliHelpAgentSettings",
];

pub(crate) fn migrate(settings: &mut Map<String, Value>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (old, new) in INVERTED {
        let Some(Value::Bool(disabled)) = get(settings, old) else {
            continue;
        };
        let enabled = Value::Bool(!disabled);
        move_to(settings, old, new, enabled);
        findings.push(finding(
            old,
            format!("use `{new}`, which means the opposite"),
        ));
    }
    for (old, new) in RENAMED {
        let Some(value) = get(settings, old).cloned() else {
            continue;
        };
        move_to(settings, old, new, value);
        findings.push(finding(old, format!("use `{new}`")));
    }
    for path in EMPTIED {
        remove(settings, path);
    }
    let phrases_off = get(settings, "ui.accessibility.enableLoadingPhrases") == Some(&json!(false));
    if phrases_off && get(settings, "ui.loadingPhrases").is_none() {
        insert(settings, "ui.loadingPhrases", json!("off"));
    }
    findings
}

/// Where a file uses both names, the new one wins.
fn move_to(settings: &mut Map<String, Value>, old: &str, new: &str, value: Value) {
    remove(settings, old);
    if get(settings, new).is_none() {
        insert(settings, new, value);
    }
}

fn finding(old: &str, fix: String) -> Finding {
    Finding {
        steps: old
            .split('.')
            .map(|key| Step::Key(key.to_owned()))
            .collect(),
        message: format!("`{old}` is deprecated"),
        fix: Some(fix),
    }
}

fn get<'a>(settings: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        None => settings.get(path),
        Some((first, rest)) => get(settings.get(first)?.as_object()?, rest),
    }
}

fn remove(settings: &mut Map<String, Value>, path: &str) {
    match path.split_once('.') {
        None => {
            settings.shift_remove(path);
        }
        Some((first, rest)) => {
            if let Some(Value::Object(inner)) = settings.get_mut(first) {
                remove(inner, rest);
            }
        }
    }
}

#[cfg(test)]
mod tests;
