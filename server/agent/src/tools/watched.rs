//! What happened in a session that makes some commands worth a second look.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pollux_exec::RefusedAccess;
use pollux_policy::is_build_file;

use super::untrusted::Outside;

/// Shared by the tools of one session.
#[derive(Default)]
pub(crate) struct Watched {
    outside: Mutex<Outside>,
    build_files: Arc<Mutex<BTreeSet<String>>>,
    /// Commands that were taken for read-only, and what they tried to do.
    writing: Mutex<BTreeMap<String, String>>,
}

impl Watched {
    pub(super) fn new(build_files: Arc<Mutex<BTreeSet<String>>>) -> Self {
        Self {
            outside: Mutex::default(),
            build_files,
            writing: Mutex::default(),
        }
    }

    pub(super) fn heard(&self, text: &str) {
        lock(&self.outside).remember(text);
    }

    /// Whether text from outside has this word.
    pub(super) fn came_from_outside(&self, word: &str) -> bool {
        lock(&self.outside).said(word)
    }

    /// A file was written. Of build files this is remembered, because what builds from them runs what they say.
    pub(super) fn wrote(&self, path: &Path) {
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(is_build_file) {
            lock(&self.build_files).insert(path.display().to_string());
        }
    }

    /// A command that ran read-only tried to do more.
    pub(crate) fn refused(&self, command: &str, refused: &[RefusedAccess]) {
        if let Some(first) = refused.first() {
            // A path may hold anything, and this is shown to a person.
            let attempt = first.to_string().replace(char::is_control, "?");
            lock(&self.writing).insert(command.to_owned(), attempt);
        }
    }

    /// What a command tried to do when it ran read-only.
    pub(crate) fn write_attempt(&self, command: &str) -> Option<String> {
        lock(&self.writing).get(command).cloned()
    }

    pub(super) fn changed_build_files(&self) -> BTreeSet<String> {
        lock(&self.build_files).clone()
    }
}

/// Every change is one call, so a panic elsewhere leaves nothing half done.
fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
