use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use pollux_agent::{Equipment, Offered, ToolSet};
use pollux_settings::agents::acknowledge;
use pollux_settings::{EditorTrust, Environment};
use tempfile::TempDir;

use super::*;
use crate::equipment::DiskScratch;

/// A home with a project in it.
pub(in crate::agents) struct Disk {
    home: TempDir,
    pub(in crate::agents) folder: PathBuf,
}

impl Disk {
    pub(in crate::agents) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = pollux_settings::real_path(home.path()).join("project");
        fs::create_dir_all(folder.join(".gemini").join("agents")).unwrap();
        fs::create_dir_all(home.path().join(".gemini").join("agents")).unwrap();
        Self { home, folder }
    }

    pub(in crate::agents) fn project(&self, name: &str, more: &str) {
        let path = self.folder.join(".gemini/agents");
        fs::write(path.join(format!("{name}.md")), text(name, more)).unwrap();
    }

    pub(in crate::agents) fn user(&self, name: &str, more: &str) {
        let path = self.home.path().join(".gemini/agents");
        fs::write(path.join(format!("{name}.md")), text(name, more)).unwrap();
    }

    pub(in crate::agents) fn remove_user(&self, name: &str) {
        let path = self.home.path().join(".gemini/agents");
        fs::remove_file(path.join(format!("{name}.md"))).unwrap();
    }

    pub(in crate::agents) fn settings(&self, text: &str) {
        let path = self.home.path().join(".gemini/settings.json");
        fs::write(path, text).unwrap();
    }

    pub(in crate::agents) fn loaded(&self) -> Loaded {
        self.loaded_by(EditorTrust::Trusted)
    }

    pub(in crate::agents) fn loaded_by(&self, trust: EditorTrust) -> Loaded {
        let home = self.home.path().to_str().unwrap();
        let nowhere = self.home.path().join("system.json");
        let environment = Environment::from_iter([
            ("HOME", home),
            ("USERPROFILE", home),
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", nowhere.to_str().unwrap()),
        ]);
        pollux_settings::load(&environment, &self.folder, trust)
    }

    fn registry(&self) -> Registry {
        Registry::load(&self.loaded(), &self.folder)
    }

    fn acknowledge_all(&self) {
        let registry = self.registry();
        let unseen: Vec<&AgentFile> = registry.unseen().collect();
        acknowledge(&self.loaded().locations, &self.folder, unseen).unwrap();
    }
}

fn text(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\n{more}---\nDo it.\n")
}

fn standings(registry: &Registry) -> Vec<(&str, Standing)> {
    let entries = registry.entries.iter();
    entries
        .map(|entry| (entry.name(), entry.standing))
        .collect()
}

fn offered(registry: &Registry) -> Vec<String> {
    let offered = registry.offered();
    offered.iter().map(|agent| agent.name.clone()).collect()
}

#[test]
fn those_that_come_along_are_first_and_a_projects_wait_for_a_person() {
    let disk = Disk::new();
    disk.user("mine", "");
    disk.project("theirs", "");
    assert_eq!(
        standings(&disk.registry()),
        [
            ("codebase_investigator", Standing::On),
            ("generalist", Standing::On),
            ("theirs", Standing::Unseen),
            ("mine", Standing::On),
        ]
    );
    disk.acknowledge_all();
    assert_eq!(
        offered(&disk.registry()),
        ["codebase_investigator", "generalist", "theirs", "mine"]
    );
}

#[test]
fn an_agent_that_was_edited_after_somebody_looked_at_it_waits_again() {
    let disk = Disk::new();
    disk.project("theirs", "");
    disk.acknowledge_all();
    assert_eq!(disk.registry().standing("theirs"), Some(Standing::On));
    disk.project("theirs", "max_turns: 3\n");
    assert_eq!(disk.registry().standing("theirs"), Some(Standing::Unseen));
}

#[test]
fn a_name_that_is_taken_is_not_given_twice_and_it_is_said() {
    let disk = Disk::new();
    disk.project("generalist", "");
    disk.project("scout", "");
    disk.user("scout", "");
    disk.acknowledge_all();
    let registry = disk.registry();
    let scouts: Vec<AgentOrigin> = registry
        .entries
        .iter()
        .filter(|entry| entry.name() == "scout")
        .filter_map(|entry| Some(entry.file.as_ref()?.origin))
        .collect();
    assert_eq!(scouts, [AgentOrigin::Project]);
    let generalist = registry.entry("generalist").unwrap();
    assert!(generalist.file.is_none());
    let problems = registry.problems.join("\n");
    assert!(problems.contains("there is an agent `generalist` already"));
    assert!(problems.contains("there is an agent `scout` already"));
}

#[test]
fn an_agent_that_nobody_has_looked_at_takes_nobodys_name() {
    let disk = Disk::new();
    disk.project("scout", "");
    disk.user("scout", "");
    let registry = disk.registry();
    let scout = registry.entry("scout").unwrap();
    let origin = scout.file.as_ref().map(|file| file.origin);
    assert_eq!(origin, Some(AgentOrigin::User));
    assert_eq!(registry.unseen().count(), 1);
}

#[test]
fn of_two_files_with_one_name_the_first_waits_and_the_other_is_left_out() {
    let disk = Disk::new();
    disk.project("scout", "");
    let folder = disk.folder.join(".gemini/agents");
    fs::copy(folder.join("scout.md"), folder.join("a.md")).unwrap();
    let registry = disk.registry();
    let unseen: Vec<PathBuf> = registry.unseen().map(|file| file.path.clone()).collect();
    assert_eq!(unseen, [folder.join("a.md")]);
    assert_eq!(registry.problems.len(), 1);
}

#[test]
fn an_untrusted_project_brings_none() {
    let disk = Disk::new();
    disk.project("theirs", "");
    let loaded = disk.loaded_by(EditorTrust::Untrusted);
    let registry = Registry::load(&loaded, &disk.folder);
    assert_eq!(offered(&registry), ["codebase_investigator", "generalist"]);
    assert_eq!(registry.unseen().count(), 0);
    assert!(registry.problems.join("").contains("not trusted"));
}

#[test]
fn settings_count_over_what_an_author_says() {
    let disk = Disk::new();
    disk.user(
        "mine",
        "tools: [read_file]\nmodel: theirs\ntemperature: 0.7\n",
    );
    disk.settings(
        r#"{"agents": {"overrides": {
            "generalist": {"enabled": false},
            "mine": {
                "enabled": true,
                "runConfig": {"maxTurns": 4, "maxTimeMinutes": 2},
                "modelConfig": {"model": "own", "generateContentConfig": {"temperature": 0.1}},
                "tools": ["glob"]
            }
        }}}"#,
    );
    let registry = disk.registry();
    assert_eq!(registry.standing("generalist"), Some(Standing::Off));
    assert_eq!(offered(&registry), ["codebase_investigator", "mine"]);
    let mine = registry.entry("mine").unwrap();
    assert_eq!(mine.model.as_deref(), Some("own"));
    assert_eq!(
        Value::Object(mine.generation.clone()),
        json!({ "topP": 0.95, "temperature": 0.1 })
    );
    let definition = &mine.definition;
    assert_eq!(definition.max_turns, 4);
    assert_eq!(definition.max_time, Duration::from_secs(120));
    assert_eq!(definition.tools, AgentTools::Named(vec!["glob".to_owned()]));
}

#[test]
fn what_a_file_leaves_open_is_as_in_the_twin() {
    let disk = Disk::new();
    disk.user("mine", "");
    let registry = disk.registry();
    let mine = &registry.entry("mine").unwrap().definition;
    assert_eq!(
        (mine.query.as_str(), mine.input.as_str()),
        ("${query}", "query")
    );
    assert_eq!(
        (mine.max_turns, mine.max_time),
        (30, Duration::from_secs(600))
    );
    assert_eq!(
        (&mine.tools, &mine.result),
        (&AgentTools::All, &AgentResult::Text)
    );
    assert_eq!(mine.instructions, "Do it.");
}

#[test]
fn nobody_is_there_when_agents_are_switched_off() {
    let disk = Disk::new();
    disk.user("mine", "");
    disk.settings(r#"{"experimental": {"enableAgents": false}}"#);
    let registry = disk.registry();
    assert_eq!(offered(&registry), Vec::<String>::new());
    assert_eq!(registry.switch, Switch::Off);
}

/// Settings cannot ask the agent which tools there are.
#[test]
fn every_tool_of_ours_can_be_given_to_an_agent() {
    let equipment = Equipment {
        many_files: Offered::Yes,
        topics: Offered::Yes,
        todos: Offered::Yes,
        questions: Offered::Yes,
        web_search: Offered::Yes,
        scratch: Some(Arc::new(DiskScratch::new(PathBuf::new()))),
        tracker: Some("tracker".to_owned()),
        ..Equipment::default()
    };
    let names = ToolSet::built_in(&equipment).names();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(pollux_settings::agents::is_tool_name(&name), "{name}");
    }
}

#[test]
fn what_comes_along_asks_for_tools_that_there_are() {
    for agent in built_in::all() {
        if let AgentTools::Named(tools) = &agent.tools {
            let known = |tool: &&String| pollux_settings::agents::is_tool_name(tool);
            assert_eq!(tools.iter().filter(known).count(), tools.len());
        }
        let placeholder = format!("${{{}}}", agent.input);
        assert!(agent.query.contains(&placeholder), "{}", agent.name);
        assert!(!agent.instructions.contains("${"), "{}", agent.name);
    }
}
