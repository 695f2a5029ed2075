//! What a session is in the middle of: what was typed and is not recorded yet, and the answer that has not ended.
//!
//! A record has whole messages only. So this lies beside it, in a file of the session's own that is gone as soon as
//! nothing is under way. Whoever has the record locked may write it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pollux_model::Thought;
use pollux_settings::{create_private_file, create_private_folder};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::SessionError;
use crate::id::{MessageId, SessionId, file_segment};
use crate::project::{Project, entries};

const NAME: &str = "underway.jsonl";

/// Bytes. Nobody queues this much; a file that is larger is not ours.
const LARGEST: u64 = 512 * 1024 * 1024;

/// Writes down what is under way. Blocks on the disk.
pub struct Underway {
    path: PathBuf,
    /// Nothing while nothing is under way.
    file: Option<File>,
    waiting: BTreeSet<u64>,
    turn: Turn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    None,
    Running,
}

/// What a process left that was killed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Left {
    /// What was typed and is in no record, in the order in which it waited. Named by place, from 1.
    pub waiting: Vec<Map<String, Value>>,
    /// The turn that ran.
    pub turn: Option<HalfTurn>,
}

/// A session of which nothing is recorded: its process ended before that.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrecorded {
    pub id: SessionId,
    pub updated: SystemTime,
    /// What was typed, never empty.
    pub waiting: Vec<Map<String, Value>>,
}

/// A turn that has not ended, and the answer that it was at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HalfTurn {
    pub model: Option<String>,
    pub text: String,
    pub thoughts: Vec<Thought>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Step {
    Prompt {
        id: u64,
        prompt: Map<String, Value>,
    },
    Gone(u64),
    Order(Vec<u64>),
    /// Something that was typed is about to be recorded in this message.
    Recording {
        message: String,
        prompt: Option<u64>,
        /// The turn that begins with it.
        turn: Option<u64>,
    },
    Recorded,
    Asked(String),
    Text(String),
    Thought {
        subject: String,
        description: String,
    },
    Answered,
    Ended,
}

impl Underway {
    /// Begins anew with what was left. What waited is in the file again before the old one is gone. A process may have
    /// been killed right after it had recorded something: `is_recorded` says which messages the record has.
    pub fn open(
        project: &Project,
        id: &SessionId,
        is_recorded: impl Fn(&MessageId) -> bool,
    ) -> Result<(Self, Left), SessionError> {
        let path = path_of(project, id)?;
        let left = match read(&path)? {
            Some(text) => fold(&text, is_recorded),
            None => Left::default(),
        };
        let mut underway = Self {
            path,
            file: None,
            waiting: BTreeSet::new(),
            turn: Turn::None,
        };
        underway.begin_with(&left.waiting)?;
        Ok((underway, left))
    }

    /// Keeps a prompt, or what it says now.
    pub fn prompt(&mut self, id: u64, prompt: Map<String, Value>) -> Result<(), SessionError> {
        self.waiting.insert(id);
        self.write(&Step::Prompt { id, prompt })
    }

    /// It was taken back, or is nothing to record.
    pub fn gone(&mut self, id: u64) -> Result<(), SessionError> {
        match self.waiting.remove(&id) {
            true => self.write(&Step::Gone(id)),
            false => Ok(()),
        }
    }

    pub fn order(&mut self, ids: Vec<u64>) -> Result<(), SessionError> {
        self.write(&Step::Order(ids))
    }

    /// Something that was typed is about to be recorded in a message; a turn may begin with it.
    pub fn recording(
        &mut self,
        message: &MessageId,
        prompt: Option<u64>,
        turn: Option<u64>,
    ) -> Result<(), SessionError> {
        if turn.is_some() {
            self.turn = Turn::Running;
        }
        self.write(&Step::Recording {
            message: message.as_str().to_owned(),
            prompt,
            turn,
        })
    }

    /// The message is in the record.
    pub fn recorded(&mut self, prompt: Option<u64>) -> Result<(), SessionError> {
        if let Some(prompt) = prompt {
            self.waiting.remove(&prompt);
        }
        self.write(&Step::Recorded)
    }

    /// The model is asked; what it said before and did not end does not count.
    pub fn asked(&mut self, model: &str) -> Result<(), SessionError> {
        self.write(&Step::Asked(model.to_owned()))
    }

    pub fn text(&mut self, text: &str) -> Result<(), SessionError> {
        self.write(&Step::Text(text.to_owned()))
    }

    pub fn thought(&mut self, thought: &Thought) -> Result<(), SessionError> {
        self.write(&Step::Thought {
            subject: thought.subject.clone(),
            description: thought.description.clone(),
        })
    }

    /// The answer is in the record.
    pub fn answered(&mut self) -> Result<(), SessionError> {
        self.write(&Step::Answered)
    }

    pub fn turn_ended(&mut self) -> Result<(), SessionError> {
        self.turn = Turn::None;
        self.write(&Step::Ended)
    }

    fn begin_with(&mut self, waiting: &[Map<String, Value>]) -> Result<(), SessionError> {
        if waiting.is_empty() {
            return self.clear();
        }
        let mut lines = Vec::new();
        for (id, prompt) in (1..).zip(waiting) {
            self.waiting.insert(id);
            let prompt = prompt.clone();
            append(&mut lines, &Step::Prompt { id, prompt })
                .map_err(SessionError::io(&self.path))?;
        }
        let temporary = self.path.with_extension("tmp");
        // Left by a process that was killed right here.
        let _usually_absent = fs::remove_file(&temporary);
        let written = create_private_file(&temporary).and_then(|mut file| {
            file.write_all(&lines)?;
            fs::rename(&temporary, &self.path)?;
            Ok(file)
        });
        self.file = Some(written.map_err(SessionError::io(&self.path))?);
        Ok(())
    }

    fn write(&mut self, step: &Step) -> Result<(), SessionError> {
        if self.turn == Turn::None && self.waiting.is_empty() {
            return self.clear();
        }
        let mut line = Vec::new();
        append(&mut line, step).map_err(SessionError::io(&self.path))?;
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.create()?,
        };
        file.write_all(&line)
            .map_err(SessionError::io(&self.path))?;
        self.file = Some(file);
        Ok(())
    }

    fn create(&self) -> Result<File, SessionError> {
        if let Some(folder) = self.path.parent() {
            create_private_folder(folder).map_err(SessionError::io(folder))?;
        }
        let _usually_absent = fs::remove_file(&self.path);
        create_private_file(&self.path).map_err(SessionError::io(&self.path))
    }

    /// Nothing is under way. The folder goes too, unless the session has something else in it.
    fn clear(&mut self) -> Result<(), SessionError> {
        self.file = None;
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(SessionError::io(&self.path)(error));
            }
            Err(_) => return Ok(()),
            Ok(()) => {}
        }
        if let Some(folder) = self.path.parent() {
            let _not_empty = fs::remove_dir(folder);
        }
        Ok(())
    }
}

fn append(lines: &mut Vec<u8>, step: &Step) -> std::io::Result<()> {
    serde_json::to_writer(&mut *lines, step)?;
    lines.push(b'\n');
    Ok(())
}

/// Nothing where there is no file of ours.
fn read(path: &Path) -> Result<Option<Vec<u8>>, SessionError> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() && found.len() <= LARGEST => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(SessionError::io(path)(error)),
    }
    fs::read(path).map(Some).map_err(SessionError::io(path))
}

/// The texts that sessions left which never got as far as a record: what was typed first, by session.
pub fn unrecorded_prompts(
    project: &Project,
    is_recorded: impl Fn(&SessionId) -> bool,
) -> Result<Vec<Unrecorded>, SessionError> {
    let mut found = Vec::new();
    for entry in entries(&project.folder)?.into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(id) = name.to_str().map(SessionId::new) else {
            continue;
        };
        // A name that is none of ours would be that of another session's folder.
        let is_a_name = id.file_segment().as_deref() == Some(id.as_str());
        let path = entry.path().join(NAME);
        let Some(updated) = path.metadata().and_then(|found| found.modified()).ok() else {
            continue;
        };
        if !is_a_name || is_recorded(&id) {
            continue;
        }
        let Some(text) = read(&path)? else {
            continue;
        };
        let waiting = fold(&text, |_| false).waiting;
        if !waiting.is_empty() {
            found.push(Unrecorded {
                id,
                updated,
                waiting,
            });
        }
    }
    found.sort_by_key(|session| session.updated);
    Ok(found)
}

/// Whether a session has left something, recorded or not.
pub fn is_underway(project: &Project, id: &SessionId) -> bool {
    path_of(project, id).is_ok_and(|path| path.is_file())
}

fn path_of(project: &Project, id: &SessionId) -> Result<PathBuf, SessionError> {
    let segment = file_segment(id.as_str()).ok_or_else(|| SessionError::UnsuitableId {
        id: id.as_str().to_owned(),
    })?;
    Ok(project.folder.join(segment).join(NAME))
}

/// Something that was typed, between two files.
struct Intent {
    message: MessageId,
    prompt: Option<u64>,
    turn: Option<u64>,
}

/// A line that was cut off says nothing.
fn fold(text: &[u8], is_recorded: impl Fn(&MessageId) -> bool) -> Left {
    let mut waiting: Vec<(u64, Map<String, Value>)> = Vec::new();
    let mut turn: Option<HalfTurn> = None;
    let mut intent: Option<Intent> = None;
    let take = |intent: Intent, waiting: &mut Vec<(u64, _)>, turn: &mut Option<HalfTurn>| {
        waiting.retain(|(known, _)| Some(*known) != intent.prompt);
        if intent.turn.is_some() {
            *turn = Some(HalfTurn::default());
        }
    };
    for line in text.split(|byte| *byte == b'\n') {
        let Ok(step) = serde_json::from_slice::<Step>(line) else {
            continue;
        };
        match step {
            Step::Prompt { id, prompt } => {
                match waiting.iter_mut().find(|(known, _)| *known == id) {
                    Some((_, said)) => *said = prompt,
                    None => waiting.push((id, prompt)),
                }
            }
            Step::Gone(id) => waiting.retain(|(known, _)| *known != id),
            Step::Order(ids) => {
                // Those that it does not name were first: they had their turn already, or nearly.
                waiting.sort_by_key(|(id, _)| ids.iter().position(|other| other == id));
            }
            Step::Recording {
                message,
                prompt,
                turn,
            } => {
                intent = Some(Intent {
                    message: MessageId::new(message),
                    prompt,
                    turn,
                });
            }
            Step::Recorded => {
                if let Some(intent) = intent.take() {
                    take(intent, &mut waiting, &mut turn);
                }
            }
            Step::Asked(model) => {
                if let Some(half) = &mut turn {
                    *half = HalfTurn {
                        model: Some(model),
                        ..HalfTurn::default()
                    };
                }
            }
            Step::Text(text) => {
                if let Some(half) = &mut turn {
                    half.text.push_str(&text);
                }
            }
            Step::Thought {
                subject,
                description,
            } => {
                if let Some(half) = &mut turn {
                    half.thoughts.push(Thought {
                        subject,
                        description,
                    });
                }
            }
            Step::Answered => {
                if let Some(half) = &mut turn {
                    *half = HalfTurn::default();
                }
            }
            Step::Ended => turn = None,
        }
    }
    if let Some(intent) = intent.filter(|intent| is_recorded(&intent.message)) {
        take(intent, &mut waiting, &mut turn);
    }
    Left {
        waiting: waiting.into_iter().map(|(_, prompt)| prompt).collect(),
        turn,
    }
}

#[cfg(test)]
mod tests;
