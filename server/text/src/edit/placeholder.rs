//! Lines such as `// rest of code ...`, with which a model leaves text out.

use std::collections::HashSet;

/// A line that stands for text that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// Counted from 1.
    pub line: usize,
    /// The line without the blanks around it.
    pub text: String,
}

const MEANINGS: [&str; 7] = [
    "rest of",
    "rest of method",
    "rest of methods",
    "rest of code",
    "unchanged code",
    "unchanged method",
    "unchanged methods",
];

/// How a comment starts and ends in one language or another.
const COMMENTS: [(&str, &str); 8] = [
    ("//", ""),
    ("/*", "*/"),
    ("<!--", "-->"),
    ("{/*", "*/}"),
    ("#", ""),
    ("--", ""),
    (";", ""),
    ("%", ""),
];

/// The first line of `new` that stands for text that was left out. What `old` has as well was in the file before and
/// is no omission.
pub fn omission_placeholder(new: &str, old: Option<&str>) -> Option<Placeholder> {
    let mut known: Option<HashSet<String>> = None;
    for (index, line) in new.lines().enumerate() {
        let Some(meaning) = meaning(line) else {
            continue;
        };
        let known = known.get_or_insert_with(|| {
            old.unwrap_or_default()
                .lines()
                .filter_map(self::meaning)
                .collect()
        });
        if !known.contains(&meaning) {
            return Some(Placeholder {
                line: index + 1,
                text: line.trim().to_owned(),
            });
        }
    }
    None
}

/// The words of a placeholder; nothing when the line is none.
fn meaning(line: &str) -> Option<String> {
    let text = line.trim();
    // Almost every line ends here.
    let dots = text.find("...").or_else(|| text.find('…'))?;
    let text = text.get(..dots).map(|_| without_comment(text))?;
    let text = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
        .unwrap_or(text);
    let words = text.trim().trim_end_matches(['.', '…', ' ', '\t']);
    if words.len() == text.trim().len() {
        return None;
    }
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let words = words.join(" ");
    MEANINGS.contains(&words.as_str()).then_some(words)
}

fn without_comment(text: &str) -> &str {
    let bare = |(start, end): &(&str, &str)| text.strip_prefix(*start)?.strip_suffix(*end);
    COMMENTS.iter().find_map(bare).unwrap_or(text).trim()
}
