//! What valgrind has seen: the functions of a program that ran at least once.

use std::collections::HashMap;

#[cfg(test)]
mod tests;

/// The names of all functions that ran and lie in the object file that is called so, some of them twice. A name is
/// written out where it is met first and is a number from then on: `fn=(7) main`, then `fn=(7)`.
pub(super) fn functions(trace: &str, object: &str) -> Vec<String> {
    let mut objects: HashMap<&str, &str> = HashMap::new();
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut here = "";
    let mut called = Vec::new();
    for line in trace.lines() {
        let Some((key, (number, name))) = line
            .split_once('=')
            .and_then(|(key, rest)| Some((key, numbered(rest)?)))
        else {
            continue;
        };
        let known = match key {
            "ob" | "cob" => &mut objects,
            "fn" | "cfn" => &mut names,
            _ => continue,
        };
        if !name.is_empty() {
            known.insert(number, name);
        }
        let name = known.get(number).copied().unwrap_or_default();
        match key {
            "ob" => here = name,
            "fn" if here.rsplit('/').next() == Some(object) => {
                // A function that calls itself is counted once per depth: `name'2`.
                let name = name.split_once('\'').map_or(name, |(name, _)| name);
                called.push(name.to_owned());
            }
            _ => {}
        }
    }
    called
}

/// `(7) main` as a number and a name, which may be missing.
fn numbered(text: &str) -> Option<(&str, &str)> {
    let (number, name) = text.strip_prefix('(')?.split_once(')')?;
    Some((number, name.trim()))
}
