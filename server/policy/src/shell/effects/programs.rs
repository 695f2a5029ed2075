//! What scripts inside arguments write, and files that are named after what they come from.

use super::operands::Operands;
use super::{base_name, with_text};
use crate::shell::{Command, Word};

/// The files that `curl -O` and `wget` make: they are called what the last part of the address is.
pub(super) fn downloaded(command: &Command, folders: Vec<Word>) -> Vec<Word> {
    let folder = folders.last().map_or(".", Word::text).to_owned();
    let addresses = command.words.iter().skip(1).filter_map(|word| {
        let address = word.text().trim_matches('"');
        let address = address.split(['?', '#']).next().unwrap_or(address);
        let (_, path) = address.split_once("://").unwrap_or(("", address));
        let (_, name) = path.rsplit_once('/')?;
        (!name.is_empty()).then(|| with_text(word, &format!("{folder}/{name}")))
    });
    addresses
        .collect::<Vec<_>>()
        .into_iter()
        .chain(folders)
        .collect()
}

/// `w` and `s///w` write the file whose name follows up to the end of the line.
pub(super) fn written_by_sed(command: &Command) -> Vec<Word> {
    let mut found = Vec::new();
    for word in command.words.iter().skip(1) {
        for line in word.text().split(['\n', '"']) {
            for (at, _) in line.match_indices(['w', 'W']) {
                let name = line.get(at + 1..).unwrap_or_default();
                let before = line.get(..at).and_then(|text| text.chars().last());
                let begins =
                    before.is_none_or(|c| !c.is_ascii_alphabetic() || "gpiIeM".contains(c));
                if begins && name.starts_with([' ', '\t', '.', '/']) {
                    found.push(with_text(word, name.trim()));
                }
            }
        }
    }
    found
}

/// The texts behind `>` in a program of `awk`.
pub(super) fn written_by_awk(command: &Command) -> Vec<Word> {
    let mut found = Vec::new();
    for word in command.words.iter().skip(1) {
        for part in word.text().split('>').skip(1) {
            let quoted = part.trim_start_matches(['>', ' ', '\t', '(']);
            if let Some((name, _)) = quoted
                .strip_prefix('"')
                .and_then(|rest| rest.split_once('"'))
            {
                found.push(Word::Literal(name.to_owned()));
            }
        }
    }
    found
}

/// `git mv a b`, also into a folder.
pub(super) fn moved_by_git(command: &Command) -> Vec<Word> {
    let words: Vec<&Word> = command.words.iter().collect();
    let Some(at) = words.iter().position(|word| word.text() == "mv") else {
        return Vec::new();
    };
    let is_command = words
        .iter()
        .take(at)
        .skip(1)
        .all(|word| word.text().starts_with('-'));
    if !is_command {
        return Vec::new();
    }
    let inner = Command {
        words: words.into_iter().skip(at).cloned().collect(),
        ..command.clone()
    };
    let operands = Operands::of(&inner, "");
    let Some(folder) = operands.destination() else {
        return Vec::new();
    };
    let inside = |source: &Word| {
        let name = base_name(source.text().trim_end_matches('/'));
        with_text(
            source,
            &format!("{}/{name}", folder.text().trim_end_matches('/')),
        )
    };
    let mut written: Vec<Word> = operands.sources().iter().map(inside).collect();
    written.extend(operands.words.iter().cloned());
    written
}
