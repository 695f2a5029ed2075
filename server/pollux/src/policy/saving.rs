//! Approvals on disk: one file, shared with the twin, that a person may edit.

use std::fs;
use std::io;
use std::path::Path;

use pollux_policy::{Draft, saved};
use pollux_settings::{Durability, Patience, create_private_folder, lock_file, replace_file};

/// Puts an approval into the file. Another window may be doing the same.
pub(super) fn save(file: &Path, draft: &Draft) -> Result<(), String> {
    change(file, |text| match saved::merge(text, draft) {
        Ok(text) => Ok(text),
        Err(corrupt) => {
            // Nothing a person wrote is lost: it stays beside the new file.
            fs::write(file.with_extension("toml.bak"), text)
                .map_err(|error| failed(file, &error))?;
            tracing::warn!(file = %file.display(), %corrupt, "saved approvals begin anew");
            saved::merge("", draft).map_err(|error| error.to_string())
        }
    })
}

/// Takes an approval out again, by its number in the list.
pub(super) fn remove(file: &Path, index: usize) -> Result<(), String> {
    change(file, |text| {
        saved::remove(text, index).map_err(|error| error.to_string())
    })
}

/// The file's text; a file that is not there has none.
pub(super) fn read(file: &Path) -> Result<String, String> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(failed(file, &error)),
    }
}

fn change(file: &Path, edit: impl FnOnce(&str) -> Result<String, String>) -> Result<(), String> {
    if let Some(folder) = file.parent() {
        create_private_folder(folder).map_err(|error| failed(file, &error))?;
    }
    let _lock = lock_file(file, Patience::USUAL).map_err(|error| failed(file, &error))?;
    let text = edit(&read(file)?)?;
    replace_file(file, text.as_bytes(), Durability::PowerCut).map_err(|error| failed(file, &error))
}

fn failed(file: &Path, error: &impl std::fmt::Display) -> String {
    format!("{} cannot be changed: {error}", file.display())
}
