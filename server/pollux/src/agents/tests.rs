use std::sync::atomic::{AtomicUsize, Ordering};

use pollux_agent::OneVoice;
use pollux_model::{ChainMode, Demo, Model, Pace};
use serde_json::json;

use super::registry::tests::Disk;
use super::*;

/// Counts how often it is asked.
struct Counting {
    disk: Arc<Disk>,
    asked: Arc<AtomicUsize>,
}

impl Home for Counting {
    fn settings(&self) -> Loaded {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.disk.loaded()
    }

    fn voices(&self, model: &str) -> Result<Arc<dyn Voices>, String> {
        match model {
            "missing" => Err("there is no such model".to_owned()),
            name => Ok(OneVoice::named(
                Model::Demo(Demo::new(Pace::Instant)),
                name.to_owned(),
            )),
        }
    }

    fn journal(&self, _: &AgentRun<'_>) -> Option<Box<dyn Journal>> {
        None
    }
}

struct Bench {
    disk: Arc<Disk>,
    agents: SessionAgents,
    asked: Arc<AtomicUsize>,
}

impl Bench {
    fn new(audience: Audience) -> Self {
        let disk = Arc::new(Disk::new());
        let asked = Arc::new(AtomicUsize::new(0));
        let home = Counting {
            disk: Arc::clone(&disk),
            asked: Arc::clone(&asked),
        };
        let loaded = Arc::new(disk.loaded());
        let folder = disk.folder.clone();
        Self {
            disk,
            agents: SessionAgents::new(folder, loaded, audience, Box::new(home)),
            asked,
        }
    }

    /// With the next prompt.
    fn offered(&self) -> Vec<String> {
        let _told = self.agents.news();
        let offered = self.agents.offered();
        offered.iter().map(|agent| agent.name.clone()).collect()
    }
}

const BUILT_IN: [&str; 2] = ["codebase_investigator", "generalist"];

#[test]
fn files_are_read_when_somebody_asks_and_again_only_when_they_change() {
    let bench = Bench::new(Audience::Interactive);
    assert!(bench.agents.known_registry().is_none());
    assert_eq!(bench.offered(), BUILT_IN);
    let first = bench.agents.registry();
    assert!(Arc::ptr_eq(&first, &bench.agents.registry()));
    assert_eq!(bench.asked.load(Ordering::Relaxed), 0);
    bench.disk.user("mine", "");
    assert_eq!(bench.offered(), [&BUILT_IN[..], &["mine"]].concat());
    assert_eq!(bench.asked.load(Ordering::Relaxed), 1);
    bench
        .disk
        .settings(r#"{"agents": {"overrides": {"mine": {"enabled": false}}}}"#);
    assert_eq!(bench.offered(), BUILT_IN);
}

#[test]
fn an_agent_of_the_project_is_there_once_it_is_acknowledged() {
    let bench = Bench::new(Audience::Interactive);
    bench.disk.project("theirs", "");
    bench.disk.project("other", "");
    assert_eq!(bench.offered(), BUILT_IN);
    let unknown = AgentOrder::Acknowledge("nobody".to_owned());
    assert_eq!(
        bench.agents.obey(&unknown),
        "No agent `nobody` of this project waits to be acknowledged."
    );
    let one = AgentOrder::Acknowledge("theirs".to_owned());
    assert_eq!(
        bench.agents.obey(&one),
        "Acknowledged: `theirs`. A file that changes has to be acknowledged again."
    );
    assert_eq!(bench.offered(), [&BUILT_IN[..], &["theirs"]].concat());
    bench.agents.obey(&AgentOrder::AcknowledgeAll);
    assert_eq!(
        bench.offered(),
        [&BUILT_IN[..], &["other", "theirs"]].concat()
    );
    bench.disk.project("theirs", "max_turns: 1\n");
    assert_eq!(bench.offered(), [&BUILT_IN[..], &["other"]].concat());
}

#[test]
fn agents_are_switched_off_and_on_at_once() {
    let bench = Bench::new(Audience::Interactive);
    let generalist = "generalist".to_owned();
    let answer = bench.agents.obey(&AgentOrder::Disable(generalist.clone()));
    assert!(answer.ends_with("It is off now."), "{answer}");
    assert_eq!(bench.offered(), ["codebase_investigator"]);
    let answer = bench.agents.obey(&AgentOrder::Enable(generalist));
    assert!(answer.ends_with("It is on now."), "{answer}");
    assert_eq!(bench.offered(), BUILT_IN);
    let answer = bench.agents.obey(&AgentOrder::Enable("nobody".to_owned()));
    assert!(
        answer.starts_with("There is no sub-agent `nobody`"),
        "{answer}"
    );
}

#[test]
fn a_person_is_told_once_what_nobody_has_acknowledged_and_again_when_it_changes() {
    let bench = Bench::new(Audience::Interactive);
    assert_eq!(bench.agents.news(), None);
    bench.disk.project("theirs", "");
    let news = bench.agents.news().unwrap();
    assert!(news.contains("`theirs`"), "{news}");
    assert_eq!(bench.agents.news(), None);
    bench.disk.project("theirs", "max_turns: 1\n");
    assert!(bench.agents.news().is_some());
    bench.disk.project("broken", "colour: red\n");
    let news = bench.agents.news().unwrap();
    assert_eq!(
        news,
        "Not everything that describes sub-agents can be used; `/agents` says what and why."
    );
}

#[test]
fn nobody_is_told_where_nobody_reads() {
    let bench = Bench::new(Audience::Headless);
    bench.disk.project("theirs", "");
    assert_eq!(bench.agents.news(), None);
}

#[test]
fn an_agent_is_answered_by_the_model_that_it_names_and_in_its_own_way() {
    let bench = Bench::new(Audience::Interactive);
    bench.disk.user("hot", "model: m\ntemperature: 0.9\n");
    bench.disk.user("plain", "temperature: 0.9\n");
    bench.disk.user("lost", "model: missing\n");
    let offered = bench.agents.offered();
    let voices = |name: &str| {
        let agent = offered.iter().find(|agent| agent.name == name).unwrap();
        bench.agents.voices(agent)
    };
    let tempered = |name: &str, voices: Arc<dyn Voices>| {
        let agent = offered.iter().find(|agent| agent.name == name).unwrap();
        bench.agents.tempered(agent, voices)
    };
    let hot = tempered("hot", voices("hot").unwrap());
    assert_eq!(hot.requested(), "m");
    assert_eq!(hot.chain("m", ChainMode::Normal).policies().count(), 1);
    let generation = hot.voice("m", None).unwrap().generation;
    assert_eq!(
        serde_json::Value::Object(generation),
        json!({ "topP": 0.95, "temperature": 0.9 })
    );
    assert!(voices("plain").is_none());
    let session = OneVoice::shared(Model::Demo(Demo::new(Pace::Instant)));
    let plain = tempered("plain", Arc::clone(&session));
    let generation = plain.voice("demo", None).unwrap().generation;
    assert_eq!(generation.get("temperature"), Some(&json!(0.9)));
    let unmoved = tempered("lost", Arc::clone(&session));
    assert!(Arc::ptr_eq(&unmoved, &session));
    assert!(voices("lost").is_none());
}

#[test]
fn what_an_author_may_refer_to_is_known() {
    let bench = Bench::new(Audience::Interactive);
    assert!(bench.agents.fact("today").is_some());
    assert_eq!(
        bench.agents.fact("cliVersion").as_deref(),
        Some(env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(bench.agents.fact("query"), None);
}
