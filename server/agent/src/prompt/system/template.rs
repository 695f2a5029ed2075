//! Conditions in the texts of the system prompt.
//!
//! `{?name}` keeps the rest of its line, line end included, only if `name` holds; `{?name|words}` does the same for
//! a few words. The texts are ours, so there is no escape and no error: what has no end stays as it is.

const START: &str = "{?";

pub(super) fn expand(template: &str, holds: impl Fn(&str) -> bool) -> String {
    let mut expanded = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once(START) {
        expanded.push_str(before);
        let Some((condition, guarded)) = after.split_once(['}', '|']) else {
            expanded.push_str(START);
            rest = after;
            break;
        };
        let words = after
            .get(condition.len()..)
            .is_some_and(|text| text.starts_with('|'));
        let (kept, after) = match words {
            true => guarded.split_once('}').unwrap_or((guarded, "")),
            false => {
                let end = guarded.find('\n').map_or(guarded.len(), |end| end + 1);
                guarded.split_at(end)
            }
        };
        if holds(condition) {
            expanded.push_str(kept);
        }
        rest = after;
    }
    expanded.push_str(rest);
    expanded
}
