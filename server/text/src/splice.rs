//! Changes by byte, as the core makes them; an editor's are [`Edit`](crate::Edit)s.

use std::ops::Range;

use crate::diff::hunks;
use crate::middle::Middle;

/// The bytes of the range become `text`.
///
/// Several splices are in order, do not overlap, and all count in the text as it was before the first of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    pub range: Range<usize>,
    pub text: String,
}

impl Splice {
    /// What turns `before` into `after`, by whole lines.
    pub fn between(before: &str, after: &str) -> Vec<Self> {
        let middle = Middle::of(before, after);
        let shifted = |range: Range<usize>| range.start + middle.offset..range.end + middle.offset;
        hunks(middle.before, middle.after)
            .iter()
            .map(|hunk| Self {
                range: shifted(hunk.base_bytes()),
                text: hunk.current_text(middle.after).to_owned(),
            })
            .collect()
    }

    /// `text` with the splices made. What does not fit is left out.
    pub fn apply(splices: &[Self], text: &str) -> String {
        let mut made = String::with_capacity(text.len());
        let mut copied_to = 0;
        for splice in splices {
            let Some(untouched) = text.get(copied_to..splice.range.start) else {
                continue;
            };
            made.push_str(untouched);
            made.push_str(&splice.text);
            copied_to = splice.range.end;
        }
        made.push_str(text.get(copied_to..).unwrap_or_default());
        made
    }
}
