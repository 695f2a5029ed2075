//! `find … -exec`.

use super::{Fill, Inner};
use crate::shell::Word;

pub(super) fn inner(words: &[Word]) -> Result<Vec<Inner>, String> {
    let mut found = Vec::new();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        at += 1;
        let action = word.text();
        if !matches!(action, "-exec" | "-execdir" | "-ok" | "-okdir") {
            continue;
        }
        let start = at;
        let end = words
            .iter()
            .skip(start)
            .position(|word| matches!(word.text(), ";" | "+"));
        let Some(length) = end.filter(|&length| length > 0) else {
            return Err(format!("`find {action}` has no end"));
        };
        at = start + length + 1;
        found.push(Inner::Words {
            label: format!("find {action}"),
            assignments: 0..0,
            words: start..start + length,
            fill: Fill::Replace("{}".to_owned()),
        });
    }
    Ok(found)
}
