//! The few lines of `extension.toml` that a release needs as well.

use std::fs;

use anyhow::{Context, Result};

use super::folder;

#[cfg(test)]
mod tests;

/// Stands where the name of an account will be. GitHub allows no dot there.
const PLACEHOLDER: &str = "https://github.com/pollux.example/";

pub(crate) struct Manifest {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) repository: String,
}

impl Manifest {
    pub(crate) fn read() -> Result<Self> {
        let path = folder().join("extension.toml");
        Self::parse(&fs::read_to_string(&path).with_context(|| path.display().to_string())?)
    }

    fn parse(text: &str) -> Result<Self> {
        let value = |key: &str| {
            let start = format!("{key} = \"");
            let mut lines = text.lines();
            let value = lines.find_map(|line| line.strip_prefix(&start)?.strip_suffix('"'));
            value
                .map(str::to_owned)
                .with_context(|| format!("extension.toml has no `{key}`"))
        };
        Ok(Self {
            name: value("name")?,
            description: value("description")?,
            repository: value("repository")?,
        })
    }

    /// Whether nobody has said yet where releases will be.
    pub(crate) fn has_placeholder(&self) -> bool {
        self.repository.starts_with(PLACEHOLDER)
    }
}
