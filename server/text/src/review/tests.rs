mod examples;
mod laws;
mod model;
mod world;

use super::*;
use crate::lines;

/// Checks everything that always holds of a review against its whole texts.
fn check_laws(review: &Review) {
    let base = review.base().to_string();
    let current = review.current().to_string();
    let (base_starts, current_starts) = (line_starts(&base), line_starts(&current));
    let mut rebuilt = String::new();
    let (mut base_at, mut current_at) = (0, 0);
    for (index, hunk) in review.hunks().enumerate() {
        let (in_base, in_current) = (hunk.base_bytes(), hunk.current_bytes());
        let gap = &base[base_at..in_base.start];
        assert_eq!(gap, &current[current_at..in_current.start]);
        assert!(index == 0 || !gap.is_empty(), "hunks touch");
        rebuilt += gap;
        rebuilt += &hunk.current_text();
        assert_eq!(lines_at(&base_starts, &in_base), hunk.base_lines());
        assert_eq!(lines_at(&current_starts, &in_current), hunk.current_lines());
        assert_eq!(hunk.base_text(), base[in_base.clone()]);
        assert_eq!(hunk.current_text(), current[in_current.clone()]);
        let is_changed = hunk.base_text() != hunk.current_text();
        assert_eq!(hunk.is_changed(), is_changed);
        assert!(
            is_changed || hunk.kind() == HunkKind::Conflict,
            "an empty hunk"
        );
        assert_ne!(hunk.agent_text(), Some(hunk.current_text()));
        assert_ne!(hunk.their_text(), Some(hunk.current_text()));
        assert_eq!(review.resolve(review.revision(), index), Ok(hunk.id()));
        (base_at, current_at) = (in_base.end, in_current.end);
    }
    assert_eq!(&base[base_at..], &current[current_at..]);
    rebuilt += &base[base_at..];
    assert_eq!(rebuilt, current, "base + hunks = current");
    let ids: std::collections::BTreeSet<HunkId> = review.hunks().map(|hunk| hunk.id()).collect();
    assert_eq!(ids.len(), review.len(), "two hunks have one id");
}

/// Where the lines begin for somebody who splits the whole text, and where the last ends.
fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut at = 0;
    for line in lines(text) {
        at += line.len();
        starts.push(at);
    }
    starts
}

fn lines_at(starts: &[usize], bytes: &Range<usize>) -> Range<usize> {
    let line = |at: usize| starts.binary_search(&at).expect("not between lines");
    line(bytes.start)..line(bytes.end)
}
