//! Places in code, told with their lines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pollux_text::lines;
use pollux_workspace::{DocumentKey, DoorId, EditorAnswer, FoundPlace};
use schemars::JsonSchema;
use serde::Serialize;

use super::editors::{self, Heard, seen_by};
use super::facts::cut;
use super::sight::Sight;
use super::spot::{column, content};
use super::tools::{Call, Failure};

const MOST_PLACES: usize = 200;

/// An editor tells no more than this.
const MOST_HEARD: usize = 1_000;

/// Of a line, in characters.
const LONGEST_LINE: usize = 400;

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Places {
    places: Vec<Place>,
    /// How many more there are in files outside the workspace, or closed to tools.
    hidden: usize,
    /// There are more than are told.
    truncated: bool,
}

/// Lines and columns are counted from 1, columns in characters.
#[derive(Debug, Serialize, JsonSchema)]
struct Place {
    path: String,
    line: usize,
    column: usize,
    /// The line itself, as the editor has it. What is long is cut.
    text: String,
}

/// What an editor found, for a tool that asks for places.
pub(super) async fn told(call: &Call<'_>, heard: Heard) -> Result<Places, Failure> {
    let Heard { door, answer } = heard;
    let found = match answer {
        EditorAnswer::Places(found) => found,
        EditorAnswer::Edits(_) => Vec::new(),
        EditorAnswer::Refused(reason) => return Err(editors::refused(&reason)),
    };
    call.tell(move |sight| Ok(Places::of(sight, door, &found)))
        .await
}

impl Places {
    fn of(sight: &Sight, door: DoorId, found: &[FoundPlace]) -> Self {
        let mut told = Self {
            places: Vec::new(),
            hidden: 0,
            truncated: found.len() >= MOST_HEARD,
        };
        let encoding = sight.snapshot.editors.get(&door);
        let encoding = encoding.map(|editor| editor.encoding).unwrap_or_default();
        let mut texts = Texts::new(sight, door);
        // Several language servers may know the same place.
        let mut known = BTreeSet::new();
        for FoundPlace { key, range } in found.iter().take(MOST_HEARD) {
            if !known.insert((key, range.start)) {
                continue;
            }
            let Some((path, text)) = texts.of(key) else {
                told.hidden += 1;
                continue;
            };
            if told.places.len() >= MOST_PLACES {
                told.truncated = true;
                continue;
            }
            let index = range.start.line as usize;
            let line = text.get(index).map(String::as_str).unwrap_or_default();
            told.places.push(Place {
                path: sight.name(path),
                line: index + 1,
                column: column(line, range.start.character, encoding),
                text: cut(content(line).to_owned(), LONGEST_LINE).0,
            });
        }
        told
    }
}

/// The lines of files, each of which is read once; nothing of those that a client may not see.
struct Texts<'sight> {
    sight: &'sight Sight,
    door: DoorId,
    known: BTreeMap<PathBuf, Option<Vec<String>>>,
}

impl<'sight> Texts<'sight> {
    fn new(sight: &'sight Sight, door: DoorId) -> Self {
        Self {
            sight,
            door,
            known: BTreeMap::new(),
        }
    }

    fn of<'key>(&mut self, key: &'key DocumentKey) -> Option<(&'key Path, &[String])> {
        let DocumentKey::File(path) = key else {
            return None;
        };
        let (sight, door) = (self.sight, self.door);
        let text = self.known.entry(path.clone());
        let text = text.or_insert_with(|| read(sight, door, path));
        Some((path, text.as_deref()?))
    }
}

fn read(sight: &Sight, door: DoorId, path: &Path) -> Option<Vec<String>> {
    let found = sight.find(path.to_str()?).ok()?;
    let text = seen_by(sight, door, &found)?;
    let lines = lines(&text).into_iter().map(str::to_owned);
    Some(lines.collect())
}
