//! Cutting text to a hard size, always between characters and never silently.

/// The longest beginning of a text that fits.
pub(super) fn clip(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit))
        .unwrap_or_default()
}

/// The text, or its beginning and a note; never longer than `limit` together with the note.
pub(super) fn clip_with_note(text: &str, limit: usize, note: &str) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let note = clip(note, limit);
    let mut clipped = clip(text, limit.saturating_sub(note.len())).to_owned();
    clipped.push_str(note);
    clipped
}

/// A name in a line of its own: a file may be called anything, a line break included.
pub(super) fn one_line(name: &str) -> String {
    name.chars()
        .map(|character| match character.is_control() {
            true => '?',
            false => character,
        })
        .collect()
}

/// At most two line ends in a row: what is left of an absent section takes no room.
pub(super) fn collapse_blank_lines(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    let mut line_ends = 0;
    for character in text.chars() {
        line_ends = match character {
            '\n' => line_ends + 1,
            _ => 0,
        };
        if line_ends <= 2 {
            collapsed.push(character);
        }
    }
    collapsed
}
