//! How many letters must change to get from one text to another.

/// The Levenshtein distance, when it is at most `limit`. The work grows with the limit and not with the product of
/// the lengths.
pub(super) fn within(left: &[char], right: &[char], limit: usize) -> Option<usize> {
    let (left, right) = without_common_ends(left, right);
    let (short, long) = if left.len() <= right.len() {
        (left, right)
    } else {
        (right, left)
    };
    if long.len() - short.len() > limit {
        return None;
    }
    if short.is_empty() {
        return Some(long.len());
    }
    let over = limit.saturating_add(1);
    // `row[j]` is the distance of the letters of `long` so far to the first `j` of `short`; outside of the band
    // around the diagonal it is more than the limit.
    let mut row: Vec<usize> = (0..=short.len()).map(|at| at.min(over)).collect();
    for (index, letter) in long.iter().enumerate() {
        let done = index + 1;
        let first = done.saturating_sub(limit).max(1);
        let last = done.saturating_add(limit).min(short.len());
        // Only the cell left of the band is read below, so only it has to be right.
        let edge = if first == 1 { done.min(over) } else { over };
        let mut cells = row.get_mut(first - 1..=last)?.iter_mut();
        let mut diagonal = cells.next().map(|cell| std::mem::replace(cell, edge))?;
        let mut leftward = edge;
        let mut least = edge;
        for (cell, other) in cells.zip(short.get(first - 1..last)?) {
            let same = diagonal + usize::from(letter != other);
            let best = same.min(*cell + 1).min(leftward + 1).min(over);
            diagonal = std::mem::replace(cell, best);
            leftward = best;
            least = least.min(best);
        }
        if least > limit {
            return None;
        }
    }
    row.last().copied().filter(|distance| *distance <= limit)
}

fn without_common_ends<'a>(left: &'a [char], right: &'a [char]) -> (&'a [char], &'a [char]) {
    let start = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let left = left.get(start..).unwrap_or_default();
    let right = right.get(start..).unwrap_or_default();
    let backwards = left.iter().rev().zip(right.iter().rev());
    let end = backwards.take_while(|(a, b)| a == b).count();
    (
        left.get(..left.len() - end).unwrap_or_default(),
        right.get(..right.len() - end).unwrap_or_default(),
    )
}
