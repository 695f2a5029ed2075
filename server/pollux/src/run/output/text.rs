//! The answer on standard output, everything else on standard error.

use std::collections::HashMap;
use std::io::{self, Write};

use pollux_agent::api::{CallId, Event, ToolOutcome};

use super::{Ending, Output, Stats, failure, remark, warning};

/// Ends of a call that nobody was there to allow.
const REFUSALS: [&str; 2] = ["policy_violation", "tool_not_registered"];

pub(in crate::run) struct Text<O, E> {
    out: O,
    err: E,
    at_line_start: bool,
    plain: Plain,
    /// What the calls that run are for.
    titles: HashMap<CallId, String>,
}

impl<O: Write, E: Write> Text<O, E> {
    pub(in crate::run) fn new(out: O, err: E) -> Self {
        Self {
            out,
            err,
            at_line_start: true,
            plain: Plain::default(),
            titles: HashMap::new(),
        }
    }

    /// In one line, and without what a terminal would obey.
    fn err_text(text: &str) -> String {
        let text = Plain::default().strip(text);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn print(&mut self, text: &str) -> io::Result<()> {
        let text = self.plain.strip(text);
        self.out.write_all(text.as_bytes())?;
        if let Some(last) = text.chars().last() {
            self.at_line_start = last == '\n';
        }
        self.out.flush()
    }
}

impl<O: Write, E: Write> Output for Text<O, E> {
    fn begin(&mut self, _: &str, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::TextReceived(text) => self.print(text),
            Event::ToolStarted { call, title, .. } => {
                self.titles.insert(call.id.clone(), title.clone());
                Ok(())
            }
            Event::ToolEnded { call, outcome, .. } => {
                let title = self.titles.remove(call);
                match outcome {
                    ToolOutcome::Failed {
                        error_type,
                        message,
                    } if REFUSALS.contains(error_type) => {
                        let title = title.unwrap_or_else(|| "a call".to_owned());
                        let message = Self::err_text(message);
                        let title = Self::err_text(&title);
                        writeln!(self.err, "[WARNING] not done: {title}: {message}")
                    }
                    _ => Ok(()),
                }
            }
            // A hook has its own words for what it says.
            Event::HookSaid { message } => writeln!(self.err, "{message}"),
            event => match warning(event) {
                Some(message) => writeln!(self.err, "[WARNING] {message}"),
                None => Ok(()),
            },
        }
    }

    fn end(&mut self, ending: &Ending, _: &Stats) -> io::Result<()> {
        if !self.at_line_start {
            self.out.write_all(b"\n")?;
        }
        self.out.flush()?;
        if let Some(remark) = remark(ending) {
            writeln!(self.err, "[WARNING] {remark}")?;
        }
        match failure(ending) {
            Some(failure) => writeln!(self.err, "[ERROR] {}", failure.message),
            None => Ok(()),
        }
    }
}

/// Takes out what a terminal would obey: a model's text must not move somebody's cursor or change
/// the title of their window. Remembers where it is, because a sequence may come in two pieces.
#[derive(Default)]
enum Plain {
    #[default]
    Text,
    Escape,
    /// `ESC [`, up to a letter.
    Control,
    /// `ESC ]` and its kin, up to a bell or `ESC \\`.
    String,
}

impl Plain {
    fn strip(&mut self, text: &str) -> String {
        text.chars()
            .filter(|character| self.keeps(*character))
            .collect()
    }

    fn keeps(&mut self, character: char) -> bool {
        match (&self, character) {
            (Self::Text, '\u{1b}') | (Self::String, '\u{1b}') => *self = Self::Escape,
            (Self::Text, '\n' | '\t') => return true,
            // These reorder what is read on the line.
            (Self::Text, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => return false,
            (Self::Text, character) => return !character.is_control(),
            (Self::Escape, '[') => *self = Self::Control,
            (Self::Escape, ']' | 'P' | '_' | '^' | 'X') => *self = Self::String,
            (Self::Escape, _) => *self = Self::Text,
            (Self::Control, '\u{40}'..='\u{7e}') => *self = Self::Text,
            (Self::String, '\u{07}') => *self = Self::Text,
            (Self::Control | Self::String, _) => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Plain;

    #[test]
    fn what_a_terminal_would_obey_is_taken_out_in_any_pieces() {
        let text = "a\u{1b}[1;31mb\u{1b}]0;title\u{07}c\u{1b}]8;;x\u{1b}\\d\u{1b}Me\u{8}\r\n\tf";
        for split in 0..text.len() {
            let (one, two) = text.split_at(split);
            let mut plain = Plain::default();
            assert_eq!(plain.strip(one) + &plain.strip(two), "abcde\n\tf");
        }
    }
}
