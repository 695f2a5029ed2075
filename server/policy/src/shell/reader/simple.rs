//! Simple commands and redirections.

use super::heredoc::Heredoc;
use super::{Piece, Reader, Simple, Stop};
use crate::shell::effort;
use crate::shell::{Direction, Folder, Redirection, Stdin, Word};

impl Reader<'_> {
    pub(super) fn simple(&mut self) -> Result<(), Stop> {
        let start = self.at;
        let slot = self.reading.commands.len();
        let redirections = self.reading.redirections.len();
        // The slot is taken before the words are read, so that a here-document can find its command.
        self.push_simple(start, Vec::new())?;
        let mut words: Vec<Piece> = Vec::new();
        let mut assignments: Vec<Piece> = Vec::new();
        loop {
            self.blanks()?;
            match self.peek() {
                None | Some(b'\n' | b';' | b'|' | b')') => break,
                Some(b'(') => {
                    self.put(slot, words, assignments, false);
                    return self.function();
                }
                _ => {}
            }
            if let Some(stdin) = self.redirection_of(slot)? {
                if let (Some(stdin), Some(command)) = (stdin, self.reading.commands.get_mut(slot)) {
                    command.stdin = stdin;
                }
                continue;
            }
            if self.peek() == Some(b'&') {
                break;
            }
            let word = self.word()?;
            if words.is_empty() && word.name.is_some() {
                assignments.push(word);
            } else {
                words.push(word);
            }
        }
        let redirects = self.reading.redirections.len() > redirections;
        if words.is_empty() && assignments.is_empty() && !redirects {
            return Err(self.unexpected());
        }
        // Behind a redirection or an assignment it is no condition, but a program of this name.
        if words.first().is_some_and(|word| word.word.text() == "[[") {
            self.doubt("`[[` is the name of a program");
        }
        self.put(slot, words, assignments, redirects);
        Ok(())
    }

    pub(super) fn push_simple(&mut self, start: usize, words: Vec<Piece>) -> Result<(), Stop> {
        self.spend(effort::COMMAND)?;
        self.reading.commands.push(Simple {
            start,
            words,
            assignments: Vec::new(),
            redirects: false,
            stdin: self.stdin.clone(),
        });
        Ok(())
    }

    fn put(&mut self, slot: usize, words: Vec<Piece>, assignments: Vec<Piece>, redirects: bool) {
        if let Some(command) = self.reading.commands.get_mut(slot) {
            command.words = words;
            command.assignments = assignments;
            command.redirects = redirects;
        }
    }

    /// `name () …`: the commands inside are found, but what the name means from now on is not followed.
    fn function(&mut self) -> Result<(), Stop> {
        self.at += 1;
        self.blanks()?;
        if !self.take(")") {
            return Err(self.stop("a parenthesis stands in the middle of a command"));
        }
        self.doubt("it defines a function");
        self.lines()?;
        self.list(&[])?;
        Ok(())
    }

    /// Steps over a redirection if one begins here. The inner value is the standard input that it gives.
    pub(super) fn redirection(&mut self) -> Result<Option<Option<Stdin>>, Stop> {
        self.redirection_of(usize::MAX)
    }

    fn redirection_of(&mut self, slot: usize) -> Result<Option<Option<Stdin>>, Stop> {
        let start = self.at;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let descriptor = self.slice(start..start + digits);
        let rest = self.rest().get(digits..).unwrap_or_default();
        if rest.starts_with("<(") || rest.starts_with(">(") {
            return if digits == 0 {
                Ok(None)
            } else {
                Err(self.unexpected())
            };
        }
        const OPERATORS: &[&str] = &[
            "&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">",
        ];
        let Some(operator) = OPERATORS
            .iter()
            .copied()
            .find(|operator| rest.starts_with(operator))
        else {
            return Ok(None);
        };
        if digits > 0 && operator.starts_with('&') {
            return Ok(None);
        }
        self.at += digits + operator.len();
        self.blanks()?;
        if self.peek().is_none_or(|byte| b"\n;|&()<>".contains(&byte))
            && !self.begins_process_substitution()
        {
            return Err(self.unexpected());
        }
        if operator == "<<<" && self.begins_process_substitution() {
            return Err(self.stop("a here-string is a process substitution"));
        }
        let target = self.word()?;
        let text = self.slice(start..self.at).to_owned();
        let is_standard_input = descriptor.is_empty() || descriptor == "0";
        let direction = match operator {
            "<" | "<&" | "<<" | "<<-" | "<<<" => Direction::In,
            _ => Direction::Out,
        };
        let mut stdin = None;
        let mut file = None;
        match operator {
            "<<" | "<<-" => {
                let heredoc = Heredoc::new(operator, &target, self.slice(target.range.clone()));
                let Some(mut heredoc) = heredoc else {
                    return Err(self.stop("the end of a here-document is not plain"));
                };
                if is_standard_input {
                    heredoc.slot = Some(slot);
                    stdin = Some(Stdin::DynamicText);
                }
                self.pending.push(heredoc);
            }
            "<<<" => {
                stdin = Some(match target.word {
                    // bash ends a here-string with a line feed.
                    Word::Literal(text) => Stdin::Text(text + "\n"),
                    Word::Dynamic(_) => Stdin::DynamicText,
                });
            }
            "<&" | ">&" => {
                let word = target.word.text();
                let leads_to_descriptor = word == "-"
                    || word
                        .trim_end_matches('-')
                        .bytes()
                        .all(|b| b.is_ascii_digit());
                if matches!(target.word, Word::Dynamic(_))
                    || operator == "<&" && !leads_to_descriptor
                {
                    self.doubt("a redirection leads to a descriptor that is not known");
                }
                if !leads_to_descriptor {
                    file = Some(target.word);
                }
                stdin = (operator == "<&").then_some(Stdin::File);
            }
            _ => {
                stdin = matches!(operator, "<" | "<>").then_some(Stdin::File);
                file = Some(target.word);
            }
        }
        self.spend(effort::WORD)?;
        let redirection = Redirection {
            text,
            direction,
            target: file,
            folder: Folder::Start,
        };
        self.reading.redirections.push((start, redirection));
        Ok(Some(stdin.filter(|_| is_standard_input)))
    }

    fn begins_process_substitution(&self) -> bool {
        self.rest().starts_with("<(") || self.rest().starts_with(">(")
    }
}
