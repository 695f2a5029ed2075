//! The person's own system prompt: `GEMINI_SYSTEM_MD` names the file to use, `GEMINI_WRITE_SYSTEM_MD` the one to write.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pollux_agent::prompt::{SystemFile, SystemFileError, read_replacement};
use pollux_settings::{Loaded, real_path};

use crate::prompt_files::DiskReading;

#[derive(Debug, thiserror::Error)]
pub(super) enum OwnPromptError {
    #[error(transparent)]
    File(#[from] SystemFileError),
    #[error(
        "GEMINI_SYSTEM_MD names {}, which lies in a folder that is not trusted. Trust the folder or name another file",
        path.display()
    )]
    NotTrusted { path: PathBuf },
}

/// The text that the person wants instead of ours, if any. The variable itself cannot come from an untrusted folder:
/// the settings take only keys and projects out of its `.env`. The file it names could, so that is refused here.
pub(super) async fn own_prompt(
    loaded: &Loaded,
    folder: &Path,
) -> Result<Option<String>, OwnPromptError> {
    let file = named(loaded, "GEMINI_SYSTEM_MD", folder);
    if let SystemFile::At(path) = &file
        && !loaded.trust.is_trusted()
        && real_path(path).starts_with(real_path(folder))
    {
        return Err(OwnPromptError::NotTrusted { path: path.clone() });
    }
    Ok(read_replacement(&DiskReading, &file).await?)
}

/// Writes the prompt as it is sent, as a beginning for a prompt of one's own. What is there already stays: somebody
/// may have begun to change it. Nothing here keeps a session from starting.
pub(super) fn write_prompt(loaded: &Loaded, folder: &Path, prompt: impl FnOnce() -> String) {
    let SystemFile::At(path) = named(loaded, "GEMINI_WRITE_SYSTEM_MD", folder) else {
        return;
    };
    match write_new(&path, &prompt()) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            tracing::info!(path = %path.display(), "the system prompt was not written over the file that is there");
        }
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "the system prompt was not written");
        }
    }
}

fn named(loaded: &Loaded, variable: &str, folder: &Path) -> SystemFile {
    let home = loaded.env.home().unwrap_or_default();
    SystemFile::parse(loaded.env.get(variable), folder, &home)
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}
