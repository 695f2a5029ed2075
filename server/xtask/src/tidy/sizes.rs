//! Files small enough to read in one sitting.

use super::finding::Finding;
use super::tree::{Tree, extension, file_name, is_test_file};

#[cfg(test)]
mod tests;

const CEILING: usize = 800;
/// Above this a file is worth a second look; tests may be longer.
const SOFT_CAP: usize = 500;
/// `lib.rs` is a contents page.
const CONTENTS_PAGE: usize = 80;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.texts()
        .filter(|(path, _)| matches!(extension(path), "rs" | "ts" | "lua" | "el"))
        .filter_map(|(path, text)| check_file(path, text.lines().count()))
        .collect()
}

fn check_file(path: &str, lines: usize) -> Option<Finding> {
    let name = file_name(path);
    if name == "mod.rs" {
        return Some(Finding::in_file(
            path,
            "a module is `foo.rs` beside `foo/`: rename it",
        ));
    }
    if name == "lib.rs" && lines > CONTENTS_PAGE {
        let what = format!(
            "{lines} lines; lib.rs is a contents page of at most {CONTENTS_PAGE}: move the code \
             into modules"
        );
        return Some(Finding::in_file(path, what));
    }
    if lines > CEILING {
        let what = format!("{lines} lines, at most {CEILING}: split it by what its parts own");
        return Some(Finding::in_file(path, what));
    }
    if lines > SOFT_CAP && !is_test_file(path) {
        let what = format!("{lines} lines, {SOFT_CAP} is the aim: can it be split?");
        return Some(Finding::note(path, what));
    }
    None
}
