//! The printed result: what | value | ratio | target | ok or over.

use std::fmt;

#[cfg(test)]
mod tests;

const OVER: &str = "over";

#[derive(Default)]
pub(super) struct Table {
    /// Other programs that did the same, each with a column of its own.
    peers: Vec<String>,
    rows: Vec<Row>,
}

struct Row {
    what: String,
    value: String,
    ratio: String,
    /// What the peers needed; those behind the last have nothing.
    peers: Vec<String>,
    target: String,
    verdict: &'static str,
}

/// The most that is wanted; a number beyond it is over.
pub(super) enum Target {
    None,
    /// Of the ratio.
    Ratio(f64),
    /// Of the value itself, with how both are written.
    Value {
        most: f64,
        found: f64,
        written: String,
    },
}

impl Table {
    pub(super) fn beside(peers: Vec<String>) -> Self {
        Self {
            peers,
            rows: Vec::new(),
        }
    }

    /// What the peers needed for the row that was added last.
    pub(super) fn peers(&mut self, cells: Vec<String>) {
        if let Some(row) = self.rows.last_mut() {
            row.peers = cells;
        }
    }

    pub(super) fn row(
        &mut self,
        what: impl Into<String>,
        value: impl Into<String>,
        ratio: Option<f64>,
        target: Target,
    ) {
        let (target, within) = match target {
            Target::None => (String::new(), None),
            Target::Ratio(most) => (format!("≤ {most}×"), ratio.map(|ratio| ratio <= most)),
            Target::Value {
                most,
                found,
                written,
            } => (format!("< {written}"), Some(found < most)),
        };
        let verdict = match within {
            None => "",
            Some(true) => "ok",
            Some(false) => OVER,
        };
        self.rows.push(Row {
            what: what.into(),
            value: value.into(),
            ratio: ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}×")),
            peers: Vec::new(),
            target,
            verdict,
        });
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut header = vec!["what".to_owned(), "value".to_owned(), "ratio".to_owned()];
        header.extend(self.peers.iter().cloned());
        header.extend(["target".to_owned(), String::new()]);
        let last = header.len() - 1;
        let rows = self.rows.iter().map(|row| {
            let mut cells = vec![row.what.clone(), row.value.clone(), row.ratio.clone()];
            let mut peers = row.peers.clone();
            peers.resize(self.peers.len(), String::new());
            cells.extend(peers);
            cells.extend([row.target.clone(), row.verdict.to_owned()]);
            cells
        });
        let lines: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
        // A column that says nothing is left out.
        let is_empty = |place: &usize| {
            let mut rows = lines.iter().skip(1);
            rows.all(|line| line.get(*place).is_none_or(String::is_empty))
        };
        let unused: Vec<usize> = (0..last).filter(is_empty).collect();
        let mut widths = vec![0; last + 1];
        for line in &lines {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for line in &lines {
            let mut text = String::new();
            for (place, (cell, width)) in line.iter().zip(&widths).enumerate() {
                if unused.contains(&place) {
                    continue;
                }
                // Names are read from the left, numbers compared from the right.
                match place {
                    0 => text.push_str(&format!("{cell:<width$}")),
                    place if place == last => text.push_str(&format!("  {cell}")),
                    _ => text.push_str(&format!("  {cell:>width$}")),
                }
            }
            writeln!(formatter, "{}", text.trim_end())?;
        }
        // Nobody has to find it in a column.
        for row in self.rows.iter().filter(|row| row.verdict == OVER) {
            let (what, target) = (&row.what, &row.target);
            let found = match row.ratio.is_empty() {
                true => &row.value,
                false => &row.ratio,
            };
            writeln!(formatter, "target missed: {what}: {found}, wanted {target}")?;
        }
        Ok(())
    }
}
