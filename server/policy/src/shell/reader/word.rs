//! Words and their quotes.

use super::{Piece, Reader, Stop};
use crate::shell::Word;
use crate::shell::effort;

/// What has been seen of a word so far.
#[derive(Default)]
pub(super) struct Parts {
    value: Vec<u8>,
    /// A variable, a substitution, a pattern or a home folder is in it.
    is_dynamic: bool,
    has_open_brace: bool,
    has_comma: bool,
    has_open_bracket: bool,
    has_close_bracket: bool,
    /// The last byte was neither quoted nor escaped.
    is_bare: bool,
}

impl Parts {
    fn bare(&mut self, byte: u8) {
        let begins =
            self.value.is_empty() || self.is_bare && matches!(self.value.last(), Some(b'=' | b':'));
        match byte {
            b'*' | b'?' => self.is_dynamic = true,
            b'~' if begins => self.is_dynamic = true,
            b'{' => self.has_open_brace = true,
            b',' => self.has_comma = true,
            b'[' => self.has_open_bracket = true,
            b']' => self.has_close_bracket = true,
            _ => {}
        }
        self.value.push(byte);
        self.is_bare = true;
    }

    fn quoted(&mut self, bytes: &[u8]) {
        self.value.extend_from_slice(bytes);
        self.is_bare = false;
    }

    fn is_dynamic(&self) -> bool {
        let sequence = self.value.windows(2).any(|pair| pair == b"..");
        self.is_dynamic
            || self.has_open_brace && (self.has_comma || sequence)
            || self.has_open_bracket && self.has_close_bracket
    }
}

impl Reader<'_> {
    /// The word that begins here.
    pub(super) fn word(&mut self) -> Result<Piece, Stop> {
        let start = self.at;
        let mut parts = Parts::default();
        loop {
            match self.peek() {
                None | Some(b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')') => break,
                Some(b'<' | b'>') => {
                    if self.peek_at(1) != Some(b'(') {
                        break;
                    }
                    if self.at != start {
                        return Err(self.stop("a process substitution stands inside a word"));
                    }
                    self.at += 2;
                    parts.is_dynamic = true;
                    self.reading.has_substitution = true;
                    self.substitution()?;
                    if self
                        .peek()
                        .is_some_and(|byte| !b" \t\n|&;()<>".contains(&byte))
                    {
                        return Err(self.stop("a process substitution stands inside a word"));
                    }
                }
                Some(b'\\') => self.escaped(&mut parts)?,
                Some(b'\'') => self.single_quoted(&mut parts)?,
                Some(b'"') => {
                    self.at += 1;
                    self.double_quoted(&mut parts)?;
                }
                Some(b'$') if self.peek_at(1) == Some(b'\'') => self.ansi_quoted(&mut parts)?,
                Some(b'$') if self.peek_at(1) == Some(b'"') => {
                    return Err(self.stop("a text is to be translated"));
                }
                Some(b'$' | b'`') => {
                    let mut value = Vec::new();
                    parts.is_dynamic |= self.expansion_in_quotes(&mut value)?;
                    parts.quoted(&value);
                }
                Some(byte) => {
                    parts.bare(byte);
                    self.at += 1;
                }
            }
        }
        self.finish(start, &parts)
    }

    /// A word that must be known.
    pub(super) fn literal_word(&mut self) -> Result<Piece, Stop> {
        let word = self.word()?;
        match word.word {
            Word::Literal(_) => Ok(word),
            Word::Dynamic(_) => Err(self.stop("a name is not plain")),
        }
    }

    fn finish(&mut self, start: usize, parts: &Parts) -> Result<Piece, Stop> {
        let range = start..self.at;
        if range.is_empty() {
            return Err(self.unexpected());
        }
        let source = self.slice(range.clone());
        // `{name}> file` opens a descriptor and puts its number into the variable.
        if source.starts_with('{')
            && source.ends_with('}')
            && matches!(self.peek(), Some(b'<' | b'>'))
        {
            return Err(self.stop("a descriptor is opened by name"));
        }
        let name = assigned_name(source);
        if name.is_some_and(|length| source.len() == length + 1 || source.ends_with("+="))
            && self.peek() == Some(b'(')
        {
            return Err(self.stop("a list is assigned"));
        }
        let word = match std::str::from_utf8(&parts.value) {
            Ok(value) if !parts.is_dynamic() => Word::Literal(value.to_owned()),
            _ => Word::Dynamic(source.to_owned()),
        };
        self.spend(effort::WORD)?;
        self.reading.words.push(range.clone());
        Ok(Piece { range, word, name })
    }

    fn escaped(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        match self.peek_at(1) {
            None => Err(self.stop("it ends with a backslash")),
            Some(b'\n') => self.join_lines(),
            Some(_) => {
                let character = self.rest().chars().nth(1).unwrap_or_default();
                parts.quoted(character.encode_utf8(&mut [0; 4]).as_bytes());
                self.at += 1 + character.len_utf8();
                Ok(())
            }
        }
    }

    fn single_quoted(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        let rest = self.rest().get(1..).unwrap_or_default();
        let Some(length) = rest.find('\'') else {
            return Err(self.stop("a quote is not closed"));
        };
        let text = rest.get(..length).unwrap_or_default();
        self.may_span_lines(text)?;
        parts.quoted(text.as_bytes());
        self.at += length + 2;
        Ok(())
    }

    fn double_quoted(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        let start = self.at;
        let mut value = Vec::new();
        loop {
            match self.peek() {
                None => return Err(self.stop("a quote is not closed")),
                Some(b'"') => break,
                Some(b'\\') => match self.peek_at(1) {
                    Some(b'\n') => {
                        if self.slice(start..self.at).ends_with('$') {
                            return Err(self.stop("a line is continued in the middle of something"));
                        }
                        self.at += 2;
                    }
                    Some(byte @ (b'$' | b'`' | b'"' | b'\\')) => {
                        value.push(byte);
                        self.at += 2;
                    }
                    _ => {
                        value.push(b'\\');
                        self.at += 1;
                    }
                },
                Some(b'$' | b'`') => parts.is_dynamic |= self.expansion_in_quotes(&mut value)?,
                Some(byte) => {
                    value.push(byte);
                    self.at += 1;
                }
            }
        }
        let text = self.slice(start..self.at);
        self.may_span_lines(text)?;
        self.at += 1;
        parts.quoted(&value);
        Ok(())
    }

    /// A here-document's text begins after the line, but which line that is where a quote goes on is not worth
    /// knowing.
    fn may_span_lines(&mut self, text: &str) -> Result<(), Stop> {
        if text.contains('\n') && !self.pending.is_empty() {
            return Err(self.stop("a quote goes on where a here-document begins"));
        }
        Ok(())
    }

    /// `$'…'`.
    fn ansi_quoted(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        self.at += 2;
        let start = self.at;
        loop {
            match self.peek() {
                None => return Err(self.stop("a quote is not closed")),
                Some(b'\'') => break,
                Some(b'\\') => {
                    self.at += 1;
                    let byte = self.ansi_escape(parts)?;
                    if let Some(byte) = byte {
                        parts.quoted(&[byte]);
                    }
                }
                Some(byte) => {
                    parts.quoted(&[byte]);
                    self.at += 1;
                }
            }
        }
        let text = self.slice(start..self.at);
        self.may_span_lines(text)?;
        self.at += 1;
        parts.quoted(b"");
        Ok(())
    }

    fn ansi_escape(&mut self, parts: &mut Parts) -> Result<Option<u8>, Stop> {
        let Some(letter) = self.peek() else {
            return Err(self.stop("a quote is not closed"));
        };
        self.at += 1;
        Ok(Some(match letter {
            b'a' => 0x07,
            b'b' => 0x08,
            b'e' | b'E' => 0x1b,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            b'\\' | b'\'' | b'"' | b'?' => letter,
            b'x' => return self.coded(16, 2).map(Some),
            b'u' => return self.coded(16, 4).map(Some),
            b'U' => return self.coded(16, 8).map(Some),
            b'0'..=b'7' => {
                self.at -= 1;
                return self.coded(8, 3).map(Some);
            }
            b'c' => return Err(self.stop("a control character is written as `\\c`")),
            _ => {
                // What has no meaning stays as it is, with its backslash.
                self.at -= 1;
                parts.quoted(b"\\");
                return Ok(None);
            }
        }))
    }

    /// A character by its number. Beyond ASCII the result depends on the locale, and at zero bash ends the word.
    fn coded(&mut self, radix: u32, most: usize) -> Result<u8, Stop> {
        let digits: String = self
            .rest()
            .chars()
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .collect();
        match u32::from_str_radix(&digits, radix) {
            Ok(code @ 1..=0x7f) => {
                self.at += digits.len();
                Ok(u8::try_from(code).unwrap_or_default())
            }
            _ => Err(self.stop("a character is given by a number that is not plain")),
        }
    }
}

/// The length of the name where a word has the form of an assignment: `name=…` or `name+=…`.
fn assigned_name(source: &str) -> Option<usize> {
    let name = source
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let begins_well = source
        .bytes()
        .next()
        .is_some_and(|byte| !byte.is_ascii_digit());
    let rest = source.get(name..)?;
    (name > 0 && begins_well && (rest.starts_with('=') || rest.starts_with("+="))).then_some(name)
}
