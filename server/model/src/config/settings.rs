//! The `modelConfigs` setting: `aliases`, `customAliases`, `overrides`, `customOverrides`.
//!
//! `modelDefinitions`, `modelIdResolutions`, `classifierIdResolutions` and `modelChains` only matter to the twin's
//! experimental dynamic configuration and are not read.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Alias, Attempt, Condition, ConfigError, ModelConfigs, Override, Partial, defaults};

pub(super) fn parse(setting: &Value) -> Result<ModelConfigs, ConfigError> {
    let mut aliases = defaults::aliases();
    let mut custom = BTreeSet::new();
    let Some(setting) = optional_object(Some(setting), "")? else {
        return Ok(ModelConfigs::default());
    };
    for section in ["aliases", "customAliases"] {
        let Some(entries) = optional_object(setting.get(section), section)? else {
            continue;
        };
        for (name, value) in entries {
            let alias = parse_alias(value, &format!("{section}.{name}"))?;
            aliases.insert(name.clone(), alias);
            custom.insert(name.clone());
        }
    }
    let mut overrides = match setting.get("overrides") {
        None | Some(Value::Null) => defaults::overrides(),
        Some(list) => parse_overrides(list, "overrides")?,
    };
    if let Some(list) = setting.get("customOverrides") {
        overrides.extend(parse_overrides(list, "customOverrides")?);
    }
    Ok(ModelConfigs {
        aliases,
        custom,
        overrides,
    })
}

pub(super) fn parse_alias(value: &Value, at: &str) -> Result<Alias, ConfigError> {
    let fields = object(value, at)?;
    Ok(Alias {
        extends: optional_string(fields.get("extends"), &format!("{at}.extends"))?,
        config: parse_partial(fields.get("modelConfig"), &format!("{at}.modelConfig"))?,
    })
}

pub(super) fn parse_override(value: &Value, at: &str) -> Result<Override, ConfigError> {
    let fields = object(value, at)?;
    let conditions = match fields.get("match") {
        None => Vec::new(),
        Some(value) => object(value, &format!("{at}.match"))?
            .iter()
            .map(|(key, value)| parse_condition(key, value))
            .collect(),
    };
    Ok(Override {
        conditions,
        config: parse_partial(fields.get("modelConfig"), &format!("{at}.modelConfig"))?,
    })
}

fn parse_overrides(list: &Value, at: &str) -> Result<Vec<Override>, ConfigError> {
    let Some(entries) = list.as_array() else {
        return Err(malformed(at, "a list"));
    };
    entries
        .iter()
        .enumerate()
        .map(|(index, entry)| parse_override(entry, &format!("{at}[{index}]")))
        .collect()
}

fn parse_condition(key: &str, value: &Value) -> Condition {
    match (key, value) {
        ("model", Value::String(name)) => Condition::Model(name.clone()),
        ("overrideScope", Value::String(scope)) => Condition::Scope(scope.clone()),
        ("isRetry", Value::Bool(true)) => Condition::Attempt(Attempt::Retry),
        ("isRetry", Value::Bool(false)) => Condition::Attempt(Attempt::First),
        _ => Condition::Unknown,
    }
}

fn parse_partial(value: Option<&Value>, at: &str) -> Result<Partial, ConfigError> {
    let Some(fields) = optional_object(value, at)? else {
        return Ok(Partial::default());
    };
    let generation = optional_object(
        fields.get("generateContentConfig"),
        &format!("{at}.generateContentConfig"),
    )?;
    Ok(Partial {
        model: optional_string(fields.get("model"), &format!("{at}.model"))?,
        generation: generation.cloned().unwrap_or_default(),
    })
}

fn optional_object<'a>(
    value: Option<&'a Value>,
    at: &str,
) -> Result<Option<&'a Map<String, Value>>, ConfigError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => object(value, at).map(Some),
    }
}

fn object<'a>(value: &'a Value, at: &str) -> Result<&'a Map<String, Value>, ConfigError> {
    value.as_object().ok_or_else(|| malformed(at, "an object"))
}

fn optional_string(value: Option<&Value>, at: &str) -> Result<Option<String>, ConfigError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(malformed(at, "a string")),
    }
}

fn malformed(at: &str, expected: &'static str) -> ConfigError {
    ConfigError::Malformed {
        at: at.to_owned(),
        expected,
    }
}
