//! The places to fill in a command's prompt: `@{path}`, `!{command}` and `{{args}}`.

#[cfg(test)]
mod tests;

/// Stands for what was typed behind the name.
pub(super) const ARGS: &str = "{{args}}";

/// What opens a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    File,
    Shell,
}

impl Trigger {
    fn text(self) -> &'static str {
        match self {
            Self::File => "@{",
            Self::Shell => "!{",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    /// Between the braces, without blanks around it.
    Place(&'a str),
}

/// A brace is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the place that begins at byte {at} is never closed")]
pub(crate) struct UnclosedInjection {
    pub(crate) at: usize,
}

/// A text with its places, in order. Braces within a place are balanced.
pub(crate) fn pieces(text: &str, trigger: Trigger) -> Result<Vec<Piece<'_>>, UnclosedInjection> {
    let opening = trigger.text();
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some((before, behind)) = text.get(from..).and_then(|rest| rest.split_once(opening)) {
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        let at = from + before.len();
        let length = closing(behind).ok_or(UnclosedInjection { at })?;
        let place = behind.get(..length).unwrap_or_default();
        pieces.push(Piece::Place(place.trim()));
        from = at + opening.len() + length + 1;
    }
    let rest = text.get(from..).unwrap_or_default();
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

/// Where the brace is that closes the one before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
