//! What a server gets to see of the environment.

#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::{Arc, LazyLock};

use pollux_exec::Variable;

/// Bytes that a value may be expanded to.
const LONGEST_VALUE: usize = 64 * 1024;
/// How often an expanded value is expanded again.
const DEEPEST: usize = 8;

/// Variables that make a program load or run something before its own first line. Settings of a project must not
/// bring them along.
const REFUSED: &[&str] = &[
    "NODE_OPTIONS",
    "NODE_CLI_FLAGS",
    "_FORCE_NODE_OPTIONS",
    "NODE_PATH",
    "ELECTRON_RUN_AS_NODE",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "RUBYLIB",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_DEBUG",
    "LD_PROFILE",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_FORCE_FLAT_NAMESPACE",
    "DYLD_LIBRARY_PATH",
    "DYLD_FRAMEWORK_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "DYLD_FALLBACK_FRAMEWORK_PATH",
    "BASH_ENV",
    "ENV",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "CLASSPATH",
    "DOTNET_STARTUP_HOOKS",
    "CORECLR_PROFILER_PATH",
    "CORECLR_ENABLE_PROFILING",
];

type Making = LazyLock<Vec<Variable>, Box<dyn FnOnce() -> Vec<Variable> + Send>>;

/// What all servers of a workspace get to see. It is put together when the first of them is started: to tell secrets from
/// the rest takes a while, and whoever begins a session would wait for it.
#[derive(Clone)]
pub struct HandedOn(Arc<Making>);

impl HandedOn {
    pub fn later(make: impl FnOnce() -> Vec<Variable> + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(make))))
    }

    pub(super) fn variables(&self) -> &[Variable] {
        &self.0
    }
}

impl Default for HandedOn {
    fn default() -> Self {
        Self::later(Vec::new)
    }
}

/// Values may be what nobody is to see.
impl fmt::Debug for HandedOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandedOn")
    }
}

/// Whether an entry of `env` with this name is left out.
pub fn is_refused(name: &str) -> bool {
    REFUSED
        .iter()
        .any(|refused| refused.eq_ignore_ascii_case(name))
}

/// The variables of one server: those that all get, and its own, filled from the former.
pub fn server_variables(base: &[Variable], own: &[(String, String)]) -> Vec<Variable> {
    let mut variables = base.to_vec();
    set(&mut variables, "GEMINI_CLI", "1".into());
    for (name, value) in own {
        let is_a_name = !name.is_empty() && !name.contains(['=', '\0']);
        if is_refused(name) || !is_a_name {
            tracing::warn!(name, "a variable of a server is refused");
            continue;
        }
        let value = expanded(value, &|name| lookup(base, name));
        set(&mut variables, name, value.replace('\0', "").into());
    }
    variables
}

fn set(variables: &mut Vec<Variable>, name: &str, value: OsString) {
    variables.retain(|(known, _)| known != name);
    variables.push((name.into(), value));
}

pub(super) fn lookup(variables: &[Variable], name: &str) -> Option<String> {
    let found = variables
        .iter()
        .find(|(known, _)| known == OsStr::new(name));
    found.map(|(_, value)| value.to_string_lossy().into_owned())
}

/// Fills `$A`, `${A}`, `${A:-otherwise}` and `${A:+then}`. What is not there is empty, `\$` is a dollar sign, and `$1`
/// stays.
pub fn expanded(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> String {
    let mut value = expand(text, lookup, 0);
    value.truncate(value.floor_char_boundary(LONGEST_VALUE));
    value
}

fn expand(text: &str, lookup: &dyn Fn(&str) -> Option<String>, depth: usize) -> String {
    let mut value = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '$']) {
        let (before, found) = rest.split_at(at);
        value.push_str(before);
        if value.len() > LONGEST_VALUE {
            return value;
        }
        if let Some(after) = found.strip_prefix("\\$") {
            value.push('$');
            rest = after;
            continue;
        }
        match reference(found) {
            Some((reference, after)) => {
                value.push_str(&fill(&reference, lookup, depth));
                rest = after;
            }
            None => {
                let (character, after) = found.split_at(1);
                value.push_str(character);
                rest = after;
            }
        }
    }
    value.push_str(rest);
    value
}

struct Reference<'a> {
    name: &'a str,
    other: Option<(char, &'a str)>,
}

fn fill(
    reference: &Reference<'_>,
    lookup: &dyn Fn(&str) -> Option<String>,
    depth: usize,
) -> String {
    if depth == DEEPEST {
        return String::new();
    }
    let again = |text: &str| expand(text, lookup, depth + 1);
    let found = lookup(reference.name).filter(|value| !value.is_empty());
    match (found, reference.other) {
        (Some(_), Some(('+', then))) => again(then),
        (None, Some(('-', otherwise))) => again(otherwise),
        (Some(value), _) => again(&value),
        (None, _) => String::new(),
    }
}

/// What a text that begins with a dollar sign refers to, and what follows.
fn reference(text: &str) -> Option<(Reference<'_>, &str)> {
    let after = text.strip_prefix('$')?;
    if let Some(inside) = after.strip_prefix('{') {
        let (inside, after) = braces(inside)?;
        let end = inside
            .find(|letter| !is_word(letter))
            .unwrap_or(inside.len());
        let (name, more) = inside.split_at(end);
        let other = match more {
            "" => None,
            _ => {
                let more = more.strip_prefix(':').unwrap_or(more);
                let mut letters = more.chars();
                let kind = letters.next().filter(|kind| matches!(kind, '-' | '+'))?;
                Some((kind, letters.as_str()))
            }
        };
        return is_name(name).then_some((Reference { name, other }, after));
    }
    let end = after.find(|letter| !is_word(letter)).unwrap_or(after.len());
    let (name, after) = after.split_at(end);
    is_name(name).then_some((Reference { name, other: None }, after))
}

/// The text up to the brace that closes it, and what follows.
fn braces(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((text.get(..at)?, text.get(at + 1..)?));
        }
    }
    None
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}
