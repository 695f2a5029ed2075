//! What the demo says about selected code: where it is, and which fault of the sample is in it.

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::editor::Selection;
use super::script::EDITS;

/// Words of a prompt that asks about what is selected.
const ASKING: [&str; 11] = [
    "selection",
    "selected",
    "this",
    "these",
    "explain",
    "describe",
    "what",
    "why",
    "how",
    "mean",
    "means",
];
/// Words of a prompt that wants something done instead.
const ORDERING: [&str; 5] = ["fix", "repair", "improve", "rewrite", "refactor"];
/// What stands before the name of a function, in this language or that.
const FUNCTION: [&str; 4] = ["fn", "def", "func", "function"];
/// More names than this help nobody.
const MOST_NAMES: usize = 5;

const OFFER: &str = "Ask the demo to fix the program, and it proposes the edits.\n";
const NO_MORE: &str = "The demo cannot say more about it: it is a script, and knows only its own sample \
                       program by heart.";

/// Where a selection is in its file.
struct Found {
    bytes: Range<usize>,
    first_line: usize,
    last_line: usize,
}

/// Whether a prompt asks about what is selected.
pub(super) fn is_meant(prompt: &str) -> bool {
    let prompt = prompt.to_lowercase();
    let says = |words: &[&str]| {
        let mut said = prompt.split(|character: char| !character.is_alphanumeric());
        said.any(|word| words.contains(&word))
    };
    (prompt.contains('?') || says(&ASKING)) && !says(&ORDERING)
}

/// Describes the selection. `text` is its file, as far as that was read.
pub(super) fn described(selection: &Selection, text: Option<&str>) -> String {
    let found = text.and_then(|text| Some((text, Found::of(selection, text)?)));
    let mut told = match &found {
        Some((_, found)) => found.told(&selection.place),
        None => unlocated(selection),
    };
    if let Some(names) = functions(&selection.text) {
        told += &format!(" It holds {names}.");
    }
    told += "\n\n";
    told += &match found {
        Some((text, found)) => Known::of(&selection.place, text, &found.bytes).told(),
        None => format!("{NO_MORE}\n"),
    };
    told
}

impl Found {
    /// The one occurrence that the cursor stands at.
    fn of(selection: &Selection, text: &str) -> Option<Self> {
        let cursor = selection.cursor?;
        let more_lines = feeds(selection.text.trim_end_matches('\n'));
        let step = selection.text.chars().next()?.len_utf8();
        let (mut line, mut counted, mut from) = (1, 0, 0);
        // Occurrences may overlap: the one that is meant can begin inside of another.
        while let Some(start) = text
            .get(from..)?
            .find(&selection.text)
            .map(|offset| from + offset)
        {
            line += feeds(text.get(counted..start)?);
            counted = start;
            from = start + step;
            // Behind whole lines the cursor stands at the start of the next one.
            if (line..=line + more_lines + 1).contains(&cursor) {
                return Some(Self {
                    bytes: start..start + selection.text.len(),
                    first_line: line,
                    last_line: line + more_lines,
                });
            }
        }
        None
    }

    fn told(&self, place: &str) -> String {
        let (first, last) = (self.first_line, self.last_line);
        match first == last {
            true => format!("The selection is in line {first} of `{place}`."),
            false => format!("The selection is lines {first} to {last} of `{place}`."),
        }
    }
}

fn unlocated(selection: &Selection) -> String {
    let place = &selection.place;
    let lines = match selection.text.lines().count() {
        1 => "one line".to_owned(),
        lines => format!("{lines} lines"),
    };
    match selection.cursor {
        Some(cursor) => format!("The selection has {lines}, at line {cursor} of `{place}`."),
        None => format!("The selection has {lines}, in `{place}`."),
    }
}

fn feeds(text: &str) -> usize {
    text.matches('\n').count()
}

/// What the script has to say about a part of a file.
#[derive(Default)]
struct Known {
    faults: Vec<&'static str>,
    fixed: Vec<&'static str>,
}

impl Known {
    fn of(file: &str, text: &str, part: &Range<usize>) -> Self {
        let touches = |wanted: &str| {
            let start = text.find(wanted)?;
            (start < part.end && part.start < start + wanted.len()).then_some(())
        };
        let mut known = Self::default();
        for edit in EDITS.iter().filter(|edit| edit.file == file) {
            if touches(edit.old).is_some() {
                known.faults.push(edit.fault);
            } else if touches(edit.new).is_some() {
                known.fixed.push(edit.fixed);
            }
        }
        known
    }

    fn told(&self) -> String {
        match (self.faults.as_slice(), self.fixed.as_slice()) {
            ([], []) => format!("{NO_MORE} None of the faults that it knows is here.\n"),
            ([], fixed) => format!("A fault was fixed here: {}.\n", fixed.join(", and ")),
            ([fault], _) => format!("There is a fault in it: {fault}.\n\n{OFFER}"),
            (faults, _) => {
                let items: String = faults.iter().map(|fault| format!("- {fault}.\n")).collect();
                format!("There are faults in it:\n\n{items}\n{OFFER}")
            }
        }
    }
}

/// The functions that begin in a piece of code, by the looks of it.
fn functions(code: &str) -> Option<String> {
    let words: Vec<&str> = code.split_whitespace().collect();
    let mut names = Vec::new();
    for pair in words.windows(2) {
        let [keyword, next] = pair else { continue };
        let end = next.find(|character: char| !character.is_alphanumeric() && character != '_');
        let name = end.and_then(|end| next.get(..end)).unwrap_or_default();
        if FUNCTION.contains(keyword) && !name.is_empty() {
            names.push(format!("`{name}`"));
        }
    }
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    match names.split_last()? {
        (only, []) => Some(format!("the function {only}")),
        (last, others) => Some(format!("the functions {} and {last}", others.join(", "))),
    }
}
