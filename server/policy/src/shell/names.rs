//! What a person is told about a command line, and the last check before one is run.

use super::effort::Effort;
use super::unwrap::base_name;
use super::{Script, reader};

/// The names of the programs that a script runs, each once, in the order of the text.
pub fn root_commands(script: &Script) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for command in &script.commands {
        if let Some(program) = command.program() {
            let name = base_name(program);
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// Whether bash would carry out a substitution: `$(`, a backtick, `<(` or `>(` that is neither in single quotes nor
/// escaped; the last two only outside of double quotes.
///
/// Works on any text. In one that cannot be followed it rather finds one too many.
pub fn has_substitution(command: &str) -> bool {
    let reading = reader::read(command, &mut Effort::new());
    match reading.doubt {
        None => reading.has_substitution,
        Some(_) => may_have_substitution(command),
    }
}

fn may_have_substitution(command: &str) -> bool {
    // An apostrophe in a comment or a here-document is no quote, and which one it is in cannot be told here.
    let follows_quotes = !command.contains('#') && !command.contains("<<");
    let mut quote = None;
    let mut before = ' ';
    let mut characters = command.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        match (quote, character) {
            (Some(Quote::Single | Quote::Ansi), '\'') | (Some(Quote::Double), '"') => quote = None,
            (Some(Quote::Single), _) => {}
            (_, '\\') => {
                characters.next();
            }
            (Some(Quote::Ansi), _) => {}
            (None, '\'') if follows_quotes && before == '$' => quote = Some(Quote::Ansi),
            (None, '\'') if follows_quotes => quote = Some(Quote::Single),
            (None, '"') if follows_quotes => quote = Some(Quote::Double),
            (_, '`') => return true,
            (_, '$') if next == Some('(') => return true,
            (None, '<' | '>') if next == Some('(') => return true,
            _ => {}
        }
        before = character;
    }
    false
}

#[derive(Clone, Copy)]
enum Quote {
    Single,
    Double,
    Ansi,
}

#[cfg(test)]
mod tests;
