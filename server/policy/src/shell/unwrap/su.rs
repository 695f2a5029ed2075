//! `su -c`.

use super::{Inner, builtins};
use crate::shell::Word;

pub(super) fn inner(words: &[Word]) -> Result<Option<Inner>, String> {
    let mut at = 1;
    let mut script = None;
    while let Some(word) = words.get(at) {
        at += 1;
        match word.literal() {
            Some("-" | "-l" | "--login" | "-m" | "-p") => {}
            Some("-c" | "--command") if script.is_none() => {
                script = Some(
                    words
                        .get(at)
                        .and_then(Word::literal)
                        .ok_or("`su -c` runs what is only known when it runs")?,
                );
                at += 1;
            }
            Some(user) if !user.starts_with('-') => {}
            _ => return Err("an option of `su` is not known".to_owned()),
        }
    }
    let script = script.ok_or("`su` starts a shell")?;
    builtins::joined("su -c", &[Word::Literal(script.to_owned())])
}
