//! The last rows of the window: what is at work, what may be pressed, and what is typed.

use std::io::Write;
use std::time::Instant;

use super::Conversation;
use crate::attach::desk::Foot;
use crate::terminal::{Colour, Style, cleaned_line};

impl<W: Write> Conversation<W> {
    pub(super) fn foot(&self) -> Foot {
        let Some(size) = self.desk.size() else {
            return Foot::default();
        };
        let mut rows = Vec::new();
        let open = self.desk.open_line();
        let open = open.rsplit('\n').next().unwrap_or_default();
        let unfinished = cleaned_line(self.story.screen.unfinished());
        if !open.is_empty() || !unfinished.is_empty() {
            let gap = match open.is_empty() || unfinished.is_empty() {
                true => "",
                false => " ",
            };
            rows.push(format!("{open}{gap}{unfinished}"));
        }
        let dim = |text: &str| match self.colour {
            Colour::On => format!("{}{text}", Style::Dim.code()),
            Colour::Off => text.to_owned(),
        };
        rows.extend(
            self.story
                .at_work(Instant::now())
                .iter()
                .map(|row| dim(row)),
        );
        rows.extend(self.hint.clone());
        let help = match (&self.asked, self.story.question()) {
            (Some(asked), Some(question)) => {
                let mut keys = question.keys(&asked.replies);
                keys.push("then Enter".to_owned());
                keys
            }
            _ => self.help(),
        };
        rows.extend(wrapped(&help, size.columns).iter().map(|row| dim(row)));
        Foot {
            rows,
            typed: Some(self.line.shown(self.desk.typing_columns())),
        }
    }

    fn help(&self) -> Vec<String> {
        let help: &[&str] = match (self.story.is_running(), self.stopping) {
            (true, false) => &["Enter queues", "> steers", "Ctrl+C stops", "Ctrl+D leaves"],
            (true, true) => &["stopping", "Ctrl+C leaves"],
            (false, _) if self.story.is_interrupted() => {
                &["Enter sends", "c continues", "Ctrl+D leaves"]
            }
            (false, _) => &["Enter sends", "Ctrl+D leaves"],
        };
        let retry = self.story.is_retrying().then_some("Ctrl+R retries now");
        let help = retry.iter().chain(help);
        help.map(|word| (*word).to_owned()).collect()
    }
}

/// Short phrases in as many rows as they need.
fn wrapped(phrases: &[String], columns: usize) -> Vec<String> {
    const BETWEEN: &str = " · ";
    let mut rows: Vec<String> = Vec::new();
    for phrase in phrases {
        match rows.last_mut() {
            Some(row) if row.chars().count() + 3 + phrase.chars().count() <= columns => {
                row.push_str(BETWEEN);
                row.push_str(phrase);
            }
            _ => rows.push(phrase.clone()),
        }
    }
    rows
}
