//! Somebody who types into an open file, one character at a time and all over the place.

use serde_json::{Value, json};

use super::client::notification;

#[cfg(test)]
mod tests;

/// Knows the text well enough to type only where it exists.
pub(super) struct Typist {
    uri: String,
    version: i32,
    bytes: usize,
    /// Length of each line in UTF-16 units; zero for lines that are not plain ASCII, so that no
    /// character is ever split.
    widths: Vec<usize>,
    dice: Dice,
}

impl Typist {
    /// The typist and the message that opens the file.
    pub(super) fn open(uri: String, text: &str) -> (Self, Vec<u8>) {
        let version = 1;
        let opening = notification(
            "textDocument/didOpen",
            &json!({"textDocument": {
                "uri": uri, "languageId": "rust", "version": version, "text": text,
            }}),
        );
        let width = |line: &str| if line.is_ascii() { line.len() } else { 0 };
        let typist = Self {
            uri,
            version,
            bytes: text.len(),
            widths: text.lines().map(width).collect(),
            dice: Dice(text.len() as u64),
        };
        (typist, opening)
    }

    /// So many keystrokes as messages, ready to be written.
    pub(super) fn keystrokes(&mut self, count: usize) -> Vec<u8> {
        (0..count).flat_map(|_| self.keystroke()).collect()
    }

    fn keystroke(&mut self) -> Vec<u8> {
        let line = self.dice.below(self.widths.len());
        let width = self.widths.get(line).copied().unwrap_or_default();
        let character = self.dice.below(width + 1);
        if let Some(width) = self.widths.get_mut(line).filter(|width| **width > 0) {
            *width += 1;
        }
        self.version += 1;
        self.bytes += 1;
        let place = json!({"line": line, "character": character});
        notification(
            "textDocument/didChange",
            &json!({
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": [{"range": {"start": place, "end": place}, "text": "x"}],
            }),
        )
    }

    /// Whether a snapshot shows the file as it must be by now: a keystroke that was dropped
    /// would look like a fast one.
    pub(super) fn agrees_with(&self, snapshot: &Value) -> bool {
        let documents = snapshot.get("documents").and_then(Value::as_array);
        let mut documents = documents.into_iter().flatten();
        documents.any(|document| {
            document.get("uri") == Some(&json!(self.uri))
                && document.get("version") == Some(&json!(self.version))
                && document.get("bytes") == Some(&json!(self.bytes))
                && document.get("sync") == Some(&json!("synced"))
        })
    }
}

/// The same throws in every run, so that two runs type the same.
struct Dice(u64);

impl Dice {
    /// A number below the limit, or zero when the limit is zero.
    fn below(&mut self, limit: usize) -> usize {
        // Knuth's linear congruential generator; its high bits are good enough for places.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let throw = usize::try_from(self.0 >> 33).unwrap_or_default();
        throw.checked_rem(limit).unwrap_or_default()
    }
}

/// Text of a source file with so many lines.
pub(super) fn source(lines: usize) -> String {
    (0..lines)
        .map(|number| format!("    let value_{number} = compute({number}, \"some text\");\n"))
        .collect()
}
