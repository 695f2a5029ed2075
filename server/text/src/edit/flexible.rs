//! Whole lines, whatever the blanks at both ends of each.

use super::Spot;
use super::line_table::{LineTable, lines_to_find};

pub(super) fn find(table: &LineTable<'_>, old: &str, new: &str) -> Vec<Spot> {
    let wanted: Vec<&str> = lines_to_find(old).into_iter().map(str::trim).collect();
    let mut spots = Vec::new();
    let mut at = 0;
    while at + wanted.len() <= table.len() {
        let window = at..at + wanted.len();
        let lines = table.window(window.clone()).map(str::trim);
        if lines.eq(wanted.iter().copied()) {
            at = window.end;
            spots.push(table.spot(window, new));
        } else {
            at += 1;
        }
    }
    spots
}
