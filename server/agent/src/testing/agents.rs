//! Sub-agents for a test, and what their records would hold.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::agents::{AgentDefinition, AgentResult, AgentRun, AgentTools, Agents};
use crate::{Entry, Journal, Voices};

#[derive(Default)]
pub(crate) struct TestAgents {
    pub(crate) agents: Vec<AgentDefinition>,
    pub(crate) recorded: Arc<Mutex<Vec<String>>>,
    /// Until somebody has heard it.
    pub(crate) news: Mutex<Option<String>>,
}

impl TestAgents {
    pub(crate) fn new(agents: impl Into<Vec<AgentDefinition>>) -> Arc<Self> {
        Arc::new(Self {
            agents: agents.into(),
            recorded: Arc::default(),
            news: Mutex::default(),
        })
    }

    /// One line for each entry that counts.
    pub(crate) fn recorded(&self) -> String {
        self.recorded.lock().unwrap().join("\n")
    }
}

impl Agents for TestAgents {
    fn offered(&self) -> Vec<Arc<AgentDefinition>> {
        self.agents.iter().cloned().map(Arc::new).collect()
    }

    fn voices(&self, _: &AgentDefinition) -> Option<Arc<dyn Voices>> {
        None
    }

    fn fact(&self, name: &str) -> Option<String> {
        (name == "today").then(|| "a Monday".to_owned())
    }

    fn news(&self) -> Option<String> {
        self.news.lock().unwrap().take()
    }

    fn journal(&self, run: &AgentRun<'_>) -> Box<dyn Journal> {
        let begins = format!("run of {}", run.agent.name);
        self.recorded.lock().unwrap().push(begins);
        Box::new(TestJournal(Arc::clone(&self.recorded)))
    }
}

struct TestJournal(Arc<Mutex<Vec<String>>>);

impl Journal for TestJournal {
    fn record(&mut self, entry: Entry<'_>) {
        let line = match entry {
            Entry::Prompt { typed, .. } => format!("prompt {typed}"),
            Entry::Answer { parts, .. } => format!("answer of {} parts", parts.len()),
            Entry::Tool { title, outcome, .. } => format!("{title}: {outcome:?}"),
            Entry::Titled { title } => format!("title {title}"),
            Entry::TurnEnded { outcome, .. } => format!("ended {outcome:?}"),
            _ => return,
        };
        self.0.lock().unwrap().push(line);
    }
}

/// An agent that may do what it likes, three times.
pub(crate) fn agent(name: &str) -> AgentDefinition {
    AgentDefinition {
        name: name.to_owned(),
        display_name: None,
        description: "Finds things".to_owned(),
        instructions: "You find things. It is ${today}.".to_owned(),
        query: "${query}".to_owned(),
        input: "query".to_owned(),
        tools: AgentTools::All,
        result: AgentResult::Text,
        max_turns: 3,
        max_time: Duration::from_secs(600),
    }
}
