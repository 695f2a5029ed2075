//! Finds the `@` references of a prompt.

#[cfg(test)]
mod tests;

/// Words and references, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// With `\@` already turned into `@`.
    Text(String),
    Reference(Token<'a>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// As typed, with the `@`.
    pub(super) raw: &'a str,
    /// Without quotes and escapes.
    pub(super) path: String,
    pub(super) place: Place,
}

/// What stands before the `@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Free,
    /// A letter or digit, as in a mail address: hardly meant as a file.
    InWord,
}

pub(super) fn pieces(prompt: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = prompt;
    while let Some(character) = rest.chars().next() {
        let place = match text.chars().next_back() {
            Some(before) if before.is_alphanumeric() => Place::InWord,
            _ => Place::Free,
        };
        let length = match character {
            '\\' if rest.starts_with("\\@") => {
                text.push('@');
                2
            }
            '@' => match token(rest, place) {
                Some(token) => {
                    let length = token.raw.len();
                    if !text.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut text)));
                    }
                    pieces.push(Piece::Reference(token));
                    length
                }
                None => {
                    text.push('@');
                    1
                }
            },
            other => {
                text.push(other);
                other.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

/// The token that begins with the `@` at the start of `rest`.
fn token(rest: &str, place: Place) -> Option<Token<'_>> {
    let after = rest.strip_prefix('@')?;
    let (path, length) = quoted(after).unwrap_or_else(|| bare(after));
    let raw = rest.get(..1 + length)?;
    (!path.is_empty()).then_some(Token { raw, path, place })
}

/// A quoted path, on one line.
fn quoted(after: &str) -> Option<(String, usize)> {
    let quote = after
        .chars()
        .next()
        .filter(|first| matches!(first, '"' | '\''))?;
    let (inside, _) = after.get(1..)?.split_once(quote)?;
    let plain = !inside.is_empty() && !inside.contains('\n');
    plain.then(|| (inside.to_owned(), inside.len() + 2))
}

/// Up to a delimiter that is not escaped.
fn bare(after: &str) -> (String, usize) {
    let mut path = String::new();
    let mut length = 0;
    while let Some(rest) = after.get(length..) {
        let mut characters = rest.chars();
        let Some(character) = characters.next() else {
            break;
        };
        match (character, characters.next()) {
            ('\\', Some(escaped)) => {
                path.push(escaped);
                length += 1 + escaped.len_utf8();
            }
            _ if is_delimiter(character) => break,
            ('.', _) => match dots(rest) {
                Some(dots) => {
                    path.push_str(dots);
                    length += dots.len();
                }
                None => break,
            },
            _ => {
                path.push(character);
                length += character.len_utf8();
            }
        }
    }
    (path, length)
}

fn is_delimiter(character: char) -> bool {
    character.is_whitespace() || ",;!?()[]{}".contains(character)
}

/// The full stops that `rest` begins with, if the path goes on behind them. Before a blank or the end they close a
/// sentence. All at once, because a row of dots may be as long as the prompt.
fn dots(rest: &str) -> Option<&str> {
    let after = rest.trim_start_matches('.');
    let goes_on = after
        .chars()
        .next()
        .is_some_and(|next| !next.is_whitespace());
    rest.strip_suffix(after).filter(|_| goes_on)
}
