/// How much of each text fits, when all of them together have a limit: the short ones whole, the long ones equally
/// much.
pub(super) fn shares(lengths: &[usize], limit: usize) -> Vec<usize> {
    let mut order: Vec<(usize, usize)> = lengths.iter().copied().enumerate().collect();
    order.sort_by_key(|(_, length)| *length);
    let mut shares = vec![0; lengths.len()];
    let mut left = limit;
    let mut waiting = lengths.len();
    for (place, length) in order {
        let share = length.min(left / waiting);
        if let Some(slot) = shares.get_mut(place) {
            *slot = share;
        }
        left -= share;
        waiting -= 1;
    }
    shares
}
