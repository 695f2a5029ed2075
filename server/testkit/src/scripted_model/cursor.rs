//! Walks the steps of a reply, repetitions unrolled one at a time.

use std::time::SystemTime;

use super::clock;
use super::step::Step;

/// A reply of 100,000 chunks is never held as 100,000 steps.
#[derive(Debug)]
pub(super) struct Cursor {
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    steps: Vec<Step>,
    next: usize,
    round: usize,
    rounds: usize,
}

impl Cursor {
    pub(super) fn new(steps: Vec<Step>) -> Self {
        let mut cursor = Self { levels: Vec::new() };
        cursor.enter(steps, 1);
        cursor
    }

    /// The next step that is not a repetition.
    pub(super) fn next(&mut self) -> Option<Step> {
        loop {
            let is_repeated = self.levels.len() > 1;
            let level = self.levels.last_mut()?;
            let Some(step) = level.steps.get(level.next) else {
                level.next = 0;
                level.round += 1;
                if level.round == level.rounds {
                    self.levels.pop();
                }
                continue;
            };
            level.next += 1;
            match step {
                Step::Repeat(repeat) => {
                    let (steps, rounds) = (repeat.steps.clone(), repeat.times);
                    self.enter(steps, rounds);
                }
                Step::Text(text) if is_repeated => {
                    return Some(Step::Text(numbered(text, level.round)));
                }
                Step::Thought(text) if is_repeated => {
                    return Some(Step::Thought(numbered(text, level.round)));
                }
                other => return Some(other.clone()),
            }
        }
    }

    fn enter(&mut self, steps: Vec<Step>, rounds: usize) {
        if rounds > 0 && !steps.is_empty() {
            self.levels.push(Level {
                steps,
                next: 0,
                round: 0,
                rounds,
            });
        }
    }
}

fn numbered(text: &str, round: usize) -> String {
    let text = text.replace("{n}", &round.to_string());
    if !text.contains("{now}") {
        return text;
    }
    text.replace("{now}", &clock::milliseconds(SystemTime::now()).to_string())
}
