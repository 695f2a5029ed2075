//! The sources of an answer, as marks in its text and a list below it.

#[cfg(test)]
mod tests;

use pollux_model::{Grounding, Source};

/// The text with a `[1]` behind whatever has a source, and the sources below. Text without sources stays as it is.
pub(super) fn cited(text: &str, grounding: &Grounding) -> String {
    if grounding.sources.is_empty() {
        return text.to_owned();
    }
    let mut cited = String::with_capacity(text.len() + 100 * grounding.sources.len());
    let mut from = 0;
    for (end, mark) in marks(text, grounding) {
        cited.push_str(text.get(from..end).unwrap_or_default());
        cited.push_str(&mark);
        from = end;
    }
    cited.push_str(text.get(from..).unwrap_or_default());
    cited.push_str("\n\nSources:");
    for (index, source) in grounding.sources.iter().enumerate() {
        let title = source.title.as_deref().unwrap_or("Untitled");
        let uri = source.uri.as_deref().unwrap_or("no address");
        cited.push_str(&format!("\n[{}] {title} ({uri})", index + 1));
    }
    cited
}

/// How many sources there are, for a person.
pub(super) fn counted(sources: &[Source]) -> String {
    match sources.len() {
        0 => "no sources".to_owned(),
        1 => "1 source".to_owned(),
        count => format!("{count} sources"),
    }
}

/// Where marks go, in order.
fn marks(text: &str, grounding: &Grounding) -> Vec<(usize, String)> {
    let known = grounding.sources.len();
    let mut marks: Vec<(usize, String)> = grounding
        .supports
        .iter()
        .map(|support| {
            let numbers = support.sources.iter().filter(|place| **place < known);
            let mark = numbers.map(|place| format!("[{}]", place + 1)).collect();
            (boundary(text, support.end), mark)
        })
        .collect();
    marks.sort_by_key(|(end, _)| *end);
    marks
}

/// The service counts bytes; should it miss, the mark goes to the next place where it fits.
fn boundary(text: &str, end: usize) -> usize {
    let end = end.min(text.len());
    (end..=text.len())
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(text.len())
}
