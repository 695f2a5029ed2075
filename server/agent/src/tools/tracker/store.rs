//! The tasks of a session, held to a few laws: whatever a task names is there, nothing waits for itself, and what is
//! closed waits for nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};

use super::task::{Status, Task};
use crate::Scratch;
use crate::tools::{ErrorKind, ToolError};

pub(super) struct Store {
    scratch: Arc<dyn Scratch>,
    folder: String,
    /// Calls run side by side, and a law that was checked must still hold when the file is written.
    turn: Mutex<()>,
}

/// All tasks, while nobody else can change them.
pub(super) struct Tasks<'store> {
    store: &'store Store,
    tasks: BTreeMap<String, Task>,
    _turn: MutexGuard<'store, ()>,
}

impl Store {
    pub(super) fn new(scratch: Arc<dyn Scratch>, folder: &str) -> Self {
        Self {
            scratch,
            folder: folder.to_owned(),
            turn: Mutex::new(()),
        }
    }

    /// The tasks as their files hold them. A file that makes no sense is passed over: it is not ours.
    pub(super) async fn open(&self) -> Result<Tasks<'_>, ToolError> {
        let turn = self.turn.lock().await;
        let names = self.scratch.list(&self.folder).await.map_err(unreadable)?;
        let mut tasks = BTreeMap::new();
        for name in names {
            let Some(id) = name.strip_suffix(".json").filter(|id| is_id(id)) else {
                continue;
            };
            let name = format!("{}/{name}", self.folder);
            let text = self.scratch.read(&name).await.map_err(unreadable)?;
            match serde_json::from_str::<Task>(&text) {
                Ok(task) if task.id == id => {
                    tasks.insert(id.to_owned(), task);
                }
                _ => tracing::warn!(name, "a task's file makes no sense"),
            }
        }
        Ok(Tasks {
            store: self,
            tasks,
            _turn: turn,
        })
    }
}

impl Tasks<'_> {
    pub(super) fn all(&self) -> impl Iterator<Item = &Task> {
        self.tasks.values()
    }

    pub(super) fn get(&self, id: &str) -> Result<&Task, ToolError> {
        self.tasks
            .get(id)
            .ok_or_else(|| refused(format!("there is no task {id}")))
    }

    /// An id that no task has.
    pub(super) fn new_id(&self) -> String {
        loop {
            let random = uuid::Uuid::new_v4().simple().to_string();
            let id: String = random.chars().take(6).collect();
            if !self.tasks.contains_key(&id) {
                return id;
            }
        }
    }

    /// Writes a task if the laws hold with it.
    pub(super) async fn put(&mut self, task: Task) -> Result<(), ToolError> {
        self.check(&task)?;
        let name = format!("{}/{}.json", self.store.folder, task.id);
        let text = serde_json::to_string_pretty(&task).map_err(io::Error::other);
        let text = text.map_err(unwritable)?;
        let scratch = &self.store.scratch;
        scratch.write(&name, &text).await.map_err(unwritable)?;
        self.tasks.insert(task.id.clone(), task);
        Ok(())
    }

    fn check(&self, task: &Task) -> Result<(), ToolError> {
        let id = &task.id;
        if task.title.trim().is_empty() {
            return Err(refused("a task must have a title"));
        }
        if let Some(parent) = &task.parent_id {
            self.check_parents(id, parent)?;
        }
        for dependency in &task.dependencies {
            if dependency == id {
                return Err(refused(format!("the task {id} cannot wait for itself")));
            }
            let held = self.get(dependency)?;
            if task.status == Status::Closed && held.status != Status::Closed {
                return Err(refused(format!(
                    "the task {id} cannot be closed: it waits for {dependency}, which is {}",
                    held.status.name()
                )));
            }
            if self.waits_for(dependency, id) {
                return Err(refused(format!(
                    "the task {dependency} waits for {id} already, so {id} cannot wait for it: that would be a circle"
                )));
            }
        }
        Ok(())
    }

    fn check_parents(&self, id: &str, parent: &str) -> Result<(), ToolError> {
        let mut above = Some(parent);
        let mut seen = BTreeSet::new();
        while let Some(one) = above.filter(|one| seen.insert(one.to_owned())) {
            if one == id {
                return Err(refused(format!("the task {id} cannot be its own parent")));
            }
            above = self.get(one)?.parent_id.as_deref();
        }
        Ok(())
    }

    /// Whether one task must wait, by whatever way, until another is closed.
    fn waits_for(&self, one: &str, other: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut left = vec![one];
        while let Some(id) = left.pop() {
            if id == other {
                return true;
            }
            let task = self.tasks.get(id).filter(|_| seen.insert(id));
            let next = task.into_iter().flat_map(|task| &task.dependencies);
            left.extend(next.map(String::as_str));
        }
        false
    }
}

fn is_id(id: &str) -> bool {
    id.len() == 6 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(super) fn refused(told: impl Into<String>) -> ToolError {
    ToolError::new(ErrorKind::ExecutionFailed, told)
}

fn unreadable(error: io::Error) -> ToolError {
    let told = format!("the tasks cannot be read: {error}");
    ToolError::new(ErrorKind::ReadContentFailure, told)
}

fn unwritable(error: io::Error) -> ToolError {
    let kind = match error.kind() {
        io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        io::ErrorKind::StorageFull => ErrorKind::NoSpaceLeft,
        _ => ErrorKind::FileWriteFailure,
    };
    ToolError::new(kind, format!("the task cannot be written: {error}"))
}
