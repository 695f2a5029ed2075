//! Why there is no program to start. Zed shows it as it is, so each says what can be done.

use thiserror::Error;

#[cfg(test)]
mod tests;

#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "Pollux is not on your PATH, and {reason}. Install it and start Zed again, or say in settings.json where it is: \
     \"lsp\": {{ \"pollux\": {{ \"binary\": {{ \"path\": \"/path/to/pollux\", \"arguments\": [\"lsp\"] }} }} }}"
)]
pub(crate) struct Missing {
    #[from]
    reason: Reason,
}

/// Continues the sentence that says that there is none on the `PATH`.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum Reason {
    #[error("there is nowhere to download it from")]
    NoRepository,
    #[error("it is not built for {0}")]
    Platform(&'static str),
    #[error("release {tag} could not be looked up ({why})")]
    NoRelease { tag: String, why: String },
    #[error("release {tag} has no {asset}")]
    NoAsset { tag: String, asset: String },
    #[error("{asset} could not be downloaded ({why})")]
    Download { asset: String, why: String },
    #[error("{0} holds no checksum")]
    NoChecksum(String),
    #[error(
        "what was downloaded is not what was published: its checksum is {found}, and should be {expected}"
    )]
    Checksum { expected: String, found: String },
    #[error("the download could not be put in its place ({0})")]
    Disk(String),
}
