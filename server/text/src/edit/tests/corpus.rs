//! Edits of whole files: every edit of `corpus.txt` in every charset and with every kind of line ending that can hold
//! it. What must come out is put together here, byte for byte, without the code that is tried.

use encoding_rs::{EUC_JP, Encoding, SHIFT_JIS, WINDOWS_1252};

use super::*;
use crate::{decode, encode_edit};

struct Case {
    strategy: String,
    before: String,
    found: String,
    after: String,
    old: String,
    new: String,
    made: String,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("corpus.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(case).collect()
}

fn case(line: &str) -> Case {
    let line = format!("{line} ");
    let fields: Vec<String> = line
        .split("| ")
        .map(|field| unescaped(field.strip_suffix(' ').unwrap_or(field)))
        .collect();
    let [strategy, text, old, new, made @ ..] = &fields[..] else {
        panic!("{line}");
    };
    let (before, rest) = text.split_once('«').unwrap();
    let (found, after) = rest.split_once('»').unwrap();
    Case {
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
        text.push(match rest.next().unwrap() {
            'n' => '\n',
            't' => '\t',
            's' => ' ',
            '\\' => '\\',
            'u' => {
                let digits: String = rest.by_ref().take_while(|digit| *digit != '}').collect();
                char::from_u32(u32::from_str_radix(&digits[1..], 16).unwrap()).unwrap()
            }
            other => panic!("\\{other}"),
        });
    }
    text
}

/// How the lines of a file end, one after the other.
const ENDINGS: [(&str, &[&str]); 4] = [
    ("LF", &["\n"]),
    ("CRLF", &["\r\n"]),
    ("CR", &["\r"]),
    // A carriage return before an empty line with a line feed would be one ending, so these never meet.
    ("mixed", &["\n", "\r", "\r\n"]),
];

/// The text with these endings, from the `first` on.
fn with_endings(text: &str, endings: &[&str], first: usize) -> String {
    let mut result = String::new();
    let mut next = endings.iter().cycle().skip(first % endings.len());
    for character in text.chars() {
        match character {
            '\n' => result.push_str(next.next().unwrap()),
            other => result.push(other),
        }
    }
    result
}

fn feeds(text: &str) -> usize {
    text.matches('\n').count()
}

/// A charset, its byte order mark, and a first line that tells it apart from others.
struct File {
    charset: &'static str,
    mark: &'static [u8],
    first_line: &'static str,
    encode: fn(&str) -> Option<Vec<u8>>,
}

const JAPANESE: &str =
    "# これは日本語で書かれた設定ファイルです。変更するときは、担当者に連絡してください。\n";
const FRENCH: &str =
    "# Ce fichier a été généré à la main : prière de ne pas l'effacer, même s'il paraît inutile.\n";

const FILES: [File; 9] = [
    File {
        charset: "UTF-8",
        mark: b"",
        first_line: "",
        encode: |text| Some(text.as_bytes().to_vec()),
    },
    File {
        charset: "UTF-8",
        mark: b"\xef\xbb\xbf",
        first_line: "",
        encode: |text| Some(text.as_bytes().to_vec()),
    },
    File {
        charset: "UTF-16LE",
        mark: b"\xff\xfe",
        first_line: "",
        encode: |text| Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    },
    File {
        charset: "UTF-16BE",
        mark: b"\xfe\xff",
        first_line: "",
        encode: |text| Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
    },
    File {
        charset: "UTF-32LE",
        mark: b"\xff\xfe\0\0",
        first_line: "",
        encode: |text| {
            let units = text.chars().flat_map(|c| u32::from(c).to_le_bytes());
            Some(units.collect())
        },
    },
    File {
        charset: "UTF-32BE",
        mark: b"\0\0\xfe\xff",
        first_line: "",
        encode: |text| {
            let units = text.chars().flat_map(|c| u32::from(c).to_be_bytes());
            Some(units.collect())
        },
    },
    File {
        charset: "Shift_JIS",
        mark: b"",
        first_line: JAPANESE,
        encode: |text| legacy(SHIFT_JIS, text),
    },
    File {
        charset: "EUC-JP",
        mark: b"",
        first_line: JAPANESE,
        encode: |text| legacy(EUC_JP, text),
    },
    File {
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

/// Tries one case in one kind of file; nothing when that file cannot hold it, otherwise what went wrong.
fn tried(case: &Case, file: &File, endings: &[&str]) -> Option<Result<(), String>> {
    // Which endings lines get that are more than before is not for this table to say.
    if endings.len() > 1 && feeds(&case.made) != feeds(&case.found) {
        return None;
    }
    let before = format!("{}{}", file.first_line, case.before);
    let (in_before, in_found) = (feeds(&before), feeds(&case.found));
    // New lines end as the file's lines do, so there must be one.
    if in_before + in_found + feeds(&case.after) == 0 && endings != ["\n"] {
        return None;
    }
    let bytes_of = |text: &str, first| (file.encode)(&with_endings(text, endings, first));
    let before = bytes_of(&before, 0)?;
    let found = bytes_of(&case.found, in_before)?;
    let after = bytes_of(&case.after, in_before + in_found)?;
    let made = bytes_of(&case.made, in_before)?;
    let original = [file.mark, &before, &found, &after].concat();
    let expected = [file.mark, &before, &made, &after].concat();
    Some(edited_file(case, file, &original).and_then(|written| {
        // Once more without what the table says comes: nothing differs outside of the edit.
        let start = &original[..file.mark.len() + before.len()];
        let end = &original[original.len() - after.len()..];
        if written == expected && written.starts_with(start) && written.ends_with(end) {
            return Ok(());
        }
        let written = decode(&written).map(|decoded| decoded.text);
        Err(format!("wrote {written:?}"))
    }))
}

fn edited_file(case: &Case, file: &File, original: &[u8]) -> Result<Vec<u8>, String> {
    let decoded = decode(original).map_err(|error| error.to_string())?;
    if decoded.charset.name() != file.charset {
        return Err(format!("taken for {}", decoded.charset));
    }
    let replaced = replace(&decoded.text, &one(&case.old, &case.new));
    let replaced = replaced.map_err(|error| error.to_string())?;
    if replaced.strategy.to_string() != case.strategy {
        return Err(format!("found by {}", replaced.strategy));
    }
    encode_edit(original, &decoded, &replaced.text).map_err(|error| error.to_string())
}

#[test]
fn every_edit_changes_its_own_bytes_and_no_other() {
    let mut held = 0;
    let mut wrong = Vec::new();
    for case in &cases() {
        for file in &FILES {
            for (name, endings) in ENDINGS {
                let outcome = tried(case, file, endings);
                held += usize::from(outcome.is_some());
                if let Some(Err(reason)) = outcome {
                    wrong.push(format!(
                        "{:?} in {} {name}: {reason}",
                        case.old, file.charset
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases().len() >= 100, "{}", cases().len());
    assert!(held >= 2000, "{held}");
}

#[test]
fn what_cannot_be_done_is_refused_with_a_reason() {
    let japanese = format!("{JAPANESE}a = 1\n");
    let french = format!("{FRENCH}a = 1\n");
    let unencodable: [(&Encoding, &str, &str, char); 16] = [
        (SHIFT_JIS, &japanese, "a = é", 'é'),
        (SHIFT_JIS, &japanese, "a = 👍", '👍'),
        (SHIFT_JIS, &japanese, "a = ¥", '¥'),
        (SHIFT_JIS, &japanese, "a = ‾", '‾'),
        (SHIFT_JIS, &japanese, "a = \u{2212}", '\u{2212}'),
        (SHIFT_JIS, &japanese, "a = ü and é", 'ü'),
        (SHIFT_JIS, &japanese, "a = \u{fffd}", '\u{fffd}'),
        (EUC_JP, &japanese, "a = €", '€'),
        (EUC_JP, &japanese, "a = 👍", '👍'),
        (EUC_JP, &japanese, "a = ¥", '¥'),
        (WINDOWS_1252, &french, "a = 日本", '日'),
        (WINDOWS_1252, &french, "a = Ω", 'Ω'),
        (WINDOWS_1252, &french, "a = 👍", '👍'),
        (WINDOWS_1252, &french, "a = e\u{301}", '\u{301}'),
        (WINDOWS_1252, &french, "a = \u{fffd}", '\u{fffd}'),
        (WINDOWS_1252, &french, "a = ł", 'ł'),
    ];
    for (encoding, text, new, character) in unencodable {
        let original = legacy(encoding, text).unwrap();
        let decoded = decode(&original).unwrap();
        assert_eq!(decoded.charset.name(), encoding.name());
        let replaced = replace(&decoded.text, &one("a = 1", new)).unwrap();
        let error = encode_edit(&original, &decoded, &replaced.text).unwrap_err();
        assert_eq!((error.line, error.character), (2, character));
        assert_eq!(
            error.to_string(),
            format!(
                "line 2 has the character `{character}` (U+{:04X}), which the file's charset {} cannot hold; write it \
                 with other characters",
                u32::from(character),
                encoding.name()
            )
        );
    }
}

#[test]
fn edits_that_do_not_fit_are_refused_by_their_kind() {
    let several = "edit_expected_occurrence_mismatch";
    let none = "edit_no_occurrence_found";
    for (text, old, new, error_type) in [
        ("a\na\n", "a", "b", several),
        ("aaa", "a", "b", several),
        ("x y\nx  y\n  x y\n", "x y ", "z", several),
        ("f( x )\nf(  x)\n", "f(x )", "z", several),
        ("a\r\na\r\n", "a\n", "b\n", several),
        ("日本\n日本\n", "日本", "x", several),
        (
            "a long enough line 1\na long enough line 2\n",
            "a long enough line x",
            "z",
            several,
        ),
        ("a\n", "b", "c", none),
        ("", "b", "c", none),
        ("a\n", "a\n\n\nb", "c", none),
        ("a\nb\n", "b\na", "c", none),
        ("A\n", "a", "c", none),
        ("é\n", "e\u{301}", "c", none),
        ("abcdefgh\n", "abcdefgx", "c", none),
        ("a\tb\n", "ab", "c", none),
        ("a\n", " ", "c", none),
        ("a\n", "\n\n", "c", none),
        ("a\n", "a", "a", "edit_no_change"),
        ("a\r\nb", "a\nb", "a\r\nb", "edit_no_change"),
        ("a\n", "a\n", "a", "edit_no_change"),
        ("a", "a", "a\n", "edit_no_change"),
        ("a\n", "", "b", "attempt_to_create_existing_file"),
        ("a\n", "a", "// rest of code ...", "invalid_tool_params"),
        (
            "a\n",
            "a",
            "b\n  // unchanged methods...\nc",
            "invalid_tool_params",
        ),
    ] {
        let error = replace(text, &one(old, new)).unwrap_err();
        assert_eq!(error.error_type(), error_type, "{text:?} {old:?} {new:?}");
    }
}
