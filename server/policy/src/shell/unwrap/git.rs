//! The commands of git that run others.

use super::{Fill, Inner};
use crate::shell::Word;

pub(super) fn inner(words: &[Word]) -> Result<Option<Inner>, String> {
    let at = |index: usize| words.get(index).map(Word::text);
    let has = |names: &[&str]| {
        words
            .iter()
            .skip(1)
            .any(|word| names.contains(&word.text()))
    };
    let begins = |name: &str| {
        words
            .iter()
            .skip(1)
            .any(|word| word.text().starts_with(name))
    };
    if at(1) == Some("bisect") && at(2) == Some("run") {
        return Ok((words.len() > 3).then(|| Inner::Words {
            label: "git bisect run".to_owned(),
            assignments: 0..0,
            words: 3..words.len(),
            fill: Fill::Nothing,
        }));
    }
    let runs = has(&["bisect"]) && has(&["run"])
        || has(&["submodule"]) && has(&["foreach"])
        || has(&["filter-branch", "difftool", "mergetool"])
        || has(&["rebase"]) && (begins("--exec") || begins("-x"))
        || has(&["grep"]) && (begins("--open-files") || begins("-O"))
        || has(&[
            "for-each-repo",
            "daemon",
            "instaweb",
            "upload-pack",
            "receive-pack",
            "remote-ext",
        ])
        || words.iter().any(|word| word.text().contains("ext::"))
        || begins("--upload-pack")
        || begins("--receive-pack");
    match runs {
        true => Err("what git runs is not followed".to_owned()),
        false => Ok(None),
    }
}
