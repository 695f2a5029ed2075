//! JSON that a model wrote, with one leniency: half of a surrogate pair, which JSON allows and Unicode does not,
//! becomes U+FFFD.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// Reads JSON in which half of a surrogate pair may stand.
pub fn parse_json<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match replace_lone_surrogates(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(replaced) => serde_json::from_str(&replaced),
    })
}

/// The same text with `\ufffd` in place of every `\ud800` to `\udfff` that has no partner.
pub(crate) fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let mut replaced = String::new();
    let mut copied = 0;
    let mut at = 0;
    // A backslash stands in strings only, and all that follows it here is ASCII.
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + found;
        at = match unit_at(text, escape) {
            Some(0xd800..=0xdbff) if matches!(unit_at(text, escape + 6), Some(0xdc00..=0xdfff)) => {
                escape + 12
            }
            Some(0xd800..=0xdfff) => {
                replaced.push_str(text.get(copied..escape).unwrap_or_default());
                replaced.push_str("\\ufffd");
                copied = escape + 6;
                copied
            }
            Some(_) => escape + 6,
            None => next_character(text, escape + 1),
        };
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    replaced.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(replaced)
}

/// The code unit that is written as `\uXXXX` here.
fn unit_at(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Behind the character that a backslash escapes.
fn next_character(text: &str, at: usize) -> usize {
    let escaped = text.get(at..).and_then(|rest| rest.chars().next());
    at + escaped.map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests;
