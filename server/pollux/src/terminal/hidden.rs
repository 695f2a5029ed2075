//! A terminal that does not show what is typed, and a line from it.

use std::io::{self, BufRead, Write};

use anyhow::{Result, bail};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

const CTRL_C: u8 = 0x03;
const CTRL_D: u8 = 0x04;
const BACKSPACE: u8 = 0x08;
const CTRL_U: u8 = 0x15;
const DELETE: u8 = 0x7f;

/// The terminal shows again what is typed once this is gone.
pub(crate) struct Quiet(Termios);

impl Quiet {
    /// Keys that would end the process come as bytes: it must not end before the terminal is as it was.
    pub(crate) fn start() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet
            .local_modes
            .remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        // Whatever was typed ahead was typed in the open, and is dropped.
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(Self(before))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // A terminal that is gone shows nothing anyway.
        let _gone = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

pub(crate) fn ask(question: &str) -> Result<String> {
    let quiet = Quiet::start()?;
    let mut stderr = super::stderr();
    stderr.write_all(question.as_bytes())?;
    stderr.flush()?;
    let line = line(io::stdin().lock());
    drop(quiet);
    stderr.write_all(b"\n")?;
    match line? {
        Some(line) => Ok(line),
        None => bail!("nothing was changed"),
    }
}

/// What is typed up to the end of the line; nothing when the person has thought better of it.
fn line(input: impl BufRead) -> io::Result<Option<String>> {
    let mut typed = Vec::new();
    for byte in input.bytes() {
        match byte? {
            CTRL_C => return Ok(None),
            b'\r' | b'\n' | CTRL_D => break,
            BACKSPACE | DELETE => {
                typed.pop();
            }
            CTRL_U => typed.clear(),
            byte => typed.push(byte),
        }
    }
    Ok(Some(String::from_utf8_lossy(&typed).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_line_can_be_corrected_and_given_up() {
        let typed = |bytes: &[u8]| line(bytes).unwrap();
        assert_eq!(typed(b"key\rrest").as_deref(), Some("key"));
        assert_eq!(typed(b"kex\x7fy\n").as_deref(), Some("key"));
        assert_eq!(typed(b"wrong\x15key\n").as_deref(), Some("key"));
        assert_eq!(typed(b"\x7f\x04").as_deref(), Some(""));
        assert_eq!(typed(b"key\x03\n"), None);
    }
}
