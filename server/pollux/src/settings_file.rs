//! One entry of a settings file changed by a command, and every comment around it kept.

use std::io;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstObject, CstRootNode};
use pollux_settings::{Durability, Patience, create_private_folder, lock_file, replace_file};

/// With the layout that a new file gets.
const EMPTY: &str = "{\n}\n";

/// Comments are all that a settings file may have beyond JSON.
pub(crate) const READABLE: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Changes the text and not what it stands for: comments and layout are the author's. Nothing is written where the edit
/// gives nothing, or fails.
pub(crate) fn change<T>(
    file: &Path,
    edit: impl FnOnce(&CstObject) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let file = &pollux_settings::real_path(file);
    let name = file.display();
    if let Some(folder) = file.parent() {
        create_private_folder(folder).with_context(|| format!("{name} cannot be written"))?;
    }
    let lock = lock_file(file, Patience::USUAL);
    let lock = lock.with_context(|| format!("{name} cannot be locked"))?;
    let Some(_lock) = lock else {
        bail!("another program is writing {name}; try again");
    };
    let text = match std::fs::read_to_string(file) {
        Ok(text) if text.trim().is_empty() => EMPTY.to_owned(),
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => EMPTY.to_owned(),
        Err(error) => return Err(error).with_context(|| format!("{name} cannot be read")),
    };
    let settings = CstRootNode::parse(&text, &READABLE);
    let settings = settings.map_err(|error| anyhow!("{name} is left as it is: {error}"))?;
    let Some(object) = settings.object_value() else {
        bail!("{name} is left as it is, because it is no object");
    };
    let done = edit(&object)?;
    if done.is_some() {
        replace_file(file, settings.to_string().as_bytes(), Durability::PowerCut)
            .with_context(|| format!("{name} cannot be written"))?;
    }
    Ok(done)
}
