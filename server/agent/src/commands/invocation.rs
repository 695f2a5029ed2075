//! What was typed, taken apart.

/// How many names are suggested for one that nothing is called by.
const SUGGESTIONS: usize = 3;

/// A command as somebody typed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invocation<'a> {
    /// Without the slash.
    pub(crate) name: &'a str,
    /// In one line, with one blank between two words.
    pub(crate) arguments: String,
    pub(crate) typed: &'a str,
}

/// The command in a prompt that is one. A path is none, nor is a comment.
pub(crate) fn invocation(prompt: &str) -> Option<Invocation<'_>> {
    let typed = prompt.trim();
    let mut words = typed.split_whitespace();
    let name = words.next()?.strip_prefix('/')?;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "_.:-".contains(letter));
    is_name.then(|| Invocation {
        name,
        arguments: words.collect::<Vec<_>>().join(" "),
        typed,
    })
}

/// What somebody is told who named no command.
pub(super) fn unknown(name: &str, mut known: Vec<String>) -> String {
    known.sort_by_key(|known| strsim::levenshtein(known, name));
    known.truncate(SUGGESTIONS);
    let nearest: Vec<String> = known.iter().map(|known| format!("`/{known}`")).collect();
    format!(
        "There is no command `/{name}`. The nearest are {}; `/help` lists all.",
        nearest.join(", ")
    )
}
