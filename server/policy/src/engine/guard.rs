//! Files whose change can run code later or loosen the rules: they are asked for whatever the mode is.

mod lists;

use std::path::{Component, Path};

use serde_json::Value;

use crate::Call;
use lists::{
    BEGINNINGS, BUILD_BEGINNINGS, BUILD_EXTENSIONS, BUILD_FILES, ENDINGS, FILES, FOLDERS,
    FOLDERS_IN_FOLDERS,
};

#[cfg(test)]
mod tests;

/// Why a path is guarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Guarded {
    pub(super) kind: Kind,
    /// The part of the path that gives it away.
    pub(super) name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Says what building the project runs.
    Build,
    /// Belongs to git, an editor, an agent or a shell, or says what CI runs.
    Configuration,
}

impl Kind {
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Build => "a build file",
            Self::Configuration => "a configuration that others act on",
        }
    }
}

/// Why a path, given from the workspace's folder on, is guarded.
pub(super) fn guarded(path: &Path) -> Option<Guarded> {
    let names: Vec<&str> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    if is_plan(&names) {
        return None;
    }
    let names: Vec<String> = names.into_iter().map(as_opened).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    configuration(&names)
        .map(|name| Guarded {
            kind: Kind::Configuration,
            name: name.to_owned(),
        })
        .or_else(|| {
            let name = names.last().filter(|name| is_build_file(name))?;
            Some(Guarded {
                kind: Kind::Build,
                name: (*name).to_owned(),
            })
        })
}

fn configuration<'a>(names: &[&'a str]) -> Option<&'a str> {
    let is_one_of =
        |list: &[&str], name: &str| list.iter().any(|one| name.eq_ignore_ascii_case(one));
    let may_be_one_of = |list: &[&str], name: &str| {
        name.starts_with('.')
            && name.contains(['*', '?', '['])
            && list
                .iter()
                .any(|one| may_match(name.as_bytes(), one.as_bytes()))
    };
    let is_folder = |name: &&&str| is_one_of(FOLDERS, name) || may_be_one_of(FOLDERS, name);
    if let Some(name) = names.iter().find(is_folder) {
        return Some(name);
    }
    let pairs = names.iter().zip(names.iter().skip(1));
    for (outer, inner) in pairs {
        let listed = FOLDERS_IN_FOLDERS.iter().any(|(first, second)| {
            outer.eq_ignore_ascii_case(first) && inner.eq_ignore_ascii_case(second)
        });
        if listed {
            return Some(inner);
        }
    }
    names.last().copied().filter(|name| {
        let name = name.to_ascii_lowercase();
        is_one_of(FILES, &name)
            || may_be_one_of(FILES, &name)
            || ENDINGS.iter().any(|end| name.ends_with(end))
            || BEGINNINGS.iter().any(|start| name.starts_with(start))
    })
}

/// The name under which some system opens the same file: macOS passes by marks that are not seen, and Windows by dots
/// and blanks at the end and by what follows a colon.
fn as_opened(name: &str) -> String {
    let is_unseen = |c: char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name = name.split(':').next().unwrap_or(name);
    let seen: String = name.chars().filter(|c| !is_unseen(*c)).collect();
    let plain = seen.trim_end_matches(['.', ' ']);
    match plain.eq_ignore_ascii_case("git~1") {
        true => ".git".to_owned(),
        false if plain.is_empty() => seen,
        false => plain.to_owned(),
    }
}

/// Whether a pattern of the shell may find a file of this name.
fn may_match(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            may_match(rest, name) || matches!(name, [_, after @ ..] if may_match(pattern, after))
        }
        ([b'[', rest @ ..], [_, after @ ..]) => {
            let end = rest.iter().position(|byte| *byte == b']');
            end.and_then(|end| rest.get(end + 1..))
                .is_none_or(|rest| may_match(rest, after))
        }
        ([b'?', rest @ ..], [_, after @ ..]) => may_match(rest, after),
        ([one, rest @ ..], [other, after @ ..]) => {
            one.eq_ignore_ascii_case(other) && may_match(rest, after)
        }
        _ => false,
    }
}

/// Whether a file of this name says how a project is built, and so what a build runs.
pub fn is_build_file(name: &str) -> bool {
    // Case decides on Linux and does not on macOS and Windows; asking once too often is the smaller harm. `build`
    // and `workspace` are ordinary names of folders and scripts, so these two are taken as written.
    let listed = BUILD_FILES.iter().any(|one| match *one {
        "BUILD" | "WORKSPACE" => name == *one,
        one => name.eq_ignore_ascii_case(one),
    });
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    listed
        || BUILD_BEGINNINGS.iter().any(|start| name.starts_with(start))
        || extension.is_some_and(|extension| BUILD_EXTENSIONS.contains(&extension))
}

/// Plans lie under `.gemini/tmp`, and writing them is what plan mode is for.
fn is_plan(names: &[&str]) -> bool {
    let Some(place) = names.iter().rposition(|name| *name == ".gemini") else {
        return false;
    };
    let Some(rest) = names.get(place + 1..) else {
        return false;
    };
    match rest {
        ["tmp", _, "plans", plan] | ["tmp", _, _, "plans", plan] => plan.ends_with(".md"),
        _ => false,
    }
}

const WRITING: &[&str] = &[
    "write", "edit", "replace", "patch", "update", "create", "append", "save", "delete", "remove",
    "move", "rename",
];

/// The paths a tool changes, if its name says that it changes files.
pub(super) fn written_paths<'a>(call: &Call<'a>) -> Vec<&'a str> {
    let mut words = call
        .tool
        .split(|character: char| !character.is_ascii_alphanumeric());
    if !words.any(names_writing) {
        return Vec::new();
    }
    const KEYS: &[&str] = &[
        "file_path",
        "path",
        "filePath",
        "file",
        "absolute_path",
        "target_file",
        "destination",
    ];
    KEYS.iter()
        .filter_map(|key| call.args.get(*key).and_then(Value::as_str))
        .collect()
}

/// `writeFile` and `WRITE` too.
fn names_writing(word: &str) -> bool {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut before_is_lower = false;
    for character in word.chars() {
        if character.is_ascii_uppercase() && before_is_lower {
            pieces.push(std::mem::take(&mut piece));
        }
        before_is_lower = character.is_ascii_lowercase();
        piece.push(character.to_ascii_lowercase());
    }
    pieces.push(piece);
    pieces.iter().any(|piece| WRITING.contains(&piece.as_str()))
}
