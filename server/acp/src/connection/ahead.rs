//! What the client has said and nobody has heard yet, because it does not read what it is told.

use std::collections::VecDeque;

use pollux_door::{LONGEST_LINE, Line};

/// Lines and bytes that are read on while what came before has to wait. A client with more of them has to wait itself.
const MOST_LINES: usize = 1024;
const MOST_BYTES: usize = 2 * LONGEST_LINE;

#[derive(Default)]
pub(super) struct Ahead {
    lines: VecDeque<Line>,
    bytes: usize,
}

impl Ahead {
    pub(super) fn has_room(&self) -> bool {
        self.lines.len() < MOST_LINES && self.bytes < MOST_BYTES
    }

    pub(super) fn push(&mut self, line: Line) {
        self.bytes += bytes(&line);
        self.lines.push_back(line);
    }

    pub(super) fn pop(&mut self) -> Option<Line> {
        let line = self.lines.pop_front()?;
        self.bytes -= bytes(&line);
        Some(line)
    }
}

fn bytes(line: &Line) -> usize {
    match line {
        Line::Whole(line) => line.len(),
        Line::TooLong => 0,
    }
}
