//! Variables, arithmetic and substitutions.

use super::{Reader, Stop};

impl Reader<'_> {
    /// Steps over what `$` or a backtick begins, and says whether bash would put something else in its place. A
    /// dollar sign that begins nothing is added to the value.
    pub(super) fn expansion_in_quotes(&mut self, value: &mut Vec<u8>) -> Result<bool, Stop> {
        if self.peek() == Some(b'`') {
            self.backticks()?;
            return Ok(true);
        }
        self.at += 1;
        match self.peek() {
            Some(b'(') if self.peek_at(1) == Some(b'(') => {
                self.at += 2;
                self.arithmetic()?;
            }
            Some(b'(') => {
                self.at += 1;
                self.reading.has_substitution = true;
                self.substitution()?;
            }
            Some(b'{') => {
                self.at += 1;
                self.braces()?;
            }
            Some(b'[') => return Err(self.stop("`$[` begins arithmetic of the old kind")),
            Some(b'\\') if self.peek_at(1) == Some(b'\n') => {
                return Err(self.stop("a line is continued in the middle of something"));
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = self.slice(self.at..self.at + self.name_length());
                self.at += name.len();
                self.reads(name);
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                let name = self.slice(self.at..self.at + 1);
                self.at += 1;
                self.reads(name);
            }
            _ => {
                value.push(b'$');
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The commands of a substitution whose opening parenthesis has been read.
    pub(super) fn substitution(&mut self) -> Result<(), Stop> {
        let pending = std::mem::take(&mut self.pending);
        let start = self.at;
        self.substitutions += 1;
        let result = self.deeper(Self::until_parenthesis);
        self.substitutions -= 1;
        result?;
        self.no_heredoc_is_open()?;
        if !pending.is_empty() && self.slice(start..self.at).contains('\n') {
            return Err(self.stop("a substitution goes on where a here-document begins"));
        }
        self.pending = pending;
        Ok(())
    }

    /// bash looks for the closing backtick before it looks at anything inside.
    fn backticks(&mut self) -> Result<(), Stop> {
        self.reading.has_substitution = true;
        self.at += 1;
        let rest = self.rest();
        let Some(length) = rest.find('`') else {
            return Err(self.stop("a backtick is not closed"));
        };
        let body = rest.get(..length).unwrap_or_default();
        if body.contains(['\\', '\n']) {
            return Err(self.stop("a substitution in backticks is not plain"));
        }
        let close = self.at + length;
        let end = std::mem::replace(&mut self.end, close);
        let commands = self.reading.commands.len();
        let pending = std::mem::take(&mut self.pending);
        let result = self.deeper(|reader| reader.list(&[]));
        self.end = end;
        result?;
        self.no_heredoc_is_open()?;
        self.pending = pending;
        if self.at != close || commands == self.reading.commands.len() {
            return Err(self.stop("a substitution in backticks is not plain"));
        }
        self.at = close + 1;
        Ok(())
    }

    /// `$((…))` with numbers and names only: an index can hold a command. bash evaluates the value of a name as
    /// arithmetic too, and that value may hold an index, so the names are kept.
    fn arithmetic(&mut self) -> Result<(), Stop> {
        let start = self.at;
        let mut open = 0usize;
        loop {
            match self.peek() {
                Some(b')') if open == 0 => {
                    let text = self.slice(start..self.at);
                    let names = text
                        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                        .filter(|name| {
                            !name.is_empty() && !name.bytes().all(|b| b.is_ascii_digit())
                        })
                        .map(str::to_owned);
                    self.reading.expansions.arithmetic.extend(names);
                    return if self.take("))") {
                        Ok(())
                    } else {
                        Err(self.unexpected())
                    };
                }
                Some(b')') => open -= 1,
                Some(b'(') => open += 1,
                Some(byte)
                    if byte.is_ascii_alphanumeric() || b"_+-*/%<>=&|^~!?:, ".contains(&byte) => {}
                _ => return Err(self.stop("arithmetic is not plain")),
            }
            self.at += 1;
        }
    }

    /// `${…}` without quotes, nesting, assignment, indirection or a transformation: those can run commands or change
    /// what is read later.
    fn braces(&mut self) -> Result<(), Stop> {
        let rest = self.rest();
        let Some(length) = rest.find('}') else {
            return Err(self.stop("a brace is not closed"));
        };
        let body = rest.get(..length).unwrap_or_default();
        if !is_plain_parameter(body) {
            return Err(self.stop(format!("`${{{body}}}` is not plain")));
        }
        let counted = body
            .strip_prefix('#')
            .filter(|rest| !rest.is_empty())
            .unwrap_or(body);
        let name = counted
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let name = counted.get(..name.max(1)).unwrap_or_default();
        self.at += length + 1;
        self.reads(name);
        Ok(())
    }

    fn reads(&mut self, name: &str) {
        let read = &mut self.reading.expansions.read;
        if !read.iter().any(|known| known == name) {
            read.push(name.to_owned());
        }
    }

    fn name_length(&self) -> usize {
        self.rest()
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count()
    }
}

fn is_plain_parameter(body: &str) -> bool {
    let (body, counts) = match body.strip_prefix('#') {
        Some(rest) if !rest.is_empty() => (rest, true),
        _ => (body, false),
    };
    let name = body
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let (name, rest) = match body.get(..1) {
        Some("@" | "*" | "#" | "?" | "-" | "$") => body.split_at(1),
        _ => body.split_at(name),
    };
    let rest = ["[@]", "[*]", "[0]", "[1]"]
        .iter()
        .find_map(|index| rest.strip_prefix(index))
        .unwrap_or(rest);
    if name.is_empty()
        || rest
            .bytes()
            .any(|byte| b"'\"`\\$<>{}()[]|&;!\n".contains(&byte))
    {
        return false;
    }
    if counts || rest.is_empty() {
        return rest.is_empty();
    }
    let after_colon = rest.strip_prefix(':').unwrap_or(rest);
    match after_colon.bytes().next() {
        Some(b'-' | b'+' | b'?') => true,
        Some(b'0'..=b'9' | b' ') if rest.starts_with(':') => after_colon
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b" :-".contains(&byte)),
        Some(b'#' | b'%' | b'/' | b'^' | b',') => !rest.starts_with(':'),
        _ => false,
    }
}
