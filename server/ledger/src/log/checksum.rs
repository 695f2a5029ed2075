//! The checksum at the end of a line. Lines of older versions have none.

use crate::hash::Hash;

const FIELD: &[u8] = b",\"sum\":\"";
const DIGITS: usize = 8;
const END: &[u8] = b"\"}";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checked {
    Right,
    Wrong,
    /// It has none.
    Unknown,
}

/// An object with its checksum as the last field.
pub(super) fn with(mut object: Vec<u8>) -> Vec<u8> {
    let digits = digits(&object);
    if object.pop_if(|last| *last == b'}').is_some() {
        object.extend_from_slice(FIELD);
        object.extend_from_slice(digits.as_bytes());
        object.extend_from_slice(END);
    }
    object
}

pub(super) fn of_line(line: &[u8]) -> Checked {
    let parts = line
        .strip_suffix(END)
        .and_then(|rest| rest.split_last_chunk::<DIGITS>())
        .and_then(|(rest, sum)| Some((rest.strip_suffix(FIELD)?, sum)));
    let Some((object, sum)) = parts else {
        return Checked::Unknown;
    };
    let object = [object, b"}"].concat();
    match digits(&object).as_bytes() == sum {
        true => Checked::Right,
        false => Checked::Wrong,
    }
}

fn digits(object: &[u8]) -> String {
    let mut digits = Hash::of(object).to_string();
    digits.truncate(DIGITS);
    digits
}
