use std::io;
use std::path::PathBuf;

/// Why a question about the tree has no answer.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("there is nothing at `{}`", path.display())]
    Missing { path: PathBuf },
    #[error("`{}` is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    #[error("`{}` cannot be read: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{pattern}` is not a regular expression that can be searched for: {reason}")]
    Pattern { pattern: String, reason: String },
    #[error("`{glob}` is not a glob pattern: {reason}")]
    Glob { glob: String, reason: String },
}
