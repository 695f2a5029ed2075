//! Files as people have them, and edits of them: charsets, byte order marks, line endings, and what must come out.
//!
//! Expected bytes are put together here from pieces, without any code that edits, decodes or compares texts.

use encoding_rs::{EUC_JP, Encoding, SHIFT_JIS, WINDOWS_1252};

/// An edit of a text whose lines end with a line feed: the part that changes, what stands around it, and what comes.
#[derive(Debug, Clone)]
pub struct EditCase {
    /// How the place is found, by the name of the strategy.
    pub strategy: String,
    pub before: String,
    pub found: String,
    pub after: String,
    /// What the model names, and what it wants instead.
    pub old: String,
    pub new: String,
    pub made: String,
}

/// Every edit of `edits.txt`.
pub fn edit_cases() -> Vec<EditCase> {
    let lines = include_str!("byte_corpus/edits.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(edit_case).collect()
}

fn edit_case(line: &str) -> EditCase {
    let line = format!("{line} ");
    let fields: Vec<String> = line
        .split("| ")
        .map(|field| unescaped(field.strip_suffix(' ').unwrap_or(field)))
        .collect();
    let [strategy, text, old, new, made @ ..] = &fields[..] else {
        panic!("an edit has at least four fields: {line}");
    };
    let (before, rest) = text.split_once('«').expect("the part that changes begins");
    let (found, after) = rest.split_once('»').expect("the part that changes ends");
    EditCase {
        strategy: strategy.clone(),
        before: before.to_owned(),
        found: found.to_owned(),
        after: after.to_owned(),
        old: old.clone(),
        new: new.clone(),
        made: made.first().unwrap_or(new).clone(),
    }
}

fn unescaped(field: &str) -> String {
    let mut text = String::new();
    let mut rest = field.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        text.push(match rest.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('s') => ' ',
            Some('\\') => '\\',
            Some('u') => {
                let digits: String = rest.by_ref().take_while(|digit| *digit != '}').collect();
                let number = u32::from_str_radix(&digits[1..], 16).expect("a number in braces");
                char::from_u32(number).expect("a character")
            }
            other => panic!("nothing is written as \\{other:?}"),
        });
    }
    text
}

/// How the lines of a file end, one after the other.
pub const LINE_ENDINGS: [(&str, &[&str]); 4] = [
    ("LF", &["\n"]),
    ("CRLF", &["\r\n"]),
    ("CR", &["\r"]),
    // A carriage return before an empty line with a line feed would be one ending, so these never meet.
    ("mixed", &["\n", "\r", "\r\n"]),
];

/// The text with these endings, from the `first` on.
pub fn with_endings(text: &str, endings: &[&str], first: usize) -> String {
    let mut result = String::new();
    let mut next = endings.iter().cycle().skip(first % endings.len());
    for character in text.chars() {
        match character {
            '\n' => result.push_str(next.next().expect("a cycle goes on")),
            other => result.push(other),
        }
    }
    result
}

pub fn line_feeds(text: &str) -> usize {
    text.matches('\n').count()
}

/// A charset, its byte order mark, and a first line that tells it apart from others.
#[derive(Debug, Clone, Copy)]
pub struct FileKind {
    pub charset: &'static str,
    pub mark: &'static [u8],
    pub first_line: &'static str,
    /// The bytes of a text without the mark, or nothing when the charset cannot hold it.
    pub encode: fn(&str) -> Option<Vec<u8>>,
}

pub const JAPANESE: &str =
    "# これは日本語で書かれた設定ファイルです。変更するときは、担当者に連絡してください。\n";
pub const FRENCH: &str =
    "# Ce fichier a été généré à la main : prière de ne pas l'effacer, même s'il paraît inutile.\n";

pub const FILE_KINDS: [FileKind; 9] = [
    FileKind {
        charset: "UTF-8",
        mark: b"",
        first_line: "",
        encode: |text| Some(text.as_bytes().to_vec()),
    },
    FileKind {
        charset: "UTF-8",
        mark: b"\xef\xbb\xbf",
        first_line: "",
        encode: |text| Some(text.as_bytes().to_vec()),
    },
    FileKind {
        charset: "UTF-16LE",
        mark: b"\xff\xfe",
        first_line: "",
        encode: |text| Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    },
    FileKind {
        charset: "UTF-16BE",
        mark: b"\xfe\xff",
        first_line: "",
        encode: |text| Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
    },
    FileKind {
        charset: "UTF-32LE",
        mark: b"\xff\xfe\0\0",
        first_line: "",
        encode: |text| {
            let units = text.chars().flat_map(|c| u32::from(c).to_le_bytes());
            Some(units.collect())
        },
    },
    FileKind {
        charset: "UTF-32BE",
        mark: b"\0\0\xfe\xff",
        first_line: "",
        encode: |text| {
            let units = text.chars().flat_map(|c| u32::from(c).to_be_bytes());
            Some(units.collect())
        },
    },
    FileKind {
        charset: "Shift_JIS",
        mark: b"",
        first_line: JAPANESE,
        encode: |text| legacy(SHIFT_JIS, text),
    },
    FileKind {
        charset: "EUC-JP",
        mark: b"",
        first_line: JAPANESE,
        encode: |text| legacy(EUC_JP, text),
    },
    FileKind {
        charset: "windows-1252",
        mark: b"",
        first_line: FRENCH,
        encode: |text| legacy(WINDOWS_1252, text),
    },
];

fn legacy(encoding: &'static Encoding, text: &str) -> Option<Vec<u8>> {
    let (bytes, _, unmappable) = encoding.encode(text);
    (!unmappable).then(|| bytes.into_owned())
}

/// A file of one kind, and what one edit must make of it.
#[derive(Debug, Clone)]
pub struct EditedFile {
    pub kind: FileKind,
    pub original: Vec<u8>,
    pub expected: Vec<u8>,
    /// So many bytes at the start and at the end are none of the edit's business.
    pub kept_start: usize,
    pub kept_end: usize,
}

impl EditCase {
    /// Nothing when a file of this kind cannot hold the case.
    pub fn in_file(&self, kind: &FileKind, endings: &[&str]) -> Option<EditedFile> {
        // Which endings lines get that are more than before is not for this table to say.
        if endings.len() > 1 && line_feeds(&self.made) != line_feeds(&self.found) {
            return None;
        }
        let before = format!("{}{}", kind.first_line, self.before);
        let (in_before, in_found) = (line_feeds(&before), line_feeds(&self.found));
        // New lines end as the file's lines do, so there must be one.
        if in_before + in_found + line_feeds(&self.after) == 0 && endings != ["\n"] {
            return None;
        }
        let bytes_of = |text: &str, first| (kind.encode)(&with_endings(text, endings, first));
        let before = bytes_of(&before, 0)?;
        let found = bytes_of(&self.found, in_before)?;
        let after = bytes_of(&self.after, in_before + in_found)?;
        let made = bytes_of(&self.made, in_before)?;
        Some(EditedFile {
            kind: *kind,
            original: [kind.mark, &before, &found, &after].concat(),
            expected: [kind.mark, &before, &made, &after].concat(),
            kept_start: kind.mark.len() + before.len(),
            kept_end: after.len(),
        })
    }
}
