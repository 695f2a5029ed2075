//! What a model calls a tool of an MCP server: `mcp_<server>_<tool>`, in the few characters that models accept.
//!
//! One function for whoever offers such tools and for whoever judges calls of them, so that a rule means the tool
//! that its author read about.

#[cfg(test)]
mod tests;

pub(crate) const PREFIX: &str = "mcp_";

/// Models refuse longer names.
const LONGEST: usize = 63;
/// What is kept at either end of a name that is too long; the mark between them makes up the rest.
const KEPT: usize = 30;
const CUT: &str = "...";

/// The name under which a model is told of a server's tool.
pub fn mcp_tool_name(server: &str, tool: &str) -> String {
    valid_name(&format!("{server}_{tool}"))
}

/// What the names of a server's tools begin with, were they not cut.
pub(crate) fn beginning(server: &str) -> String {
    let server = accepted(server);
    let prefix = match server.starts_with(PREFIX) {
        true => "",
        false => PREFIX,
    };
    format!("{prefix}{server}_")
}

/// As much of a beginning as a name keeps that is cut.
pub(crate) fn kept(beginning: &str) -> &str {
    beginning.get(..KEPT).unwrap_or(beginning)
}

/// The name with its prefix, without what models do not accept, and short enough.
pub(crate) fn valid_name(name: &str) -> String {
    let mut valid = accepted(name);
    if !valid.starts_with(PREFIX) {
        valid.insert_str(0, PREFIX);
    }
    if valid.len() <= LONGEST {
        return valid;
    }
    // Only ASCII is left, so every byte is a character.
    let head = valid.get(..KEPT).unwrap_or_default();
    let tail = valid.get(valid.len() - KEPT..).unwrap_or_default();
    format!("{head}{CUT}{tail}")
}

/// The text with `_` in the place of everything that models do not accept in a name. The twin counts in UTF-16,
/// and rules that it has saved hold its names.
pub(crate) fn accepted(text: &str) -> String {
    let mut accepted = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' | '.' | ':' => accepted.push(character),
            other => accepted.extend(std::iter::repeat_n('_', other.len_utf16())),
        }
    }
    accepted
}
