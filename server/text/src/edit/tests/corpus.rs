//! Edits of whole files: every edit of the corpus in every charset and with every kind of line ending that can hold
//! it. What must come out is put together there, byte for byte, without the code that is tried.

use encoding_rs::{EUC_JP, Encoding, SHIFT_JIS, WINDOWS_1252};
use pollux_testkit::byte_corpus::{
    EditCase, EditedFile, FILE_KINDS, FRENCH, JAPANESE, LINE_ENDINGS, edit_cases,
};

use super::*;
use crate::{decode, encode_edit};

/// Tries one case in one file, and says what went wrong.
fn tried(case: &EditCase, file: &EditedFile) -> Result<(), String> {
    let written = edited_file(case, file)?;
    // Once more without what the table says comes: nothing differs outside of the edit.
    let original = &file.original;
    let start = &original[..file.kept_start];
    let end = &original[original.len() - file.kept_end..];
    if written == file.expected && written.starts_with(start) && written.ends_with(end) {
        return Ok(());
    }
    let written = decode(&written).map(|decoded| decoded.text);
    Err(format!("wrote {written:?}"))
}

fn edited_file(case: &EditCase, file: &EditedFile) -> Result<Vec<u8>, String> {
    let decoded = decode(&file.original).map_err(|error| error.to_string())?;
    if decoded.charset.name() != file.kind.charset {
        return Err(format!("taken for {}", decoded.charset));
    }
    let replaced = replace(&decoded.text, &one(&case.old, &case.new));
    let replaced = replaced.map_err(|error| error.to_string())?;
    if replaced.strategy.to_string() != case.strategy {
        return Err(format!("found by {}", replaced.strategy));
    }
    encode_edit(&file.original, &decoded, &replaced.text).map_err(|error| error.to_string())
}

#[test]
fn every_edit_changes_its_own_bytes_and_no_other() {
    let mut held = 0;
    let mut wrong = Vec::new();
    let cases = edit_cases();
    for case in &cases {
        for kind in &FILE_KINDS {
            for (name, endings) in LINE_ENDINGS {
                let Some(file) = case.in_file(kind, endings) else {
                    continue;
                };
                held += 1;
                if let Err(reason) = tried(case, &file) {
                    wrong.push(format!(
                        "{:?} in {} {name}: {reason}",
                        case.old, kind.charset
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() >= 100, "{}", cases.len());
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
        let (original, _, _) = encoding.encode(text);
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
