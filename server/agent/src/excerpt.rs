//! The lines of a file that a model gets to see: one owner of the limits, for `read_file`, `read_many_files` and the
//! files that a prompt names.

#[cfg(test)]
mod tests;

use pollux_text::lines;

/// Lines at once when no end is asked for.
pub(crate) const WINDOW: usize = 2_000;
/// Characters per line; the rest is cut off.
pub(crate) const LONGEST_LINE: usize = 2_000;
/// Characters at once, whatever range is asked for: a hard cap on what a model is shown.
pub(crate) const LONGEST_OUTPUT: usize = 1_000_000;

/// A range of a text's lines, within the limits.
pub(crate) struct Excerpt {
    /// Joined by line feeds, whatever the file has: the model edits text, `replace` restores the endings.
    pub(crate) text: String,
    /// Counted from 1, inclusive; `last < first` when there are none.
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) total: usize,
    /// How many of the lines were too long to be shown whole.
    pub(crate) clipped: usize,
}

impl Excerpt {
    /// As much of the beginning as the limits allow.
    pub(crate) fn beginning(text: &str) -> Self {
        Self::between(text, None, None)
    }

    /// From one line to another, counted from 1.
    pub(crate) fn between(text: &str, start: Option<usize>, end: Option<usize>) -> Self {
        let all = lines(text);
        let first = start.unwrap_or(1);
        let wanted = end.unwrap_or(first.saturating_add(WINDOW - 1));
        let mut excerpt = Self {
            text: String::new(),
            first,
            last: first.saturating_sub(1),
            total: all.len(),
            clipped: 0,
        };
        let count = wanted.saturating_sub(excerpt.last);
        for line in all.iter().skip(excerpt.last).take(count) {
            if excerpt.text.len() > LONGEST_OUTPUT {
                break;
            }
            excerpt.push(line);
        }
        excerpt
    }

    /// Whether every line is there. Some may have been clipped.
    pub(crate) fn has_all_lines(&self) -> bool {
        self.first == 1 && self.last >= self.total
    }

    /// Appends a line with a line feed for whatever ending it has.
    fn push(&mut self, line: &str) {
        self.last += 1;
        let body = line.trim_end_matches(['\r', '\n']);
        match body.char_indices().nth(LONGEST_LINE) {
            Some((cut, _)) => {
                self.clipped += 1;
                self.text.push_str(body.get(..cut).unwrap_or_default());
                self.text.push_str("... [truncated]");
            }
            None => self.text.push_str(body),
        }
        if body.len() < line.len() {
            self.text.push('\n');
        }
    }
}
