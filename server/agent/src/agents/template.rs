//! `${name}` in what an author has written, and what stands there instead.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

/// What stands for a name. Nothing: nobody knows the name.
pub(super) type Known<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Fills a text in, in one pass: what is filled in is never looked at again. The error names what is missing.
pub(super) fn filled(text: &str, known: Known<'_>) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    let mut missing = BTreeSet::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        filled.push_str(before);
        let named = from.get(2..).unwrap_or_default();
        let length = named
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(named.len());
        let (name, behind) = named.split_at(length);
        match behind.strip_prefix('}') {
            Some(behind) if !name.is_empty() => {
                match known(name) {
                    Some(value) => filled.push_str(&value),
                    None => {
                        missing.insert(name.to_owned());
                    }
                }
                rest = behind;
            }
            // A shell's `${name:-default}`, or a bracket that nobody closes.
            Some(_) | None => {
                filled.push_str("${");
                rest = named;
            }
        }
    }
    filled.push_str(rest);
    match missing.is_empty() {
        true => Ok(filled),
        false => Err(format!(
            "Template validation failed: Missing required input parameters: {}",
            Vec::from_iter(missing).join(", ")
        )),
    }
}
