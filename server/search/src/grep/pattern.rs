use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::Syntax;
use crate::{Case, SearchError};

/// A matcher that never looks beyond a line.
pub(super) fn line_matcher(
    pattern: &str,
    syntax: Syntax,
    case: Case,
) -> Result<RegexMatcher, SearchError> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .case_insensitive(case == Case::Insensitive)
        .fixed_strings(syntax == Syntax::Literal)
        .line_terminator(Some(b'\n'));
    // The end of a line is before `\r\n` too. That costs something, so only who asks for it pays.
    let asks_for_line_end = syntax == Syntax::Regex && pattern.contains('$');
    if asks_for_line_end && let Ok(matcher) = builder.clone().crlf(true).build(pattern) {
        return Ok(matcher);
    }
    builder
        .build(pattern)
        .map_err(|error| SearchError::Pattern {
            pattern: pattern.to_owned(),
            reason: error.to_string(),
        })
}
