//! The terminal of the window: what was said scrolls above, and the last rows are drawn anew with every change.
//!
//! A person types at the bottom while the agent speaks. So what is said is written above the rows that are being worked
//! on, and these are drawn again below it.

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use rustix::termios::tcgetwinsize;

use super::line::{Shown, columns_of};

const ERASE_BELOW: &str = "\u{1b}[J";
const PLAIN: &str = "\u{1b}[0m";
/// What is pasted comes between two marks, so that a line feed in it sends nothing.
const MARK_PASTES: &[u8] = b"\x1b[?2004h";
/// The end of that, and of a row that is still there when a window ends at once.
const LEAVE_PASTES: &[u8] = b"\x1b[?2004l\r\x1b[J";

const MARK: &str = "❯ ";
const MARK_COLUMNS: usize = 2;

/// What terminals that do not say are.
const USUAL: Size = Size {
    columns: 80,
    rows: 24,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

pub(super) struct Desk<W: Write> {
    out: W,
    size: Option<Size>,
    /// The line of what is said that has no end yet.
    open: Vec<u8>,
    /// Rows that are drawn above the one with the cursor.
    above: usize,
}

/// The last rows. They need not fit.
#[derive(Default)]
pub(super) struct Foot {
    pub(super) rows: Vec<String>,
    pub(super) typed: Option<Shown>,
}

impl<W: Write> Desk<W> {
    /// Where nobody types and nothing is drawn twice.
    pub(super) fn paper(out: W) -> Self {
        Self {
            out,
            size: None,
            open: Vec::new(),
            above: 0,
        }
    }

    pub(super) fn terminal(out: W) -> Self {
        let mut desk = Self::paper(out);
        desk.measure();
        desk
    }

    /// The terminal may have another size.
    pub(super) fn measure(&mut self) {
        let size = tcgetwinsize(io::stdout()).ok();
        let size = size.map(|size| Size {
            columns: size.ws_col.into(),
            rows: size.ws_row.into(),
        });
        self.size = Some(size.filter(|size| size.columns > 0).unwrap_or(USUAL));
    }

    /// Nothing on paper.
    pub(super) fn size(&self) -> Option<Size> {
        self.size
    }

    /// So many columns are left for what is typed.
    pub(super) fn typing_columns(&self) -> usize {
        let columns = self.size.unwrap_or(USUAL).columns;
        columns.saturating_sub(MARK_COLUMNS)
    }

    /// What is said of the line that has no end yet.
    pub(super) fn open_line(&self) -> String {
        String::from_utf8_lossy(&self.open).into_owned()
    }

    /// Takes what is said next. It is written with the next drawing.
    pub(super) fn say(&mut self, said: &[u8]) {
        self.open.extend_from_slice(said);
    }

    /// Writes what was said, and the last rows below it.
    pub(super) fn draw(&mut self, foot: &Foot) -> io::Result<()> {
        let Some(size) = self.size else {
            let said = std::mem::take(&mut self.open);
            self.out.write_all(&said)?;
            return self.out.flush();
        };
        let mut bytes = self.erased();
        let end = self.open.iter().rposition(|byte| *byte == b'\n');
        bytes.extend(self.open.drain(..end.map_or(0, |end| end + 1)));
        let most = size.rows.saturating_sub(2).max(1);
        let rows = foot.rows.iter().skip(foot.rows.len().saturating_sub(most));
        for row in rows {
            let row = cut(row, size.columns);
            bytes.extend_from_slice(format!("{PLAIN}{row}{PLAIN}\n").as_bytes());
            self.above += 1;
        }
        if let Some(Shown { text, cursor }) = &foot.typed {
            let column = cursor + MARK_COLUMNS;
            let typed = format!("{MARK}{text}\r\u{1b}[{column}C");
            bytes.extend_from_slice(typed.as_bytes());
        }
        self.out.write_all(&bytes)?;
        self.out.flush()
    }

    /// Leaves nothing but what was said.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        let mut bytes = match self.size {
            Some(_) => self.erased(),
            None => Vec::new(),
        };
        bytes.append(&mut self.open);
        if self.size.is_some() {
            bytes.extend_from_slice(PLAIN.as_bytes());
        }
        self.out.write_all(&bytes)?;
        self.out.flush()
    }

    fn erased(&mut self) -> Vec<u8> {
        let up = match std::mem::take(&mut self.above) {
            0 => String::new(),
            rows => format!("\u{1b}[{rows}A"),
        };
        format!("{PLAIN}\r{up}{ERASE_BELOW}").into_bytes()
    }
}

/// The terminal marks what is pasted until this is gone, however the window ends.
pub(super) struct MarkedPastes(());

impl MarkedPastes {
    pub(super) fn start() -> io::Result<Self> {
        io::stdout().write_all(MARK_PASTES)?;
        Ok(Self(()))
    }
}

impl Drop for MarkedPastes {
    fn drop(&mut self) {
        let mut stdout = io::stdout();
        // A terminal that is gone marks nothing.
        let _gone = stdout.write_all(LEAVE_PASTES).and_then(|()| stdout.flush());
    }
}

/// As much of a row as fits. Colours take no room.
fn cut(row: &str, columns: usize) -> String {
    let mut width = 0;
    let mut coloured = false;
    let fits = |letter: &char| {
        coloured |= *letter == '\u{1b}';
        if coloured {
            coloured = *letter != 'm';
            return true;
        }
        width += columns_of(*letter);
        width <= columns
    };
    row.chars().take_while(fits).collect()
}
