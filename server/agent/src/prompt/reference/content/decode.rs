//! Bytes as text, if they are any.

/// Bytes that are looked at to tell text from other data.
const SNIFFED: usize = 4 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decoded {
    Text(String),
    Binary,
}

/// Believes a byte order mark; without one, a zero byte or many control characters mean that this is no text.
/// What is not UTF-8 shows as replacement characters.
pub(super) fn decode(bytes: &[u8]) -> Decoded {
    // The marks of UTF-32 begin like those of UTF-16, so they are asked first.
    if let Some(rest) = bytes.strip_prefix(&[0xff, 0xfe, 0, 0]) {
        return Decoded::Text(utf32(rest, u32::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(&[0, 0, 0xfe, 0xff]) {
        return Decoded::Text(utf32(rest, u32::from_be_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(&[0xff, 0xfe]) {
        return Decoded::Text(utf16(rest, u16::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(&[0xfe, 0xff]) {
        return Decoded::Text(utf16(rest, u16::from_be_bytes));
    }
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    match looks_binary(bytes) {
        true => Decoded::Binary,
        false => Decoded::Text(String::from_utf8_lossy(bytes).into_owned()),
    }
}

fn looks_binary(bytes: &[u8]) -> bool {
    let sniffed = bytes.get(..SNIFFED).unwrap_or(bytes);
    let control = |byte: &&u8| **byte < 9 || (14..32).contains(*byte);
    let controls = sniffed.iter().filter(control).count();
    sniffed.contains(&0) || controls * 10 > sniffed.len() * 3
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    let characters = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)));
    characters
        .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> String {
    let (quads, _) = bytes.as_chunks::<4>();
    let characters = quads.iter().map(|quad| char::from_u32(unit(*quad)));
    characters
        .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}
