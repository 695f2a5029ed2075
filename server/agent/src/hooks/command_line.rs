/// A command with the names that stand for paths and ids filled in.
///
/// Only outside of quotes, and in quotes of its own, so that a path with blanks stays one word. Inside of quotes the
/// shell does that, by the variables of the same names.
pub(super) fn filled(command: &str, known: &[(&str, String)]) -> String {
    let mut filled = String::with_capacity(command.len());
    let mut rest = command;
    let mut quote = None;
    while let Some(character) = rest.chars().next() {
        if quote.is_none()
            && let Some((name, value)) = named(rest, known)
        {
            filled.push_str(&quoted(value));
            rest = rest.get(name.len() + 1..).unwrap_or_default();
            continue;
        }
        let mut length = character.len_utf8();
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            // What comes behind it stands for itself.
            (None | Some('"'), '\\') => {
                length += rest.chars().nth(1).map_or(0, char::len_utf8);
            }
            _ => {}
        }
        let (taken, left) = rest.split_at(length);
        filled.push_str(taken);
        rest = left;
    }
    filled
}

/// The name that the text begins with, behind its dollar sign.
fn named<'a>(text: &str, known: &'a [(&str, String)]) -> Option<(&'a str, &'a str)> {
    let text = text.strip_prefix('$')?;
    let goes_on = |character: char| character.is_ascii_alphanumeric() || character == '_';
    known.iter().find_map(|(name, value)| {
        let behind = text.strip_prefix(name)?;
        (!behind.starts_with(goes_on)).then_some((*name, value.as_str()))
    })
}

fn quoted(value: &str) -> String {
    // What no shell can be told is not told.
    shlex::try_quote(value).map_or_else(|_| "''".to_owned(), |value| value.into_owned())
}
