//! Every decision note is in the list a reader starts from.

use super::finding::Finding;
use super::tree::{Tree, file_name};

#[cfg(test)]
mod tests;

const LIST: &str = "docs/decisions/README.md";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(list) = tree.text(LIST) else {
        return Vec::new();
    };
    tree.paths()
        .filter(|path| is_note(path) && !list.contains(file_name(path)))
        .map(|path| Finding::in_file(path, format!("is not listed in {LIST}: add a line for it")))
        .collect()
}

/// `docs/decisions/NNNN-some-words.md`
fn is_note(path: &str) -> bool {
    let number = path
        .strip_prefix("docs/decisions/")
        .and_then(|name| name.strip_suffix(".md"))
        .and_then(|name| name.split_once('-'))
        .map(|(number, _)| number);
    number.is_some_and(|number| number.len() == 4 && number.parse::<u16>().is_ok())
}
