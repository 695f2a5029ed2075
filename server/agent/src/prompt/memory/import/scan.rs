//! Finds the imports of a text.

/// Text and imports, in order; put together they are the whole text, an import with its `@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    /// The path as it is spelled, without the `@`.
    Import(&'a str),
}

/// Splits a text at its imports: an `@` at the start or after a blank, followed by `.`, `/` or a letter, up to the
/// next blank, outside backticks.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    // Where the text begins that is in no piece yet.
    let mut start = 0;
    let mut at = 0;
    let mut before = None;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(character) = rest.chars().next() else {
            break;
        };
        let length = match character {
            '`' => code_length(rest),
            '@' if before.is_none_or(char::is_whitespace) => match import(rest) {
                Some(path) => {
                    push_text(&mut pieces, text.get(start..at));
                    pieces.push(Piece::Import(path));
                    start = at + 1 + path.len();
                    1 + path.len()
                }
                None => 1,
            },
            other => other.len_utf8(),
        };
        at += length;
        before = text.get(..at).and_then(|seen| seen.chars().next_back());
    }
    push_text(&mut pieces, text.get(start..));
    pieces
}

fn push_text<'a>(pieces: &mut Vec<Piece<'a>>, text: Option<&'a str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        pieces.push(Piece::Text(text));
    }
}

/// The path behind an `@`.
fn import(rest: &str) -> Option<&str> {
    let path = rest.strip_prefix('@')?.split(char::is_whitespace).next()?;
    let first = path.chars().next()?;
    (first == '.' || first == '/' || first.is_ascii_alphabetic()).then_some(path)
}

/// How long the code is that begins here: from a run of backticks to the next run of the same length. Three or more
/// without an end are a fence that lasts to the end of the text; fewer are plain text.
fn code_length(rest: &str) -> usize {
    let opening = run(rest);
    let mut at = opening;
    while let Some(ahead) = rest.get(at..).and_then(|after| after.find('`')) {
        at += ahead;
        let closing = rest.get(at..).map_or(0, run);
        at += closing;
        if closing == opening {
            return at;
        }
    }
    match opening >= 3 {
        true => rest.len(),
        false => opening,
    }
}

fn run(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}
