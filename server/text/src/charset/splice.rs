//! An edit of a text whose charset does not give the same bytes back.

use std::ops::Range;

use encoding_rs::{EncoderResult, Encoding, UTF_8};
use memchr::memchr2_iter;

use crate::diff::hunks;
use crate::middle::Middle;

/// Appends the bytes of `new`, which was made from `old`, the text of `bytes`. The error is the offset in `new` of a
/// character that cannot be encoded, and the character.
pub(super) fn spliced(
    out: &mut Vec<u8>,
    encoding: &'static Encoding,
    bytes: &[u8],
    old: &str,
    new: &str,
) -> Result<(), (usize, char)> {
    let start = out.len();
    let middle = Middle::of(old, new);
    let ends = line_ends(bytes);
    // The bytes of some lines of the old text. A line ending has the same bytes in all of these charsets and they
    // mean nothing else, so the lines of bytes are the lines of the text.
    let bytes_of = |lines: Range<usize>| {
        let at = |line: usize| match line.checked_sub(1) {
            None => 0,
            Some(before) => ends.get(before).copied().unwrap_or(bytes.len()),
        };
        bytes
            .get(at(lines.start)..at(lines.end))
            .unwrap_or_default()
    };
    let mut copied_to = 0;
    for hunk in hunks(middle.before, middle.after) {
        let replaced = hunk.base_lines();
        let replaced = replaced.start + middle.lines_before..replaced.end + middle.lines_before;
        out.extend_from_slice(bytes_of(copied_to..replaced.start));
        copied_to = replaced.end;
        let added = hunk.current_text(middle.after);
        let offset = middle.offset + hunk.current_bytes().start;
        changed(
            out,
            encoding,
            bytes_of(replaced),
            hunk.base_text(middle.before),
            added,
        )
        .map_err(|(at, character)| (offset + at, character))?;
    }
    out.extend_from_slice(bytes_of(copied_to..usize::MAX));
    // Some characters are written as one that looks like them, the yen sign as a backslash; and bytes that are fine
    // apart may mean something else next to damaged ones.
    let written = out.get(start..).unwrap_or_default();
    let (read, _had_errors) = encoding.decode_without_bom_handling(written);
    match first_difference(new, &read) {
        None => Ok(()),
        Some(difference) => Err(difference),
    }
}

/// The bytes of changed lines: as they were as far as the text is the same from the start and from the end, and made
/// from text between.
fn changed(
    out: &mut Vec<u8>,
    encoding: &'static Encoding,
    bytes: &[u8],
    old: &str,
    new: &str,
) -> Result<(), (usize, char)> {
    let same = |(a, b): &(char, char)| a == b;
    let head = old.chars().zip(new.chars()).take_while(same);
    let head: usize = head.map(|(character, _)| character.len_utf8()).sum();
    let (old_rest, new_rest) = (
        old.get(head..).unwrap_or_default(),
        new.get(head..).unwrap_or_default(),
    );
    let tail = old_rest.chars().rev().zip(new_rest.chars().rev());
    let tail = tail
        .take_while(same)
        .map(|(character, _)| character.len_utf8());
    let tail = old.len() - tail.sum::<usize>();

    let joints = joints(encoding, bytes);
    let first = joints.iter().rfind(|joint| joint.text <= head);
    let first = first.copied().unwrap_or_default();
    let last = joints
        .iter()
        .find(|joint| joint.text >= tail && joint.bytes >= first.bytes);
    let last = last.copied().unwrap_or(Joint {
        bytes: bytes.len(),
        text: old.len(),
    });
    out.extend_from_slice(bytes.get(..first.bytes).unwrap_or_default());
    let end = new.len() - (old.len() - last.text);
    let inserted = new.get(first.text..end).unwrap_or_default();
    encode(out, encoding, inserted).map_err(|(at, character)| (first.text + at, character))?;
    out.extend_from_slice(bytes.get(last.bytes..).unwrap_or_default());
    Ok(())
}

/// A place between two characters, in the bytes and in the text.
#[derive(Clone, Copy, Default)]
struct Joint {
    bytes: usize,
    text: usize,
}

fn joints(encoding: &'static Encoding, bytes: &[u8]) -> Vec<Joint> {
    let mut joints = vec![Joint::default()];
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = 0;
    // Room for a replacement character and what comes after it.
    let mut characters = String::with_capacity(64);
    for (index, byte) in bytes.iter().enumerate() {
        characters.clear();
        let last = index + 1 == bytes.len();
        let _room_is_enough =
            decoder.decode_to_string(std::slice::from_ref(byte), &mut characters, last);
        if !characters.is_empty() {
            text += characters.len();
            joints.push(Joint {
                bytes: index + 1,
                text,
            });
        }
    }
    joints
}

/// Appends the bytes of text, as the charset has them.
fn encode(out: &mut Vec<u8>, encoding: &'static Encoding, text: &str) -> Result<(), (usize, char)> {
    let mut encoder = encoding.new_encoder();
    let mut buffer = [0_u8; 16];
    for (at, character) in text.char_indices() {
        if character.is_ascii() {
            out.push(character as u8);
            continue;
        }
        let mut utf8 = [0_u8; 4];
        let one = character.encode_utf8(&mut utf8);
        // In UTF-8 it stands for bytes that were damaged before, and these are not known here.
        if encoding == UTF_8 && character == char::REPLACEMENT_CHARACTER {
            return Err((at, character));
        }
        let (result, _, length) =
            encoder.encode_from_utf8_without_replacement(one, &mut buffer, false);
        let made = buffer.get(..length).unwrap_or_default();
        if result != EncoderResult::InputEmpty {
            return Err((at, character));
        }
        out.extend_from_slice(made);
    }
    Ok(())
}

/// Where the lines end in text of which every ASCII byte means itself.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    let breaks = memchr2_iter(b'\r', b'\n', bytes);
    let ends = breaks.filter(|at| {
        // The carriage return of a pair ends nothing.
        bytes.get(*at) == Some(&b'\n') || bytes.get(at + 1) != Some(&b'\n')
    });
    ends.map(|at| at + 1).collect()
}

fn first_difference(wanted: &str, read: &str) -> Option<(usize, char)> {
    if wanted == read {
        return None;
    }
    let mut others = read.chars();
    let differing = wanted
        .char_indices()
        .find(|(_, character)| others.next() != Some(*character));
    Some(differing.unwrap_or((wanted.len(), char::REPLACEMENT_CHARACTER)))
}
