//! The resources: the same facts as the tools tell, by address.

#[cfg(test)]
mod tests;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{Resource, ResourceTemplate};
use serde::Serialize;

use super::facts::{Diagnostics, Hunks, OpenFiles, Selection, cut, open_paths};
use super::sight::{Hidden, Sight};

const OPEN_FILES: &str = "pollux://open-files";
const SELECTION: &str = "pollux://selection";
const DIAGNOSTICS: &str = "pollux://diagnostics";
const HUNKS: &str = "pollux://hunks";

/// What comes before a path.
const FILE: &str = "pollux://file/";
const FILE_HUNKS: &str = "pollux://hunks/";

/// Open files that are listed.
const MOST_LISTED: usize = 200;

/// Of a text, in characters. A longer one is read by the tool, in parts.
const LONGEST_TEXT: usize = 1024 * 1024;

/// What stays as it is in a path.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Something that can be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Address {
    OpenFiles,
    Selection,
    Diagnostics,
    Hunks,
    File(String),
    FileHunks(String),
}

/// A resource as it is read.
pub(super) struct Contents {
    pub(super) text: String,
    pub(super) kind: &'static str,
}

impl Address {
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let path = |encoded: &str| {
            let path = percent_decode_str(encoded).decode_utf8().ok()?;
            (!path.is_empty()).then(|| path.into_owned())
        };
        match uri {
            OPEN_FILES => Some(Self::OpenFiles),
            SELECTION => Some(Self::Selection),
            DIAGNOSTICS => Some(Self::Diagnostics),
            HUNKS => Some(Self::Hunks),
            _ => match (uri.strip_prefix(FILE), uri.strip_prefix(FILE_HUNKS)) {
                (Some(encoded), _) => path(encoded).map(Self::File),
                (None, Some(encoded)) => path(encoded).map(Self::FileHunks),
                (None, None) => None,
            },
        }
    }

    /// Looks at the disk.
    pub(super) fn read(&self, sight: &Sight) -> Result<Contents, Hidden> {
        Ok(match self {
            Self::OpenFiles => json(&OpenFiles::of(sight)),
            Self::Selection => json(&Selection::of(sight)),
            Self::Diagnostics => json(&Diagnostics::of(sight, None)),
            Self::Hunks => json(&Hunks::of(sight, None)),
            Self::File(path) => {
                let (_, text) = sight.read(path)?;
                let (text, _is_cut) = cut(text, LONGEST_TEXT);
                Contents {
                    text,
                    kind: "text/plain",
                }
            }
            Self::FileHunks(path) => {
                let found = sight.find(path)?;
                json(&Hunks::of(sight, Some(&found.place.at.path)))
            }
        })
    }
}

fn json(facts: &impl Serialize) -> Contents {
    Contents {
        text: serde_json::to_string(facts).unwrap_or_default(),
        kind: "application/json",
    }
}

/// The address of a file's text.
pub(super) fn file_uri(name: &str) -> String {
    format!("{FILE}{}", utf8_percent_encode(name, KEPT))
}

/// What is always there.
pub(super) fn fixed() -> Vec<Resource> {
    let one = |uri: &str, name: &str, description: &str| {
        Resource::new(uri, name)
            .with_description(description)
            .with_mime_type("application/json")
    };
    vec![
        one(
            OPEN_FILES,
            "open-files",
            "The files that are open in the editor",
        ),
        one(
            SELECTION,
            "selection",
            "Where the person is, and what is selected",
        ),
        one(
            DIAGNOSTICS,
            "diagnostics",
            "Errors and warnings that the editor shows",
        ),
        one(HUNKS, "hunks", "Changes of agents that wait for a decision"),
    ]
}

/// What is open now.
pub(super) fn open(sight: &Sight) -> Vec<Resource> {
    let files = open_paths(sight).take(MOST_LISTED).map(|path| {
        let name = sight.name(&path);
        Resource::new(file_uri(&name), name)
            .with_description("The text as the editor has it")
            .with_mime_type("text/plain")
    });
    files.collect()
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{FILE}{{+path}}"), "file")
            .with_description("The text of a file of the workspace, as the editor has it")
            .with_mime_type("text/plain"),
        ResourceTemplate::new(format!("{FILE_HUNKS}{{+path}}"), "file-hunks")
            .with_description("Changes of agents in one file that wait for a decision")
            .with_mime_type("application/json"),
    ]
}

/// The open files whose names go on like this, for the `path` of a template.
pub(super) fn completions(sight: &Sight, begun: &str, most: usize) -> (Vec<String>, usize) {
    let names = open_paths(sight).map(|path| sight.name(&path));
    let mut fitting: Vec<String> = names.filter(|name| name.contains(begun)).collect();
    // What begins like it comes first.
    fitting.sort_by_key(|name| (!name.starts_with(begun), name.clone()));
    let total = fitting.len();
    fitting.truncate(most);
    (fitting, total)
}
