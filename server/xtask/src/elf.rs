//! What is in a file of object code.
//!
//! Reads 64-bit ELF of x86-64 only, the one kind of file that is linked twice. What does not fit is no such file.

#[cfg(test)]
mod tests;

const HEADER: usize = 64;
pub(crate) const SYMBOL: usize = 24;
pub(crate) const SYMBOLS: u64 = 2;
/// The index of a section that did not fit stands in a table of its own.
pub(crate) const ELSEWHERE: u64 = 0xffff;
/// The kind of a symbol that is a function.
const FUNCTION: u64 = 2;

pub(crate) struct Section<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: u64,
    pub(crate) offset: usize,
    pub(crate) size: u64,
    /// What the numbers in it are about: the table of strings, or of symbols.
    pub(crate) link: usize,
    /// Of relocations: the section they are for.
    pub(crate) info: usize,
}

pub(crate) fn sections(bytes: &[u8]) -> Option<Vec<Section<'_>>> {
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    // A place behind the end is no place, and nothing counted from it can overflow.
    let within = |place: u64| usize::try_from(place).ok().filter(|at| *at <= bytes.len());
    let start = within(field(bytes, 0x28, 8)?)?;
    // Where they do not fit into the header, the first section holds the numbers.
    let count = match field(bytes, 0x3c, 2)? {
        0 => field(bytes, start + 0x20, 8)?,
        count => count,
    };
    let names = match field(bytes, 0x3e, 2)? {
        ELSEWHERE => field(bytes, start + 0x28, 4)?,
        place => place,
    };
    let names = start + usize::try_from(names).ok()? * HEADER;
    let names = within(field(bytes, names + 0x18, 8)?)?;
    let section = |number: usize| {
        let at = start + number * HEADER;
        let whole = |place, width| usize::try_from(field(bytes, at + place, width)?).ok();
        Some(Section {
            name: text(bytes, names + whole(0, 4)?)?,
            kind: field(bytes, at + 4, 4)?,
            offset: within(field(bytes, at + 0x18, 8)?)?,
            size: field(bytes, at + 0x20, 8)?,
            link: whole(0x28, 4)?,
            info: whole(0x2c, 4)?,
        })
    };
    (0..usize::try_from(count).ok()?).map(section).collect()
}

/// Where each function of a program begins, and its name. Some have several.
pub(crate) fn functions(bytes: &[u8]) -> Option<Vec<(u64, &str)>> {
    let sections = sections(bytes)?;
    let table = sections.iter().find(|section| section.kind == SYMBOLS)?;
    let strings = sections.get(table.link)?.offset;
    let mut functions = Vec::new();
    for number in 0..usize::try_from(table.size).ok()? / SYMBOL {
        let at = table.offset + number * SYMBOL;
        let kind = field(bytes, at + 4, 1)? & 0xf;
        let (section, size) = (field(bytes, at + 6, 2)?, field(bytes, at + 16, 8)?);
        if kind == FUNCTION && section != 0 && size != 0 {
            let name = usize::try_from(field(bytes, at, 4)?).ok()?;
            functions.push((field(bytes, at + 8, 8)?, text(bytes, strings + name)?));
        }
    }
    Some(functions)
}

/// A number of so many bytes, the least significant first.
pub(crate) fn field(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let digits = bytes.get(at..at.checked_add(width)?)?;
    Some(
        digits
            .iter()
            .rev()
            .fold(0, |number, digit| (number << 8) | u64::from(*digit)),
    )
}

pub(crate) fn text(bytes: &[u8], at: usize) -> Option<&str> {
    let rest = bytes.get(at..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(rest.get(..end)?).ok()
}
