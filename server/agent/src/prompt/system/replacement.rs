//! A system prompt of the person's own: `GEMINI_SYSTEM_MD` and `GEMINI_WRITE_SYSTEM_MD`.

use std::path::{Path, PathBuf};

use super::{SystemState, catalogue};
use crate::prompt::reading::{ReadError, Reading};

/// Of the file that takes the place of the sections.
pub const MAX_REPLACEMENT_BYTES: usize = 256 * 1024;

/// Where one of the two variables points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SystemFile {
    #[default]
    Off,
    At(PathBuf),
}

#[derive(Debug, thiserror::Error)]
pub enum SystemFileError {
    #[error("the system prompt file {} cannot be used: {source}", path.display())]
    Unreadable { path: PathBuf, source: ReadError },
    #[error("the system prompt file {} is longer than {MAX_REPLACEMENT_BYTES} bytes", path.display())]
    TooLong { path: PathBuf },
    #[error("the system prompt file {} is not UTF-8 text", path.display())]
    NotText { path: PathBuf },
}

impl SystemFile {
    /// `1` and `true` mean `.gemini/system.md` below the folder, `0` and `false` nothing, all else is a path.
    pub fn parse(value: Option<&str>, folder: &Path, home: &Path) -> Self {
        let value = value.unwrap_or_default().trim();
        match value.to_ascii_lowercase().as_str() {
            "" | "0" | "false" => Self::Off,
            "1" | "true" => Self::At(folder.join(".gemini").join("system.md")),
            "~" => Self::At(home.to_owned()),
            _ => Self::At(match value.strip_prefix("~/") {
                Some(below) => home.join(below),
                None => folder.join(value),
            }),
        }
    }
}

/// The text that takes the place of the sections. A person who asked for their own prompt must not get ours by
/// accident, so a file that is missing is an error.
pub async fn read_replacement(
    reading: &dyn Reading,
    file: &SystemFile,
) -> Result<Option<String>, SystemFileError> {
    let SystemFile::At(path) = file else {
        return Ok(None);
    };
    let path = path.clone();
    let head = match reading.head(&path, MAX_REPLACEMENT_BYTES).await {
        Ok(head) => head,
        Err(source) => return Err(SystemFileError::Unreadable { path, source }),
    };
    if !head.is_whole() {
        return Err(SystemFileError::TooLong { path });
    }
    match String::from_utf8(head.bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(SystemFileError::NotText { path }),
    }
}

/// Fills `${AgentSkills}`, `${SubAgents}`, `${AvailableTools}` and `${<tool>_ToolName}`, in one pass, so that a
/// skill's description cannot ask for more. Other names stay as they are.
pub(super) fn substitute(text: &str, state: &SystemState) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let found = after
            .split_once('}')
            .and_then(|(name, after)| Some((value(name, state)?, after)));
        match found {
            Some((value, after)) => {
                filled.push_str(&value);
                rest = after;
            }
            None => {
                filled.push_str("${");
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

fn value(name: &str, state: &SystemState) -> Option<String> {
    match name {
        "AgentSkills" => Some(catalogue::skills(&state.skills).unwrap_or_default()),
        "SubAgents" => Some(catalogue::sub_agents(&state.sub_agents).unwrap_or_default()),
        "AvailableTools" => {
            let lines: Vec<String> = state.tools.iter().map(|tool| format!("- {tool}")).collect();
            Some(match lines.is_empty() {
                true => "No tools are available.".to_owned(),
                false => lines.join("\n"),
            })
        }
        _ => {
            let tool = name.strip_suffix("_ToolName")?;
            state.tools.get(tool).cloned()
        }
    }
}
