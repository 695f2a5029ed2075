//! The command lines by which editors start doors and doors start the host, understood without the parser of arguments.
//!
//! The parser has every command of the program described to it before it reads the first word. That is code in two
//! processes that stay all day, for one word.

use std::ffi::OsString;

use crate::Command;

/// Nothing for any other command line, also for one that is wrong: the parser has the words for it.
pub(crate) fn command(arguments: impl IntoIterator<Item = OsString>) -> Option<Command> {
    let arguments: Vec<OsString> = arguments.into_iter().skip(1).collect();
    let words: Option<Vec<&str>> = arguments.iter().map(|word| word.to_str()).collect();
    match words?.as_slice() {
        ["lsp"] => Some(Command::Lsp { no_share: false }),
        ["lsp", "--no-share"] => Some(Command::Lsp { no_share: true }),
        #[cfg(unix)]
        ["host", "--detached"] => Some(Command::Host {
            detached: true,
            grace: None,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
