//! The commands of a session that run in the background.

use std::sync::Arc;

use crate::shell::{Ended, Running};

/// As much of an output as is ever read back.
const LONGEST_READ: usize = 64 * 1024;
/// Ended commands that are remembered; what they printed stays in memory so long.
const REMEMBERED: usize = 16;

/// A session's commands in the background. They end with it.
#[derive(Default)]
pub struct Background {
    /// In the order they came.
    entries: Vec<Entry>,
}

struct Entry {
    command: String,
    running: Running,
}

/// A command in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundProcess {
    pub id: u32,
    pub command: String,
    /// `None` while it runs.
    pub ended: Option<Arc<Ended>>,
}

impl Background {
    /// Takes a command over, together with everything it left running.
    pub fn adopt(&mut self, command: String, running: Running) -> u32 {
        running.expect_silence();
        let id = running.id();
        self.entries.push(Entry { command, running });
        self.forget_the_oldest();
        id
    }

    pub fn list(&self) -> Vec<BackgroundProcess> {
        let process = |entry: &Entry| BackgroundProcess {
            id: entry.running.id(),
            command: entry.command.clone(),
            ended: entry.running.ended(),
        };
        self.entries.iter().map(process).collect()
    }

    /// The command, to wait for it or to write to it.
    pub fn get(&self, id: u32) -> Option<&Running> {
        let entry = self.entries.iter().find(|entry| entry.running.id() == id);
        entry.map(|entry| &entry.running)
    }

    /// The last lines of what a command of this session printed.
    ///
    /// They come from memory: a log on disk may have reached its limit, or have been replaced.
    pub fn read(&self, id: u32, lines: usize) -> Option<String> {
        let text = self.get(id)?.live().tail(LONGEST_READ);
        let ended = text.strip_suffix('\n').unwrap_or(&text);
        let start = match lines {
            0 => text.len(),
            _ => ended
                .rmatch_indices('\n')
                .nth(lines - 1)
                .map_or(0, |(place, _)| place + 1),
        };
        Some(text.get(start..).unwrap_or_default().to_owned())
    }

    /// Ends a command and forgets it.
    pub async fn kill(&mut self, id: u32) -> Option<Arc<Ended>> {
        let place = self
            .entries
            .iter()
            .position(|entry| entry.running.id() == id)?;
        let entry = self.entries.remove(place);
        Some(entry.running.kill().await)
    }

    fn forget_the_oldest(&mut self) {
        let is_over = |entry: &Entry| {
            let ended = entry.running.ended();
            ended.is_some_and(|ended| ended.background.is_empty())
        };
        let over = self.entries.iter().filter(|entry| is_over(entry)).count();
        let mut surplus = over.saturating_sub(REMEMBERED);
        self.entries.retain(|entry| {
            let forget = surplus > 0 && is_over(entry);
            surplus -= usize::from(forget);
            !forget
        });
    }
}
