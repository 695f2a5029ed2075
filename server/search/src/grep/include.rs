use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};

use crate::SearchError;

/// Which files are searched at all.
pub(super) struct Include {
    /// A file is in if one of them takes it: it is not clear from where a model reckons a path.
    either: Vec<Override>,
}

impl Include {
    pub(super) fn new(glob: Option<&str>, at: &Path, root: &Path) -> Result<Self, SearchError> {
        let Some(glob) = glob.filter(|glob| !glob.is_empty()) else {
            return Ok(Self { either: Vec::new() });
        };
        let below = |folder: &Path| {
            OverrideBuilder::new(folder)
                .add(glob)
                .and_then(|builder| builder.build())
                .map_err(|error| SearchError::Glob {
                    glob: glob.to_owned(),
                    reason: error.to_string(),
                })
        };
        let mut either = vec![below(root)?];
        if at != root && glob.contains('/') {
            either.push(below(at)?);
        }
        Ok(Self { either })
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.either.is_empty()
            || self
                .either
                .iter()
                .any(|globs| !globs.matched(path, false).is_ignore())
    }
}
