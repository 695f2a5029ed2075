//! A bash parser of other people has to see the same commands in a script that is called read-only.

use brush_parser::ast::{
    self, AndOr, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList,
    ExtendedTestExpr, IoFileRedirectTarget, IoRedirect, SimpleCommand,
};
use brush_parser::word::{WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions};
use pollux_policy::shell;

/// How the two readings differ, if they do.
pub(crate) fn difference(script: &str) -> Option<String> {
    let found = difference_as_written(script)?;
    let other = without_gaps_of_the_other(script);
    if other == script {
        return Some(found);
    }
    difference_as_written(&other)
}

/// The script with other words for the two things that the other parser does not read although bash does: `esac` right
/// before a parenthesis, and `|&` after `[[ ]]`.
fn without_gaps_of_the_other(script: &str) -> String {
    let script = script.replace("esac)", "esac;)");
    script
        .replace("esac )", "esac;)")
        .replace("]] |&", "]] 2>&1 |")
}

fn difference_as_written(script: &str) -> Option<String> {
    let ours = match shell::parse(script) {
        Ok(parsed) => ours(&parsed),
        Err(error) => return Some(error.reason),
    };
    match theirs(script) {
        Ok(theirs) => (ours != theirs).then(|| format!("ours {ours:?}, theirs {theirs:?}")),
        Err(reason) => Some(format!("the other parser does not read it: {reason}")),
    }
}

/// The commands as they were written, sorted. What stands in wrappers repeats their words.
fn ours(script: &shell::Script) -> Vec<String> {
    let commands = script.commands.iter();
    let commands = commands.filter(|command| command.wrappers.is_empty());
    let text = |command: &shell::Command| match command.program() {
        Some("[[") => plain(&command.text).replace(" -n ", " "),
        _ => plain(&command.text),
    };
    let mut texts: Vec<String> = commands.map(text).collect();
    texts.sort();
    texts
}

fn theirs(script: &str) -> Result<Vec<String>, String> {
    let mut reading = Reading::default();
    reading.script(script)?;
    reading.commands.sort();
    Ok(reading.commands)
}

/// Without the ends of lines that bash takes out.
fn plain(text: &str) -> String {
    text.replace("\\\n", "")
}

#[derive(Default)]
struct Reading {
    commands: Vec<String>,
    /// What the places in the tree refer to.
    source: Vec<char>,
}

type Read = Result<(), String>;

impl Reading {
    fn script(&mut self, text: &str) -> Read {
        let mut parser = Parser::new(text.as_bytes(), &options());
        let program = parser.parse_program().map_err(|error| error.to_string())?;
        let outer = std::mem::replace(&mut self.source, text.chars().collect());
        let mut lists = program.complete_commands.iter();
        let read = lists.try_for_each(|list| self.list(list));
        self.source = outer;
        read
    }

    fn list(&mut self, list: &CompoundList) -> Read {
        for ast::CompoundListItem(item, _) in &list.0 {
            self.pipeline(&item.first)?;
            for next in &item.additional {
                let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = next;
                self.pipeline(pipeline)?;
            }
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline) -> Read {
        let before = self.commands.len();
        let mut commands = pipeline.seq.iter();
        commands.try_for_each(|command| self.command(command))?;
        // A program to us, a word of the grammar to them.
        if let (Some(timed), Some(first)) = (&pipeline.timed, self.commands.get_mut(before)) {
            let time = match timed {
                ast::PipelineTimed::Timed(_) => "time",
                ast::PipelineTimed::TimedWithPosixOutput(_) => "time -p",
            };
            *first = format!("{time} {first}");
        }
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Read {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirections) => {
                self.compound(compound)?;
                self.redirections(redirections.as_ref())
            }
            Command::ExtendedTest(test, redirections) => {
                let mut words = vec!["[[".to_owned()];
                self.test(&test.expr, &mut words)?;
                words.push("]]".to_owned());
                self.commands.push(words.join(" "));
                self.redirections(redirections.as_ref())
            }
            Command::Function(_) => Err("a function".to_owned()),
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Read {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            CompoundCommand::ForClause(clause) => {
                let mut values = clause.values.iter().flatten();
                values.try_for_each(|word| self.word(&word.value))?;
                self.list(&clause.body.list)
            }
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value.value)?;
                for case in &clause.cases {
                    let mut patterns = case.patterns.iter();
                    patterns.try_for_each(|word| self.word(&word.value))?;
                    case.cmd.iter().try_for_each(|list| self.list(list))?;
                }
                Ok(())
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition)?;
                self.list(&clause.then)?;
                for other in clause.elses.iter().flatten() {
                    other
                        .condition
                        .iter()
                        .try_for_each(|list| self.list(list))?;
                    self.list(&other.body)?;
                }
                Ok(())
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0)?;
                self.list(&clause.1.list)
            }
            CompoundCommand::Arithmetic(_)
            | CompoundCommand::ArithmeticForClause(_)
            | CompoundCommand::Coprocess(_) => Err("arithmetic or a coprocess".to_owned()),
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) -> Read {
        let mut words = Vec::new();
        // A command stands before those in its words, as in the text.
        let slot = self.commands.len();
        self.commands.push(String::new());
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item, &mut words)?;
        }
        if let Some(name) = &simple.word_or_name {
            self.word(&name.value)?;
            words.push(plain(&name.value));
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut words)?;
        }
        self.commands[slot] = words.join(" ");
        Ok(())
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, words: &mut Vec<String>) -> Read {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirection) => self.redirection(redirection),
            CommandPrefixOrSuffixItem::Word(word)
            | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                words.push(plain(&word.value));
                self.word(&word.value)
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(kind, subshell) => {
                let (start, end) = (subshell.loc.start.index, subshell.loc.end.index);
                let written: String = self.source[start..end].iter().collect();
                words.push(plain(&format!("{kind}{written}")));
                self.list(&subshell.list)
            }
        }
    }

    fn redirections(&mut self, list: Option<&ast::RedirectList>) -> Read {
        let mut list = list.into_iter().flat_map(|list| &list.0);
        list.try_for_each(|redirection| self.redirection(redirection))
    }

    fn redirection(&mut self, redirection: &IoRedirect) -> Read {
        match redirection {
            IoRedirect::File(_, _, target) => match target {
                IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                    self.word(&word.value)
                }
                IoFileRedirectTarget::ProcessSubstitution(_, subshell) => self.list(&subshell.list),
                IoFileRedirectTarget::Fd(_) => Ok(()),
            },
            IoRedirect::HereDocument(_, document) if document.requires_expansion => {
                let pieces = brush_parser::word::parse_heredoc(&document.doc.value, &options());
                self.pieces(&pieces.map_err(|error| error.to_string())?)
            }
            IoRedirect::HereDocument(..) => Ok(()),
            IoRedirect::HereString(_, word) | IoRedirect::OutputAndError(word, _) => {
                self.word(&word.value)
            }
        }
    }

    fn test(&mut self, test: &ExtendedTestExpr, words: &mut Vec<String>) -> Read {
        match test {
            ExtendedTestExpr::And(one, other) | ExtendedTestExpr::Or(one, other) => {
                self.test(one, words)?;
                self.test(other, words)
            }
            ExtendedTestExpr::Not(inner) => {
                words.push("!".to_owned());
                self.test(inner, words)
            }
            ExtendedTestExpr::Parenthesized(_) => Err("a group in `[[ ]]`".to_owned()),
            ExtendedTestExpr::UnaryTest(predicate, word) => {
                // A word alone is tested for the same thing.
                let operator = Some(predicate.to_string()).filter(|operator| operator != "-n");
                words.extend(operator);
                words.push(plain(&word.value));
                self.word(&word.value)
            }
            ExtendedTestExpr::BinaryTest(predicate, left, right) => {
                words.extend([
                    plain(&left.value),
                    predicate.to_string(),
                    plain(&right.value),
                ]);
                self.word(&left.value)?;
                self.word(&right.value)
            }
        }
    }

    /// The commands inside a word.
    fn word(&mut self, word: &str) -> Read {
        let pieces = brush_parser::word::parse(word, &options());
        self.pieces(&pieces.map_err(|error| error.to_string())?)
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource]) -> Read {
        for piece in pieces {
            match &piece.piece {
                WordPiece::CommandSubstitution(text)
                | WordPiece::BackquotedCommandSubstitution(text) => self.script(text)?,
                WordPiece::DoubleQuotedSequence(inner)
                | WordPiece::GettextDoubleQuotedSequence(inner) => self.pieces(inner)?,
                WordPiece::Text(_)
                | WordPiece::SingleQuotedText(_)
                | WordPiece::AnsiCQuotedText(_)
                | WordPiece::TildeExpansion(_)
                | WordPiece::ParameterExpansion(_)
                | WordPiece::EscapeSequence(_)
                | WordPiece::ArithmeticExpression(_) => {}
            }
        }
        Ok(())
    }
}

fn options() -> ParserOptions {
    ParserOptions {
        enable_extended_globbing: false,
        ..ParserOptions::default()
    }
}

#[test]
fn a_different_reading_is_found() {
    let read = |script: &str| shell::parse(script).map(|parsed| ours(&parsed)).unwrap();
    for (script, other) in [
        ("ls; pwd", "ls"),
        ("ls a b", "ls 'a b'"),
        ("echo $(ls)", "echo '$(ls)'"),
        ("cat <(ls)", "cat '<(ls)'"),
        ("cat <<E\n$(ls)\nE", "cat <<'E'\n$(ls)\nE"),
        ("for x in $(ls); do pwd; done", "for x in ls; do pwd; done"),
        ("case $(ls) in a) pwd;; esac", "case ls in a) pwd;; esac"),
    ] {
        assert_eq!(difference(script), None, "{script}");
        assert_ne!(read(script), theirs(other).unwrap(), "{script}");
    }
}
