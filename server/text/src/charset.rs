//! Files as text: which charset their bytes are in, and how an edited text becomes bytes again.
//!
//! Most files are UTF-8. Others say what they are with a byte order mark, and for the rest the charset is guessed as a
//! browser would. A guess may be wrong and bytes may be damaged; an edit must do no harm even then, so bytes that an
//! edit does not touch are copied and never made from text.

mod splice;
mod units;

#[cfg(test)]
mod tests;

use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;
use memchr::memchr;

use units::{Order, Width};

/// What the bytes of a text mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// All of it valid, so that text and bytes are the same thing.
    Utf8,
    /// UTF-16 or UTF-32, all of it valid, which text gives back exactly.
    Units(Width, Order),
    /// Any other, or UTF-8 with invalid bytes: text may not give the same bytes back.
    Lossy(&'static Encoding),
}

impl Charset {
    pub const UTF_8: Self = Self(Kind::Utf8);

    /// The name by which people and standards know it.
    pub fn name(&self) -> &'static str {
        match self.0 {
            Kind::Utf8 => "UTF-8",
            Kind::Units(Width::Two, Order::Little) => "UTF-16LE",
            Kind::Units(Width::Two, Order::Big) => "UTF-16BE",
            Kind::Units(Width::Four, Order::Little) => "UTF-32LE",
            Kind::Units(Width::Four, Order::Big) => "UTF-32BE",
            Kind::Lossy(encoding) => encoding.name(),
        }
    }

    fn mark(self) -> &'static [u8] {
        match self.0 {
            Kind::Units(Width::Two, Order::Little) => &[0xff, 0xfe],
            Kind::Units(Width::Two, Order::Big) => &[0xfe, 0xff],
            Kind::Units(Width::Four, Order::Little) => &[0xff, 0xfe, 0, 0],
            Kind::Units(Width::Four, Order::Big) => &[0, 0, 0xfe, 0xff],
            Kind::Utf8 | Kind::Lossy(_) => &[0xef, 0xbb, 0xbf],
        }
    }
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether a file starts with a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bom {
    Present,
    Absent,
}

/// The text of a file. The byte order mark is the file's and not in it.
#[derive(Clone, PartialEq, Eq)]
pub struct Decoded {
    pub text: String,
    pub charset: Charset,
    pub bom: Bom,
}

/// The text may hold secrets and may be large: it stays out of logs.
impl fmt::Debug for Decoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoded")
            .field("bytes", &self.text.len())
            .field("charset", &self.charset.name())
            .field("bom", &self.bom)
            .finish()
    }
}

/// The bytes are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not text")]
pub struct NotText;

/// A character that the file's charset has no bytes for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line} has the character `{character}` (U+{:04X}), which the file's charset {charset} cannot hold; write it \
     with other characters", u32::from(*character)
)]
pub struct Unencodable {
    /// Counted from 1, in the text that was to be written.
    pub line: usize,
    pub character: char,
    pub charset: Charset,
}

/// How many bytes are looked at to tell text from anything else.
const SNIFFED: usize = 8 * 1024;
/// How many bytes are looked at to tell which charset it is, from the first that matters.
const GUESSED_FROM: usize = 1024 * 1024;

/// Byte order marks. UTF-32's starts with that of UTF-16, and so comes first.
const MARKED: [Charset; 5] = [
    Charset::UTF_8,
    Charset(Kind::Units(Width::Four, Order::Little)),
    Charset(Kind::Units(Width::Four, Order::Big)),
    Charset(Kind::Units(Width::Two, Order::Little)),
    Charset(Kind::Units(Width::Two, Order::Big)),
];

/// The text of a file's bytes.
pub fn decode(bytes: &[u8]) -> Result<Decoded, NotText> {
    let marked = MARKED.iter().find_map(|charset| {
        let body = bytes.strip_prefix(charset.mark())?;
        Some((*charset, body))
    });
    let (charset, text) = match marked {
        Some((charset @ Charset(Kind::Units(width, order)), body)) => {
            let text = units::decode(body, width, order).ok_or(NotText)?;
            if text.bytes().take(SNIFFED).any(|byte| byte == 0) {
                return Err(NotText);
            }
            (charset, text)
        }
        Some((_, body)) => unmarked(body, Some(encoding_rs::UTF_8))?,
        None => unmarked(bytes, None)?,
    };
    let bom = if marked.is_some() {
        Bom::Present
    } else {
        Bom::Absent
    };
    Ok(Decoded { text, charset, bom })
}

/// Text in bytes of which every ASCII one means itself.
fn unmarked(bytes: &[u8], known: Option<&'static Encoding>) -> Result<(Charset, String), NotText> {
    let start = bytes.get(..SNIFFED).unwrap_or(bytes);
    let controls = start.iter().filter(|byte| is_control(**byte)).count();
    if memchr(0, start).is_some() || controls * 3 > start.len() {
        return Err(NotText);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok((Charset::UTF_8, text.to_owned()));
    }
    // What is not UTF-8 is more likely no text at all.
    if memchr(0, bytes).is_some() || controls * 20 > start.len() {
        return Err(NotText);
    }
    let encoding = known.unwrap_or_else(|| guess(bytes));
    let (text, _had_errors) = encoding.decode_without_bom_handling(bytes);
    Ok((Charset(Kind::Lossy(encoding)), text.into_owned()))
}

fn is_control(byte: u8) -> bool {
    // Escape is in texts with terminal colours.
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | 0x1b)
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    if is_damaged_utf8(bytes) {
        return encoding_rs::UTF_8;
    }
    let start = Encoding::ascii_valid_up_to(bytes).saturating_sub(GUESSED_FROM / 16);
    let sample = bytes.get(start..).unwrap_or_default();
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    match sample.get(..GUESSED_FROM) {
        Some(cut) => detector.feed(cut, false),
        None => detector.feed(sample, true),
    };
    detector.guess(None, Utf8Detection::Deny)
}

/// Whether most of what is not ASCII is UTF-8: the sequences of other charsets hardly ever are.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        let characters = chunk.valid().bytes().filter(|byte| *byte >= 0xc0);
        valid += characters.count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid >= 4 * invalid
}

/// The bytes of a file after an edit that turned its text into `text`.
///
/// `decoded` is what [`decode`] made of `original`. Lines that stay keep their bytes, and in a line that does not, what
/// stands before and after the change.
pub fn encode_edit(original: &[u8], decoded: &Decoded, text: &str) -> Result<Vec<u8>, Unencodable> {
    let charset = decoded.charset;
    let mark = match decoded.bom {
        Bom::Present => charset.mark(),
        Bom::Absent => &[],
    };
    let mut bytes =
        Vec::with_capacity(original.len() + text.len().saturating_sub(decoded.text.len()));
    bytes.extend_from_slice(mark);
    match charset.0 {
        Kind::Utf8 => bytes.extend_from_slice(text.as_bytes()),
        Kind::Units(width, order) => units::encode(&mut bytes, text, width, order),
        Kind::Lossy(encoding) => {
            let body = original.get(mark.len()..).unwrap_or_default();
            let refused = |(offset, character)| Unencodable {
                line: line_at(text, offset),
                character,
                charset,
            };
            splice::spliced(&mut bytes, encoding, body, &decoded.text, text).map_err(refused)?;
        }
    }
    Ok(bytes)
}

fn line_at(text: &str, offset: usize) -> usize {
    crate::lines(text.get(..offset).unwrap_or_default())
        .iter()
        .filter(|line| line.ends_with(['\r', '\n']))
        .count()
        + 1
}
