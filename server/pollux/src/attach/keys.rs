//! The bytes that a terminal sends, as the keys that were pressed.

#[cfg(test)]
mod tests;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Something to put into the line: a letter, or all that was pasted.
    Text(String),
    Enter,
    Backspace,
    Delete,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    /// Everything before the cursor goes.
    KillLine,
    /// The word before the cursor goes.
    KillWord,
    /// A request that waits is sent now.
    Retry,
    Stop,
    Leave,
}

const ESCAPE: u8 = 0x1b;
const PASTE: &[u8] = b"\x1b[200~";
const PASTED: &[u8] = b"\x1b[201~";

/// Reads keys off bytes that come in any pieces.
#[derive(Default)]
pub(super) struct Keys {
    unread: Vec<u8>,
}

/// What the next bytes are.
enum Next {
    Key(usize, Key),
    /// So many bytes mean nothing here.
    Nothing(usize),
    /// More is to come.
    Unfinished,
}

impl Keys {
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.unread.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while !self.unread.is_empty() {
            let length = match next(&self.unread) {
                Next::Key(length, key) => {
                    keys.push(key);
                    length
                }
                Next::Nothing(length) => length,
                Next::Unfinished => break,
            };
            self.unread.drain(..length.min(self.unread.len()));
        }
        keys
    }
}

fn next(bytes: &[u8]) -> Next {
    let Some(first) = bytes.first() else {
        return Next::Unfinished;
    };
    let key = match *first {
        ESCAPE => return escaped(bytes),
        b'\r' | b'\n' => Key::Enter,
        0x7f | 0x08 => Key::Backspace,
        0x01 => Key::Home,
        0x02 => Key::Left,
        0x03 => Key::Stop,
        0x04 => Key::Leave,
        0x05 => Key::End,
        0x06 => Key::Right,
        0x0e => Key::Down,
        0x10 => Key::Up,
        0x12 => Key::Retry,
        0x15 => Key::KillLine,
        0x17 => Key::KillWord,
        b'\t' => Key::Text("\t".to_owned()),
        0x00..=0x1f => return Next::Nothing(1),
        _ => return letter(bytes),
    };
    Next::Key(1, key)
}

fn letter(bytes: &[u8]) -> Next {
    let length = match bytes.first() {
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf7) => 4,
        _ => 1,
    };
    match bytes.get(..length).map(std::str::from_utf8) {
        None => Next::Unfinished,
        Some(Ok(letter)) => Next::Key(length, Key::Text(kept(letter))),
        Some(Err(_)) => Next::Nothing(1),
    }
}

fn escaped(bytes: &[u8]) -> Next {
    if bytes.starts_with(PASTE) {
        return pasted(bytes);
    }
    match bytes.get(1) {
        None => Next::Unfinished,
        Some(b'[' | b'O') => sequence(bytes),
        // Alt and Enter: a line feed in the text.
        Some(b'\r' | b'\n') => Next::Key(2, Key::Text("\n".to_owned())),
        // The key Escape, and then another.
        Some(_) => Next::Nothing(1),
    }
}

fn pasted(bytes: &[u8]) -> Next {
    let body = bytes.get(PASTE.len()..).unwrap_or_default();
    let end = body.windows(PASTED.len()).position(|part| part == PASTED);
    let Some(end) = end else {
        return Next::Unfinished;
    };
    let text = String::from_utf8_lossy(body.get(..end).unwrap_or_default());
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    Next::Key(PASTE.len() + end + PASTED.len(), Key::Text(kept(&text)))
}

/// `ESC [` and numbers up to a letter, or `ESC O` and a letter.
fn sequence(bytes: &[u8]) -> Next {
    let body = bytes.get(2..).unwrap_or_default();
    let last = body.iter().position(|byte| matches!(byte, 0x40..=0x7e));
    let Some(last) = last else {
        // No honest sequence is longer.
        return match body.len() > 32 {
            true => Next::Nothing(bytes.len()),
            false => Next::Unfinished,
        };
    };
    let length = last + 3;
    let key = match (body.get(..last).unwrap_or_default(), body.get(last)) {
        (b"", Some(b'A')) => Key::Up,
        (b"", Some(b'B')) => Key::Down,
        (b"", Some(b'C')) => Key::Right,
        (b"", Some(b'D')) => Key::Left,
        (b"", Some(b'H')) | (b"1" | b"7", Some(b'~')) => Key::Home,
        (b"", Some(b'F')) | (b"4" | b"8", Some(b'~')) => Key::End,
        (b"3", Some(b'~')) => Key::Delete,
        _ => return Next::Nothing(length),
    };
    Next::Key(length, key)
}

/// What is pasted from a web page may hold anything.
fn kept(text: &str) -> String {
    let keep = |letter: &char| !letter.is_control() || matches!(letter, '\n' | '\t');
    text.chars().filter(keep).collect()
}
