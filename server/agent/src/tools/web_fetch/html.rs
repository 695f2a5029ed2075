//! The text of an HTML page. No tree is built: for reading, the order of the text and the breaks between blocks are
//! enough, and a page cannot make this take longer than its length.

mod entity;

#[cfg(test)]
mod tests;

/// Whether the targets of links stay in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    Kept,
    Dropped,
}

pub(super) fn text(page: &str, links: Links) -> String {
    let mut writer = Writer::default();
    let mut rest = page;
    let mut targets: Vec<Option<String>> = Vec::new();
    while let Some(start) = rest.find('<') {
        let (before, markup) = rest.split_at(start);
        writer.text(before);
        let Some(tag) = Tag::at(markup) else {
            writer.text("<");
            rest = markup.get(1..).unwrap_or_default();
            continue;
        };
        rest = markup.get(tag.length..).unwrap_or_default();
        match (tag.name.as_str(), tag.end) {
            ("a", End::No) if links == Links::Kept => targets.push(tag.attribute("href")),
            ("a", End::Yes) => {
                if let Some(target) = targets.pop().flatten() {
                    writer.text(&format!(" [{target}]"));
                }
            }
            (name, End::No) if UNREAD.contains(&name) => rest = after_element(rest, name),
            (name, end) => writer.tag(name, end),
        }
    }
    writer.text(rest);
    writer.out.trim().to_owned()
}

/// Elements whose content is not for reading.
const UNREAD: [&str; 7] = [
    "script", "style", "template", "svg", "head", "iframe", "object",
];
/// Elements with an empty line before and after them.
const PARAGRAPHS: [&str; 15] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "dl",
    "pre",
    "blockquote",
    "table",
    "figure",
    "hr",
];
/// Elements that begin on a line of their own.
const LINES: [&str; 18] = [
    "div",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "nav",
    "aside",
    "address",
    "form",
    "fieldset",
    "tr",
    "dt",
    "dd",
    "figcaption",
    "br",
    "body",
    "option",
];

/// What follows an element that is not read. One that never ends takes the rest of the page with it, except the head,
/// whose end may be left out before the body.
fn after_element<'a>(rest: &'a str, name: &str) -> &'a str {
    let mut from = 0;
    while let Some(found) = rest.get(from..).and_then(|rest| rest.find('<')) {
        let start = from + found;
        let here = rest.get(start..).unwrap_or_default();
        let begins = |prefix: &str| {
            let text = here.get(..prefix.len());
            text.is_some_and(|text| text.eq_ignore_ascii_case(prefix))
        };
        if name == "head" && begins("<body") {
            return here;
        }
        if begins("</") && Tag::name_at(here.get(2..).unwrap_or_default()) == name {
            let length = Tag::at(here).map_or(here.len(), |tag| tag.length);
            return here.get(length..).unwrap_or_default();
        }
        from = start + 1;
    }
    ""
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Yes,
    No,
}

struct Tag<'a> {
    /// In lower case; empty for comments and declarations.
    name: String,
    end: End,
    attributes: &'a str,
    /// From its first to its last character, in bytes.
    length: usize,
}

impl<'a> Tag<'a> {
    /// The tag that the text begins with. Nothing where the `<` is just a character.
    fn at(markup: &'a str) -> Option<Self> {
        if markup.starts_with("<!--") {
            let end = markup.get(4..)?.find("-->");
            let length = end.map_or(markup.len(), |end| end + 7);
            return Some(Self::silent(length));
        }
        let inner = markup.get(1..)?;
        let (end, named) = match inner.strip_prefix('/') {
            Some(named) => (End::Yes, named),
            None => (End::No, inner),
        };
        match named.chars().next()? {
            '!' | '?' => {
                let length = markup.find('>').map_or(markup.len(), |end| end + 1);
                Some(Self::silent(length))
            }
            first if first.is_ascii_alphabetic() => {
                let name = Self::name_at(named);
                let attributes = named.get(name.len()..)?;
                let close = closing_bracket(attributes);
                let length = match close {
                    Some(close) => markup.len() - attributes.len() + close + 1,
                    // A tag that never ends is the end of the page.
                    None => markup.len(),
                };
                Some(Self {
                    name,
                    end,
                    attributes: attributes.get(..close.unwrap_or(0)).unwrap_or_default(),
                    length,
                })
            }
            _ => None,
        }
    }

    fn silent(length: usize) -> Self {
        Self {
            name: String::new(),
            end: End::No,
            attributes: "",
            length,
        }
    }

    fn name_at(text: &str) -> String {
        let name = text.chars().take_while(|next| next.is_ascii_alphanumeric());
        name.map(|next| next.to_ascii_lowercase()).collect()
    }

    fn attribute(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|next: char| next.is_whitespace() || next == '/');
            let end = rest.find(|next: char| next.is_whitespace() || next == '=');
            let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
            let Some(value) = after.trim_start().strip_prefix('=') else {
                if after.is_empty() {
                    return None;
                }
                rest = after;
                continue;
            };
            let value = value.trim_start();
            let (value, after) = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let value = value.get(1..).unwrap_or_default();
                    value.split_once(quote).unwrap_or((value, ""))
                }
                _ => {
                    let end = value.find(char::is_whitespace);
                    value.split_at(end.unwrap_or(value.len()))
                }
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(entity::decoded(value)).filter(|value| !value.is_empty());
            }
            rest = after;
        }
    }
}

/// Where a tag ends; a bracket between quotes is not its end.
fn closing_bracket(attributes: &str) -> Option<usize> {
    let mut quote = None;
    for (place, next) in attributes.char_indices() {
        match (quote, next) {
            (None, '>') => return Some(place),
            (None, '"' | '\'') => quote = Some(next),
            (Some(open), next) if open == next => quote = None,
            _ => {}
        }
    }
    None
}

/// Puts text down with as many blanks and breaks as a reader wants.
#[derive(Default)]
struct Writer {
    out: String,
    /// Breaks that come before the next text.
    breaks: usize,
    blank: bool,
    /// How many `pre` elements are open: in them blanks count.
    preformatted: usize,
}

impl Writer {
    fn text(&mut self, text: &str) {
        let text = entity::decoded(text);
        if self.preformatted > 0 {
            self.flush();
            self.out.push_str(&text);
            return;
        }
        for (index, word) in text.split([' ', '\t', '\n', '\r', '\u{c}']).enumerate() {
            self.blank |= index > 0;
            if !word.is_empty() {
                self.flush();
                self.out.push_str(word);
            }
        }
    }

    /// The breaks and blanks that were held back until there is something to set apart.
    fn flush(&mut self) {
        let (breaks, blank) = (
            std::mem::take(&mut self.breaks),
            std::mem::take(&mut self.blank),
        );
        if self.out.is_empty() {
            return;
        }
        match breaks {
            0 if blank => self.out.push(' '),
            count => self.out.extend(std::iter::repeat_n('\n', count)),
        }
    }

    fn tag(&mut self, name: &str, end: End) {
        if PARAGRAPHS.contains(&name) {
            self.breaks = 2;
        } else if LINES.contains(&name) {
            self.breaks = self.breaks.max(1);
        }
        match (name, end) {
            ("pre", End::No) => {
                self.flush();
                self.preformatted += 1;
            }
            ("pre", End::Yes) => self.preformatted = self.preformatted.saturating_sub(1),
            ("li", End::No) => {
                self.breaks = self.breaks.max(1);
                self.flush();
                self.out.push_str("* ");
            }
            ("td" | "th", End::Yes) => self.blank = true,
            _ => {}
        }
    }
}
