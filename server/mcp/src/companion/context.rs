//! What an agent is told of the editor: `ide/contextUpdate`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pollux_text::{Position, Range};
use pollux_workspace::{ActiveFile, DocumentKey, DoorId, EditorState, RecentFile, Snapshot};
use serde_json::{Map, Value, json};

/// What gemini-cli takes of a longer list.
const MOST_FILES: usize = 10;

/// In UTF-16 units, as it counts.
const LONGEST_SELECTION: usize = 16_384;

/// The notification for the room as it is.
pub(super) fn update(snapshot: &Snapshot) -> Value {
    let mut state = Map::new();
    state.insert("openFiles".to_owned(), open_files(snapshot).into());
    let opinions = snapshot.editors.values();
    // An editor that does not ask leaves it to the agent, which then asks itself.
    if let Some(trusted) = opinions
        .filter_map(|editor| editor.trusted)
        .reduce(|all, one| all && one)
    {
        state.insert("isTrusted".to_owned(), trusted.into());
    }
    json!({
        "jsonrpc": "2.0",
        "method": "ide/contextUpdate",
        "params": { "workspaceState": state },
    })
}

/// The newest first. Only the first can be active, and only it has a cursor.
fn open_files(snapshot: &Snapshot) -> Vec<Value> {
    let open = open_keys(snapshot);
    let mut seen: BTreeMap<&DocumentKey, SystemTime> = BTreeMap::new();
    for recent in snapshot.editors.values().flat_map(|editor| &editor.recent) {
        if open.contains(&recent.key) || is_active(snapshot, &recent.key) {
            let at = seen.entry(&recent.key).or_insert(recent.at);
            *at = recent.at.max(*at);
        }
    }
    // What nobody has looked at since comes behind, in the order of names.
    for key in &open {
        seen.entry(key).or_insert(UNIX_EPOCH);
    }
    let mut files: Vec<_> = seen.into_iter().collect();
    files.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
    let active = files
        .first()
        .and_then(|(key, at)| active(snapshot, key, *at));
    let paths = files.iter().filter_map(|(key, at)| match key {
        DocumentKey::File(path) => Some((path.to_str()?, *key, milliseconds(*at))),
        DocumentKey::Virtual(_) => None,
    });
    let files = paths.take(MOST_FILES).map(|(path, key, timestamp)| {
        let mut file = Map::new();
        file.insert("path".to_owned(), path.into());
        file.insert("timestamp".to_owned(), timestamp.into());
        if let Some((door, active)) = active
            && active.key == *key
        {
            file.insert("isActive".to_owned(), true.into());
            describe(snapshot, door, active, &mut file);
        }
        Value::Object(file)
    });
    files.collect()
}

/// What the editors say is open. Where one of them does not say it, whatever they hold: some hold documents that no tab
/// shows any more.
pub(crate) fn open_keys(snapshot: &Snapshot) -> BTreeSet<DocumentKey> {
    let told: Option<Vec<_>> = snapshot
        .editors
        .values()
        .map(|editor| editor.open_files.as_deref())
        .collect();
    match told {
        Some(told) => {
            let paths = told.into_iter().flatten();
            paths.cloned().map(DocumentKey::File).collect()
        }
        None => snapshot.documents.keys().cloned().collect(),
    }
}

fn is_active(snapshot: &Snapshot, key: &DocumentKey) -> bool {
    let mut editors = snapshot.editors.values();
    editors.any(|editor| has_focus(editor, key))
}

fn has_focus(editor: &EditorState, key: &DocumentKey) -> bool {
    let active = editor.active_file.as_ref();
    active.is_some_and(|active| active.key == *key)
}

/// The window that looked at the file last, if it still does.
fn active<'room>(
    snapshot: &'room Snapshot,
    key: &DocumentKey,
    at: SystemTime,
) -> Option<(DoorId, &'room ActiveFile)> {
    let mut editors = snapshot.editors.iter();
    let (door, editor) = editors.find(|(_, editor)| {
        let is_newest = |recent: &RecentFile| recent.key == *key && recent.at == at;
        has_focus(editor, key) && editor.recent.iter().any(is_newest)
    })?;
    Some((*door, editor.active_file.as_ref()?))
}

/// Cursor and selection, as far as the text is known.
fn describe(snapshot: &Snapshot, door: DoorId, active: &ActiveFile, file: &mut Map<String, Value>) {
    let encoding = snapshot
        .editors
        .get(&door)
        .map(|editor| editor.encoding)
        .unwrap_or_default();
    let document = snapshot.documents.get(&active.key);
    let view = document.and_then(|document| document.seen_from(door));
    let text = |range: Range| view.and_then(|view| view.text.slice(range, encoding));
    let line = active.cursor.line;
    let before = text(Range {
        start: Position { line, character: 0 },
        end: active.cursor,
    });
    let character = before.map_or(active.cursor.character, |before| {
        u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX)
    });
    let cursor =
        json!({ "line": line.saturating_add(1), "character": character.saturating_add(1) });
    file.insert("cursor".to_owned(), cursor);
    let selected = active.selections.first().and_then(|range| text(*range));
    if let Some(selected) = selected.filter(|selected| !selected.is_empty()) {
        file.insert("selectedText".to_owned(), cut(selected).into());
    }
}

fn cut(mut text: String) -> String {
    let mut units = 0;
    let end = text.char_indices().find_map(|(at, character)| {
        units += character.len_utf16();
        (units > LONGEST_SELECTION).then_some(at)
    });
    if let Some(end) = end {
        text.truncate(end);
    }
    text
}

fn milliseconds(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_millis()).unwrap_or_default()
}
