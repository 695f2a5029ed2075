//! Paths as people write them to an agent: `@src/a.ts` means `src/a.ts`, unless there really is such a thing.

use std::borrow::Cow;

use pollux_model::FunctionCall;
use serde_json::Value;

use super::Scheduler;
use crate::{FileError, WorkspacePath};

/// The arguments that name a file or a folder.
const PATHS: [&str; 2] = ["file_path", "dir_path"];

impl Scheduler<'_> {
    /// The call with the paths that it means. Before it is judged: what is judged is what is done.
    pub(super) async fn meant<'call>(
        self,
        call: Cow<'call, FunctionCall>,
    ) -> Cow<'call, FunctionCall> {
        let mut call = call;
        for name in PATHS {
            let spelled = call.args.get(name).and_then(Value::as_str);
            let Some((spelled, meant)) =
                spelled.and_then(|spelled| Some((spelled, spelled.strip_prefix('@')?)))
            else {
                continue;
            };
            let first = spelled.split('/').next().unwrap_or_default();
            if meant.is_empty() || self.is_there(first).await {
                continue;
            }
            let meant = Value::from(meant);
            call.to_mut().args.insert(name.to_owned(), meant);
        }
        call
    }

    /// Whether the workspace has this file or folder. What tools may not see is left as it is spelled.
    async fn is_there(self, entry: &str) -> bool {
        let Ok(path) = WorkspacePath::new(&self.config.root, entry) else {
            return true;
        };
        let looked = self.config.files.read_bytes(&path, 0).await;
        !matches!(looked, Err(FileError::NotFound))
    }
}
