//! Tokens: how many a model takes, and how many a text will probably be.
//!
//! An estimate is a sum over contents, so a session keeps a running [`TokenEstimate`] and adds what is new instead
//! of going through its history for every request.

#[cfg(test)]
mod tests;

use std::io;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use serde::Serialize;

use crate::{Content, FunctionCall, FunctionResponse, InlineData, Part, Thought, ToolDeclaration};

const DEFAULT_LIMIT: u64 = 1_048_576;
const GEMMA_LIMIT: u64 = 256_000;

/// Quarters of a token. In quarters every weight is a whole number, so sums are exact in any order.
const PER_TOKEN: u64 = 4;
const PER_ASCII_CHAR: u64 = 1;
const PER_OTHER_CHAR: u64 = 6;
const PER_IMAGE: u64 = 3_000 * PER_TOKEN;
const PER_PDF: u64 = 25_800 * PER_TOKEN;
/// Beyond this length a text is counted by length alone, as the twin does to save time.
const LONG_TEXT: u64 = 100_000;

/// How many tokens of prompt and answer a model takes.
pub fn token_limit(model: &str) -> u64 {
    match model {
        "gemma-4-31b-it" | "gemma-4-26b-a4b-it" => GEMMA_LIMIT,
        _ => DEFAULT_LIMIT,
    }
}

/// The same for models whose limit is known, so that nobody is shown a guess.
pub fn known_token_limit(model: &str) -> Option<u64> {
    let is_known = ["gemini", "gemma", "demo"]
        .iter()
        .any(|family| model.starts_with(family));
    is_known.then(|| token_limit(model))
}

/// Whether a request fits behind what the model has seen already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    Fits,
    Overflows { estimated: u64, remaining: u64 },
}

/// Compares what is to be added with what `limit` leaves beside what is there already.
pub fn room_for(estimated: u64, used: u64, limit: u64) -> Room {
    let remaining = limit.saturating_sub(used);
    if estimated > remaining {
        Room::Overflows {
            estimated,
            remaining,
        }
    } else {
        Room::Fits
    }
}

/// A sum of estimates. Rounded down once, when it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenEstimate {
    quarters: u64,
}

impl TokenEstimate {
    pub fn tokens(self) -> u64 {
        self.quarters / PER_TOKEN
    }

    pub fn of_contents(contents: &[Content]) -> Self {
        contents.iter().map(Self::of_content).sum()
    }

    pub fn of_content(content: &Content) -> Self {
        Self::of_parts(&content.parts)
    }

    pub fn of_parts(parts: &[Part]) -> Self {
        parts.iter().map(Self::of_part).sum()
    }

    pub fn of_part(part: &Part) -> Self {
        match part {
            Part::Text(text) => Self::of_text(text),
            // The signature stands for thoughts, which are not counted either.
            Part::SignedText(signed) => Self::of_text(&signed.text),
            Part::Thought(thought) => Self::of_thought(thought),
            Part::FunctionCall(call) => Self::of_call(call),
            Part::FunctionResponse(response) => Self::of_response(response),
            Part::InlineData(data) => Self::of_inline_data(data),
        }
    }

    pub fn of_text(text: &str) -> Self {
        Self::of_chars(Chars::of(text))
    }

    /// What the model is told about its tools: by the length of that JSON too.
    pub fn of_tools(tools: &[ToolDeclaration]) -> Self {
        let of_tool = |tool: &ToolDeclaration| {
            let mut json = JsonLength::default();
            json.literal(r#"{"name":,"description":,"parametersJsonSchema":},"#);
            json.string(&tool.name);
            json.string(&tool.description);
            json.value(&tool.parameters);
            json.estimate()
        };
        tools.iter().map(of_tool).sum()
    }

    /// The text of a thought is its subject in bold and its description.
    fn of_thought(thought: &Thought) -> Self {
        let mut chars = Chars::of(&thought.subject);
        chars.add(&thought.description);
        chars.add("**** ");
        Self::of_chars(chars)
    }

    /// Like any part that is neither text nor data: by the length of its JSON.
    fn of_call(call: &FunctionCall) -> Self {
        let mut json = JsonLength::default();
        json.literal(r#"{"functionCall":{"id":,"name":,"args":}}"#);
        json.string(call.id.as_str());
        json.string(&call.name);
        json.value(&call.args);
        if let Some(signature) = &call.signature {
            json.literal(r#","thoughtSignature":"#);
            json.string(signature);
        }
        json.estimate()
    }

    fn of_response(response: &FunctionResponse) -> Self {
        let mut json = JsonLength::default();
        json.literal(&response.name);
        json.value(&response.response);
        json.estimate()
    }

    fn of_inline_data(data: &InlineData) -> Self {
        if data.mime_type.starts_with("image/") {
            return Self::new(PER_IMAGE);
        }
        if data.mime_type == "application/pdf" {
            return Self::new(PER_PDF);
        }
        let mut json = JsonLength::default();
        json.literal(r#"{"inlineData":{"mimeType":"","data":""}}"#);
        json.literal(&data.mime_type);
        json.literal(&data.data);
        json.estimate()
    }

    fn of_chars(chars: Chars) -> Self {
        if chars.utf16_length() > LONG_TEXT {
            return Self::new(chars.utf16_length());
        }
        Self::new(chars.ascii * PER_ASCII_CHAR + (chars.wide + chars.astral) * PER_OTHER_CHAR)
    }

    fn new(quarters: u64) -> Self {
        Self { quarters }
    }
}

impl Add for TokenEstimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.quarters.saturating_add(other.quarters))
    }
}

impl AddAssign for TokenEstimate {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// For a running sum whose history was rolled back.
impl Sub for TokenEstimate {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::new(self.quarters.saturating_sub(other.quarters))
    }
}

impl SubAssign for TokenEstimate {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for TokenEstimate {
    fn sum<I: Iterator<Item = Self>>(estimates: I) -> Self {
        estimates.fold(Self::default(), Add::add)
    }
}

/// Characters of a text by their kind. Lengths are in UTF-16 units because the twin's are.
#[derive(Clone, Copy, Debug, Default)]
struct Chars {
    ascii: u64,
    wide: u64,
    /// Those that need two UTF-16 units.
    astral: u64,
}

impl Chars {
    fn of(text: &str) -> Self {
        let mut chars = Self::default();
        chars.add(text);
        chars
    }

    fn add(&mut self, text: &str) {
        self.add_bytes(text.as_bytes());
    }

    /// The first byte of a character says all that matters; no decoding, and the compiler makes it wide.
    fn add_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.ascii += u64::from(*byte < 0x80);
            self.wide += u64::from((0xC0..0xF0).contains(byte));
            self.astral += u64::from(*byte >= 0xF0);
        }
    }

    fn utf16_length(self) -> u64 {
        self.ascii + self.wide + 2 * self.astral
    }
}

/// Counts JSON instead of building it: tool outputs are megabytes.
#[derive(Default)]
struct JsonLength(Chars);

impl JsonLength {
    fn literal(&mut self, text: &str) {
        self.0.add(text);
    }

    fn string(&mut self, text: &str) {
        self.value(&text);
    }

    fn value(&mut self, value: &impl Serialize) {
        let counted = serde_json::to_writer(&mut *self, value);
        debug_assert!(counted.is_ok(), "counting does no IO");
    }

    fn estimate(&self) -> TokenEstimate {
        TokenEstimate::new(self.0.utf16_length())
    }
}

impl io::Write for JsonLength {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.add_bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
