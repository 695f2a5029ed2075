use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Characters of a prompt that make a title.
const LONGEST: usize = 100;

/// What a session is called. The person's word counts most, then the model's topic, then the first prompt.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedTitle(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    text: Option<String>,
    by: Namer,
    /// What the record does not have yet.
    unrecorded: Option<String>,
}

/// Who has named the session. A later one in this list is not overruled by an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Namer {
    #[default]
    Nobody,
    Prompt,
    Topic,
    Person,
}

impl SharedTitle {
    /// A recorded title may be the person's own, so it stays until they give another. A session that has had turns
    /// goes by the first of them.
    pub(crate) fn new(recorded: Option<String>, turns: u64) -> Self {
        let by = match (&recorded, turns) {
            (Some(_), _) => Namer::Person,
            (None, 0) => Namer::Nobody,
            (None, _) => Namer::Prompt,
        };
        Self(Arc::new(Mutex::new(Held {
            text: recorded,
            by,
            unrecorded: None,
        })))
    }

    /// The new title, when the first prompt gives one.
    pub(crate) fn by_prompt(&self, prompt: &str) -> Option<String> {
        let mut held = self.held();
        if held.by != Namer::Nobody {
            return None;
        }
        // Every list makes the same of the recorded prompt, so there is nothing to record.
        held.set(Namer::Prompt, one_line(prompt))
    }

    /// The new title, when the model's topic gives one.
    pub(crate) fn by_topic(&self, topic: &str) -> Option<String> {
        let mut held = self.held();
        if held.by > Namer::Topic {
            return None;
        }
        let title = held.set(Namer::Topic, one_line(topic))?;
        held.unrecorded = Some(title.clone());
        Some(title)
    }

    /// The new title, unless it is an empty one.
    pub(crate) fn by_person(&self, title: &str) -> Option<String> {
        let title = one_line(title);
        if title.is_empty() {
            return None;
        }
        let mut held = self.held();
        held.by = Namer::Person;
        held.text = Some(title.clone());
        held.unrecorded = Some(title.clone());
        Some(title)
    }

    pub(crate) fn take_unrecorded(&self) -> Option<String> {
        self.held().unrecorded.take()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn set(&mut self, by: Namer, title: String) -> Option<String> {
        if title.is_empty() || self.text.as_deref() == Some(title.as_str()) {
            return None;
        }
        self.by = by;
        self.text = Some(title.clone());
        Some(title)
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ");
    let shown = line.chars().filter(|c| !c.is_control());
    match line.char_indices().nth(LONGEST) {
        None => shown.collect(),
        Some(_) => {
            let mut short: String = shown.take(LONGEST - 1).collect();
            short.push('…');
            short
        }
    }
}

#[cfg(test)]
mod tests;
