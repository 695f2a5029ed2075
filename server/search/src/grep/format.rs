//! A result as it is told to a model.

use std::fmt::Write as _;
use std::path::Path;

use super::{Ending, GrepQuery, GrepResult, Report};
use crate::Stopped;

impl GrepResult {
    /// `shown_at` is how the place that was searched is named; paths are written relative to `root`.
    pub fn report(&self, query: &GrepQuery<'_>, shown_at: &str, root: &Path) -> String {
        let mut text = self.heading(query, shown_at);
        if self.files.is_empty() {
            return text;
        }
        match query.report {
            Report::Names => {
                for file in &self.files {
                    text.push('\n');
                    text.push_str(&relative(&file.path, root));
                }
            }
            Report::Lines => {
                text.push_str("\n---");
                for file in &self.files {
                    let _infallible = write!(text, "\nFile: {}", relative(&file.path, root));
                    for line in &file.lines {
                        let mark = if line.is_context { '-' } else { ':' };
                        let _infallible = write!(text, "\nL{}{mark} {}", line.number, line.text);
                    }
                    text.push_str("\n---");
                }
            }
        }
        text
    }

    fn heading(&self, query: &GrepQuery<'_>, shown_at: &str) -> String {
        let count = self.matches;
        let mut text = match (query.report, count) {
            (_, 0) => "No matches found".to_owned(),
            (Report::Lines, 1) => "Found 1 match".to_owned(),
            (Report::Lines, _) => format!("Found {count} matches"),
            (Report::Names, 1) => "Found 1 file with matches".to_owned(),
            (Report::Names, _) => format!("Found {count} files with matches"),
        };
        let _infallible = write!(
            text,
            " for pattern \"{}\" in path \"{shown_at}\"",
            query.pattern
        );
        if let Some(include) = query.include {
            let _infallible = write!(text, " (filter: \"{include}\")");
        }
        match self.ending {
            Ending::Complete => {}
            Ending::Limited => {
                let what = match query.report {
                    Report::Lines => "matches",
                    Report::Names => "files",
                };
                let _infallible = write!(
                    text,
                    " (results limited to {} {what} for performance)",
                    query.limit
                );
            }
            Ending::Stopped(Stopped::TimedOut) => {
                text.push_str(" (the search ran out of time; there may be more)");
            }
            Ending::Stopped(Stopped::Cancelled) => {
                text.push_str(" (the search was cancelled; there may be more)");
            }
        }
        text.push(if count == 0 { '.' } else { ':' });
        text
    }
}

fn relative(path: &Path, root: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    below.to_string_lossy().into_owned()
}
