//! A project in a folder of its own, and ids that are counted.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pollux_model::Part;
use tempfile::TempDir;

use crate::id::{IdSource, SessionId};
use crate::project::Project;
use crate::recorder::{Answer, NewSession, Place, Prompt, Recorded, Recorder};
use crate::time::parse_iso;

pub(crate) struct Sandbox {
    pub(crate) dir: TempDir,
    pub(crate) project: Project,
}

#[derive(Default)]
pub(crate) struct Counted(u64);

impl IdSource for Counted {
    fn next_id(&mut self) -> String {
        self.0 += 1;
        format!("m{}", self.0)
    }
}

/// 2026-01-02T03:04:05Z and so many seconds.
pub(crate) fn at(seconds: u64) -> SystemTime {
    parse_iso("2026-01-02T03:04:05Z").unwrap() + Duration::from_secs(seconds)
}

pub(crate) fn counted() -> Box<dyn IdSource> {
    Box::new(Counted::default())
}

/// A whole id from its first character.
pub(crate) fn id(letter: char) -> SessionId {
    let short: String = std::iter::repeat_n(letter, 8).collect();
    SessionId::new(format!("{short}-0000-4000-8000-000000000000"))
}

pub(crate) fn new_session(id: SessionId, started: SystemTime) -> NewSession {
    NewSession {
        id,
        place: Place::Main,
        directories: Vec::new(),
        started,
    }
}

pub(crate) fn say(recorder: &mut Recorder, now: SystemTime, text: &str) -> String {
    let parts = [Part::Text(text.to_owned())];
    let prompt = Prompt {
        parts: &parts,
        typed: None,
        ..Prompt::default()
    };
    let receipt = recorder.prompt(now, &prompt).unwrap();
    assert_eq!(receipt.recorded, Recorded::Kept);
    receipt.id.to_string()
}

pub(crate) fn answer(recorder: &mut Recorder, now: SystemTime, text: &str) {
    let answer = Answer {
        text,
        model: Some("demo"),
        ..Answer::default()
    };
    assert_eq!(
        recorder.answer(now, &answer).unwrap().recorded,
        Recorded::Kept
    );
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let project = Project {
            slug: "app".to_owned(),
            root: PathBuf::from("/no-such/app"),
            folder: dir.path().join("tmp/app"),
            index: None,
        };
        Self { dir, project }
    }

    pub(crate) fn recorder(&self, id: SessionId, started: SystemTime) -> Recorder {
        Recorder::start(&self.project, &new_session(id, started), counted()).unwrap()
    }

    /// A session with one prompt and one answer.
    pub(crate) fn session(&self, id: SessionId, started: SystemTime, text: &str) -> PathBuf {
        let mut recorder = self.recorder(id, started);
        say(&mut recorder, started, text);
        answer(&mut recorder, started, "done");
        recorder.path().to_path_buf()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.project.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.project.folder.join(name).symlink_metadata().is_ok()
    }

    pub(crate) fn chat_names(&self) -> Vec<String> {
        names_in(&self.project.chats())
    }
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
