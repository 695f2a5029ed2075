//! The second opinion: tree-sitter-bash must see the same commands in the text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use tree_sitter::{Node, ParseOptions, Parser};

use super::effort::{self, Effort, Spent};
use super::reader::Reading;

/// Why the two readings of the text differ, if they do.
pub(super) fn doubt(source: &str, reading: &Reading, effort: &mut Effort) -> Option<String> {
    let mut parser = Parser::new();
    if parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .is_err()
    {
        return Some("the grammar cannot be used".to_owned());
    }
    let readable = readable(source);
    let bytes = readable.as_bytes();
    // The grammar reports its progress every hundred steps.
    let mut progress = |_: &_| match effort.spend(effort::HUNDRED_STEPS) {
        Ok(()) => ControlFlow::Continue(()),
        Err(Spent) => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut input = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let Some(tree) = parser.parse_with_options(&mut input, None, Some(options)) else {
        return Some(Effort::REASON.to_owned());
    };
    if tree.root_node().has_error() {
        return Some("the grammar finds an error in it".to_owned());
    }

    let mut seen = Seen::default();
    seen.walk(tree.root_node());
    let ours: BTreeSet<usize> = reading
        .commands
        .iter()
        .filter_map(|command| command.words.first().map(|word| word.range.start))
        .collect();
    let mut words = reading.words.clone();
    words.sort_by_key(|word| (word.start, std::cmp::Reverse(word.end)));
    if ours != seen.commands {
        return Some("it can be divided into commands in two ways".to_owned());
    }
    let straddles = seen.words.iter().any(|word| !lies_in_one(word, &words));
    straddles.then(|| "it can be divided into words in two ways".to_owned())
}

/// The text with nothing in it that the grammar cannot be trusted with, every byte in its place.
///
/// The grammar's scanner asks the C library's `isdigit` about the character behind a brace, and that looks the answer up
/// in a table of 384: from U+0100 on it reads whatever lies behind the table, or nothing at all and the process ends.
/// What is no blank is a letter to both readers, and so can be any letter.
fn readable(source: &str) -> Cow<'_, str> {
    if source.chars().all(|character| character < '\u{100}') {
        return Cow::Borrowed(source);
    }
    let mut text = String::with_capacity(source.len());
    for character in source.chars() {
        if character < '\u{100}' {
            text.push(character);
            continue;
        }
        let mut length = character.len_utf8();
        // A blank to the grammar though not to a shell: it has to stay one, for the two to differ about it.
        if character.is_whitespace() {
            text.push('\u{a0}');
            length -= '\u{a0}'.len_utf8();
        }
        text.extend(std::iter::repeat_n('x', length));
    }
    Cow::Owned(text)
}

/// Where tree-sitter sees commands begin, and the words it sees.
#[derive(Default)]
struct Seen {
    commands: BTreeSet<usize>,
    words: Vec<Range<usize>>,
}

impl Seen {
    /// Goes through the tree without recursion: its depth is not ours to limit.
    fn walk(&mut self, root: Node<'_>) {
        let mut cursor = root.walk();
        loop {
            self.node(cursor.node(), cursor.field_name());
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn node(&mut self, node: Node<'_>, field: Option<&str>) {
        match node.kind() {
            "command_name" | "declaration_command" | "unset_command" | "test_command" => {
                self.commands.insert(node.start_byte());
            }
            _ => {}
        }
        if matches!(field, Some("argument" | "destination")) || node.kind() == "command_name" {
            self.words.push(node.byte_range());
        }
    }
}

/// Whether the range lies inside a word. The words are sorted by their start; one that holds a substitution holds
/// the words of the substitution too.
fn lies_in_one(range: &Range<usize>, words: &[Range<usize>]) -> bool {
    let after = words.partition_point(|word| word.start <= range.start);
    words
        .iter()
        .take(after)
        .rev()
        .take(super::reader::DEEPEST * 4)
        .any(|word| word.end >= range.end)
}
