//! What a diff has to look at when most of two texts is the same.

use crate::diff::lines;

/// Two texts without the whole lines they have in common at both ends.
pub(crate) struct Middle<'a> {
    /// How many lines were left off at the start.
    pub(crate) lines_before: usize,
    /// And how many bytes.
    pub(crate) offset: usize,
    pub(crate) before: &'a str,
    pub(crate) after: &'a str,
}

impl<'a> Middle<'a> {
    pub(crate) fn of(before: &'a str, after: &'a str) -> Self {
        let pairs = before.bytes().zip(after.bytes());
        let equal = pairs.take_while(|(a, b)| a == b).count();
        let start = before.as_bytes().get(..equal).unwrap_or_default();
        // Only behind a line feed: whether a carriage return ends a line depends on what comes next.
        let start = memchr::memrchr(b'\n', start).map_or(0, |at| at + 1);
        let head = before.get(..start).unwrap_or_default();
        let before = before.get(start..).unwrap_or_default();
        let after = after.get(start..).unwrap_or_default();

        let pairs = before.bytes().rev().zip(after.bytes().rev());
        let equal = pairs.take_while(|(a, b)| a == b).count();
        let tail = before.as_bytes().get(before.len() - equal..);
        let tail = tail.unwrap_or_default();
        // From the first whole line on; the line feed before it stays in the middle.
        let end = memchr::memchr(b'\n', tail).map_or(0, |at| tail.len() - at - 1);
        Self {
            lines_before: lines(head).len(),
            offset: start,
            before: before.get(..before.len() - end).unwrap_or_default(),
            after: after.get(..after.len() - end).unwrap_or_default(),
        }
    }
}
