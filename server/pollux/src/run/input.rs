//! What a run is to say: from its arguments, and from standard input.

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::channel;
use std::time::Duration;

use super::complain;

/// How long a run that has its words already waits for the first byte of standard input: whoever started it may have
/// left a pipe open that nobody writes to. The twin waits as long.
const FIRST_BYTE: Duration = Duration::from_millis(500);

/// Bytes of standard input that are sent. The twin takes as many.
const LARGEST_INPUT: usize = 8 * 1024 * 1024;

/// The prompt, with what stands on standard input before it; nothing when there is neither.
pub(super) fn prompt(said: String) -> io::Result<Option<String>> {
    let piped = match io::stdin().is_terminal() {
        true => String::new(),
        false => piped(&said)?,
    };
    let piped = piped.trim_end();
    Ok(match (piped.is_empty(), said.is_empty()) {
        (true, true) => None,
        (true, false) => Some(said),
        (false, true) => Some(piped.to_owned()),
        (false, false) => Some(format!("{piped}\n\n{said}")),
    })
}

fn piped(said: &str) -> io::Result<String> {
    if said.is_empty() {
        return read_on(Vec::new(), io::stdin().lock());
    }
    // A read cannot be given up, so a thread has it; the process does not wait for that thread.
    let (begun_tx, begun) = channel();
    let (whole_tx, whole) = channel();
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut first = vec![0; 1];
        let read = stdin.read(&mut first);
        // Whoever waited may have gone on without.
        let _gone = begun_tx.send(());
        let _gone = whole_tx.send(match read {
            Ok(0) => Ok(String::new()),
            Ok(_) => read_on(first, stdin),
            Err(error) => Err(error),
        });
    });
    match begun.recv_timeout(FIRST_BYTE) {
        Ok(()) => whole.recv().unwrap_or_else(|_| Ok(String::new())),
        Err(_) => Ok(String::new()),
    }
}

/// What follows `begun`, up to the end or the limit.
fn read_on(mut begun: Vec<u8>, input: impl Read) -> io::Result<String> {
    let room = LARGEST_INPUT + 1 - begun.len();
    input.take(room as u64).read_to_end(&mut begun)?;
    if begun.len() > LARGEST_INPUT {
        begun.truncate(LARGEST_INPUT);
        complain(&format!(
            "standard input is longer than {LARGEST_INPUT} bytes; the rest is left out"
        ));
    }
    Ok(String::from_utf8_lossy(&begun).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{LARGEST_INPUT, read_on};

    #[test]
    fn input_has_a_limit_and_need_not_be_text() {
        let long = vec![b'a'; LARGEST_INPUT + 10];
        let read = read_on(b"b".to_vec(), long.as_slice()).unwrap();
        assert_eq!(read.len(), LARGEST_INPUT);
        let read = read_on(Vec::new(), &b"one \xff two"[..]).unwrap();
        assert_eq!(read, "one \u{fffd} two");
    }
}
