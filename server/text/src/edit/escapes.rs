//! Escapes that a model wrote where it meant the characters themselves.

use std::borrow::Cow;

/// The text with escapes resolved: any run of backslashes before `n`, `t`, `r`, a quote, a backslash or a line feed
/// becomes that character.
pub fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, run) = rest.split_at(at);
        result.push_str(before);
        let after = run.trim_start_matches('\\');
        let meant = match after.chars().next() {
            Some('n' | '\n') => Some('\n'),
            Some('t') => Some('\t'),
            Some('r') => Some('\r'),
            Some(quote @ ('\'' | '"' | '`')) => Some(quote),
            _ => None,
        };
        result.push(meant.unwrap_or('\\'));
        // What is meant is one byte in every case.
        let used = usize::from(meant.is_some());
        rest = after.get(used..).unwrap_or_default();
    }
    result.push_str(rest);
    if result == text {
        return Cow::Borrowed(text);
    }
    Cow::Owned(result)
}
