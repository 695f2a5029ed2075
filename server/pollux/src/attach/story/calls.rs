//! The tool calls that run: a row each while they do, and a line when they have ended.

use std::io::{self, Write};
use std::time::Instant;

use pollux_lsp::protocol::{ToolActivity, ToolStatus};

use super::words::spent;
use crate::terminal::{Screen, Style, cleaned_line};

/// So many calls have rows of their own.
const ROWS: usize = 3;

/// Bytes of what a call prints that are kept to show its end.
const KEPT: usize = 4_000;

/// So many lines of what a command printed stay on the screen.
const TAIL: usize = 5;

/// A message is to be one line, not a page.
const LONGEST: usize = 200;

#[derive(Default)]
pub(super) struct Calls {
    running: Vec<Call>,
}

struct Call {
    id: String,
    title: String,
    activity: ToolActivity,
    started: Instant,
    printed: String,
    progress: Option<String>,
    /// How many questions about it are open, and since when there is one.
    questions: usize,
    waits_since: Option<Instant>,
    /// The sub-agent that makes it.
    within: Option<Within>,
}

/// Where a call of a sub-agent stands.
struct Within {
    parent: String,
    /// What people call the sub-agent.
    agent: String,
    depth: usize,
}

/// A call that begins.
pub(super) struct Started {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) activity: ToolActivity,
    /// The call of the sub-agent that makes it.
    pub(super) parent: Option<String>,
}

/// How a call ended.
pub(super) struct Ended {
    pub(super) status: ToolStatus,
    pub(super) message: String,
    pub(super) duration_ms: u64,
    /// Lines that came and went.
    pub(super) lines: Option<(u64, u64)>,
}

impl Calls {
    /// What a sub-agent does is told before it ends, so it is named when it begins.
    pub(super) fn started(
        &mut self,
        started: Started,
        now: Instant,
        screen: &mut Screen<impl Write>,
    ) -> io::Result<()> {
        let Started {
            id,
            title,
            activity,
            parent,
        } = started;
        let around = parent.and_then(|parent| self.running.iter().find(|call| call.id == parent));
        let within = around.map(|around| Within {
            parent: around.id.clone(),
            agent: agent_name(&around.title).to_owned(),
            depth: around.depth() + 1,
        });
        // Behind whatever else that sub-agent does.
        let place = within.as_ref().and_then(|within| {
            let belongs =
                |call: &Call| call.id == within.parent || call.parent() == Some(&within.parent);
            self.running.iter().rposition(belongs)
        });
        let place = place.map_or(self.running.len(), |place| place + 1);
        let call = Call {
            id,
            title,
            activity,
            started: now,
            printed: String::new(),
            progress: None,
            questions: 0,
            waits_since: None,
            within,
        };
        if activity == ToolActivity::Agent {
            let indent = call.indent();
            screen.line(&[
                (Style::Dim, &indent),
                (Style::Dim, "▸ "),
                (Style::Plain, &call.title),
            ])?;
        }
        self.running.insert(place, call);
        Ok(())
    }

    pub(super) fn printed(&mut self, id: &str, text: &str) {
        if let Some(call) = self.find(id) {
            call.printed.push_str(text);
            let over = call.printed.len().saturating_sub(KEPT);
            call.printed.drain(..call.printed.ceil_char_boundary(over));
        }
    }

    /// Somebody is asked about a call. Its clock, and that of the sub-agent which makes it, stands still.
    pub(super) fn waits(&mut self, id: &str, now: Instant) {
        for call in self.with_those_around(id) {
            call.questions += 1;
            call.waits_since.get_or_insert(now);
        }
    }

    /// A question about a call has its answer.
    pub(super) fn goes_on(&mut self, id: &str, now: Instant) {
        for call in self.with_those_around(id) {
            call.questions = call.questions.saturating_sub(1);
            if call.questions == 0
                && let Some(since) = call.waits_since.take()
            {
                call.started += now.saturating_duration_since(since);
            }
        }
    }

    fn with_those_around(&mut self, id: &str) -> Vec<&mut Call> {
        let mut names = Vec::new();
        let mut next = Some(id.to_owned());
        while let Some(name) = next {
            let call = self.running.iter().find(|call| call.id == name);
            next = call.and_then(Call::parent).cloned();
            names.push(name);
        }
        let running = self.running.iter_mut();
        running.filter(|call| names.contains(&call.id)).collect()
    }

    pub(super) fn progressed(
        &mut self,
        id: &str,
        message: Option<String>,
        done: f64,
        total: Option<f64>,
    ) {
        if let Some(call) = self.find(id) {
            call.progress = Some(match (message, total) {
                (Some(message), Some(total)) if call.activity == ToolActivity::Agent => {
                    format!("{message}  turn {done} of {total}")
                }
                (None, Some(total)) if call.activity == ToolActivity::Agent => {
                    format!("turn {done} of {total}")
                }
                (Some(message), _) => message,
                (None, Some(total)) => format!("{done} of {total}"),
                (None, None) => done.to_string(),
            });
        }
    }

    pub(super) fn ended(
        &mut self,
        id: &str,
        ended: &Ended,
        screen: &mut Screen<impl Write>,
    ) -> io::Result<()> {
        let at = self.running.iter().position(|call| call.id == id);
        let Some(call) = at.map(|at| self.running.remove(at)) else {
            return Ok(());
        };
        let mark = match ended.status {
            ToolStatus::Succeeded => (Style::Dim, "› "),
            ToolStatus::Failed => (Style::Removed, "✕ "),
            ToolStatus::Cancelled => (Style::Dim, "– "),
        };
        let message = match (ended.status, ended.lines) {
            (ToolStatus::Succeeded, Some((added, removed))) => format!("+{added} -{removed}"),
            (ToolStatus::Cancelled, _) => "cancelled".to_owned(),
            _ => in_a_line(&ended.message),
        };
        let time = match ended.duration_ms {
            0 => String::new(),
            time => spent(time),
        };
        let facts = [message, time];
        let facts: Vec<&str> = facts
            .iter()
            .map(String::as_str)
            .filter(|fact| !fact.is_empty())
            .collect();
        let facts = match facts.is_empty() {
            true => String::new(),
            false => format!("  {}", facts.join("  ")),
        };
        let indent = call.indent();
        let agent = self.maker(&call);
        screen.line(&[
            (Style::Dim, &indent),
            mark,
            (Style::Dim, &agent),
            (Style::Plain, &call.title),
            (Style::Dim, &facts),
        ])?;
        if call.activity == ToolActivity::Command {
            for line in last_lines(&call.printed, TAIL) {
                screen.line(&[
                    (Style::Dim, &indent),
                    (Style::Dim, "  │ "),
                    (Style::Dim, line),
                ])?;
            }
        }
        Ok(())
    }

    pub(super) fn rows(&self, now: Instant) -> Vec<String> {
        let mut rows = Vec::new();
        for call in self.running.iter().take(ROWS) {
            let until = call.waits_since.unwrap_or(now);
            let time = until.saturating_duration_since(call.started).as_secs();
            let title = cleaned_line(&call.title);
            let indent = call.indent();
            rows.push(match time {
                0 => format!("{indent}… {title}"),
                time => format!("{indent}… {title}  {}", spent(time * 1_000)),
            });
            let last = last_lines(&call.printed, 1);
            let last = call.progress.as_deref().or(last.first().copied());
            rows.extend(last.map(|line| format!("{indent}  │ {}", cleaned_line(line))));
        }
        let more = self.running.len().saturating_sub(ROWS);
        if more > 0 {
            rows.push(format!("… and {more} more"));
        }
        rows
    }

    /// Where several sub-agents work at once, a line says whose it is.
    fn maker(&self, call: &Call) -> String {
        let agents = self.running.iter();
        let agents = agents.filter(|call| call.activity == ToolActivity::Agent);
        match &call.within {
            Some(within) if agents.count() > 1 => format!("{}: ", within.agent),
            Some(_) | None => String::new(),
        }
    }

    fn find(&mut self, id: &str) -> Option<&mut Call> {
        self.running.iter_mut().find(|call| call.id == id)
    }
}

impl Call {
    fn depth(&self) -> usize {
        self.within.as_ref().map_or(0, |within| within.depth)
    }

    fn parent(&self) -> Option<&String> {
        self.within.as_ref().map(|within| &within.parent)
    }

    fn indent(&self) -> String {
        "  ".repeat(self.depth())
    }
}

/// Stands before what it is to do.
fn agent_name(title: &str) -> &str {
    title.split_once(": ").map_or(title, |(name, _)| name)
}

/// The last lines that say something.
fn last_lines(text: &str, count: usize) -> Vec<&str> {
    let said = |line: &&str| !line.trim().is_empty();
    let mut lines: Vec<&str> = text.lines().rev().filter(said).take(count).collect();
    lines.reverse();
    lines
}

fn in_a_line(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    match first.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", first.get(..cut).unwrap_or_default()),
        None => first.to_owned(),
    }
}
