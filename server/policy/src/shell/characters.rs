//! Characters that have no business in a command line, because a reader sees something else than bash does.

/// What is wrong with the characters of the text, if anything is.
pub(super) fn doubt(text: &str) -> Option<String> {
    let strange = text.chars().find(|&character| is_strange(character))?;
    Some(format!("it holds the character U+{:04X}", strange as u32))
}

fn is_strange(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        _ if character.is_control() => true,
        _ if character.is_ascii() => false,
        // Blanks that bash may or may not split words at.
        _ if character.is_whitespace() => true,
        // Marks that are not seen or that turn the order of what is seen.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffd}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}
