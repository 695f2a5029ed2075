//! Which constants the functions that run refer to, read from the object file that is linked: they should lie side by
//! side too. Constants have no names that a linker could be given an order of, but each has a section of its own.
//!
//! Reads 64-bit ELF of x86-64 only, the one kind of file that is linked twice.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result};

#[cfg(test)]
mod tests;

const HEADER: usize = 64;
const SYMBOL: usize = 24;
const RELOCATION: usize = 24;
const SYMBOLS: u64 = 2;
const RELOCATIONS: u64 = 4;
const LARGE_INDICES: u64 = 18;
/// The index of a section that did not fit stands in a table of its own.
const ELSEWHERE: u64 = 0xffff;

/// Larger ones are tables, of which little is read at a time. They would push the others apart.
const LARGEST: u64 = 4096;

/// A linker script that puts these sections, in this order, before all other constants.
pub(super) fn script(sections: &[&str]) -> String {
    let lines: String = sections
        .iter()
        .map(|section| format!("  *(\"{section}\")\n"))
        .collect();
    format!("SECTIONS {{ .rodata.first : {{\n{lines}}} }}\nINSERT BEFORE .rodata;\n")
}

/// The sections of the constants that these functions refer to, in the order of the functions; then those that are
/// referred to through a pointer in a constant.
pub(super) fn referred<'a>(object: &'a [u8], functions: &[String]) -> Result<Vec<&'a str>> {
    let object =
        Object::read(object).context("this is no object file of the kind that is known")?;
    let bodies: Vec<usize> = functions
        .iter()
        .filter_map(|name| object.defined.get(name.as_str()).copied())
        .collect();
    let mut known = HashSet::new();
    let mut first = Vec::new();
    let mut tables = Vec::new();
    for target in bodies.iter().flat_map(|body| object.targets(*body)) {
        let name = object.name(target);
        if known.insert(target) {
            if is_constant(name) {
                first.push(target);
            } else if name.starts_with(".data.rel.ro") {
                tables.push(target);
            }
        }
    }
    for target in tables.iter().flat_map(|table| object.targets(*table)) {
        if is_constant(object.name(target)) && known.insert(target) {
            first.push(target);
        }
    }
    first.retain(|section| object.size(*section) <= LARGEST);
    Ok(first.iter().map(|section| object.name(*section)).collect())
}

/// Those that the linker merges stay with it.
fn is_constant(section: &str) -> bool {
    section
        .strip_prefix(".rodata.")
        .is_some_and(|rest| !rest.starts_with("cst") && !rest.starts_with("str"))
}

struct Section<'a> {
    name: &'a str,
    kind: u64,
    offset: usize,
    size: u64,
    /// What the numbers in it are about: the table of strings, or of symbols.
    link: usize,
    /// Of relocations: the section they are for.
    info: usize,
}

struct Object<'a> {
    bytes: &'a [u8],
    sections: Vec<Section<'a>>,
    /// Where each function's name is defined.
    defined: HashMap<&'a str, usize>,
    /// The section of each symbol.
    symbols: Vec<usize>,
    /// The relocations of each section that has some.
    relocations: HashMap<usize, usize>,
}

impl<'a> Object<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        if bytes.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let mut object = Self {
            bytes,
            sections: sections(bytes)?,
            defined: HashMap::new(),
            symbols: Vec::new(),
            relocations: HashMap::new(),
        };
        for (place, section) in object.sections.iter().enumerate() {
            if section.kind == RELOCATIONS {
                object.relocations.insert(section.info, place);
            }
        }
        object.read_symbols()?;
        Some(object)
    }

    fn read_symbols(&mut self) -> Option<()> {
        let of_kind = |kind| self.sections.iter().find(|section| section.kind == kind);
        let table = of_kind(SYMBOLS)?;
        let large = of_kind(LARGE_INDICES).map(|section| section.offset);
        let strings = self.sections.get(table.link)?.offset;
        for number in 0..usize::try_from(table.size).ok()? / SYMBOL {
            let at = table.offset + number * SYMBOL;
            let mut section = field(self.bytes, at + 6, 2)?;
            if section == ELSEWHERE {
                section = field(self.bytes, large? + 4 * number, 4)?;
            }
            let section = usize::try_from(section).ok()?;
            self.symbols.push(section);
            let name = usize::try_from(field(self.bytes, at, 4)?).ok()?;
            if name != 0 && section != 0 {
                self.defined
                    .insert(text(self.bytes, strings + name)?, section);
            }
        }
        Some(())
    }

    /// The sections that a section refers to.
    fn targets(&self, section: usize) -> impl Iterator<Item = usize> {
        let table = self
            .relocations
            .get(&section)
            .and_then(|place| self.sections.get(*place));
        let (offset, size) = table.map_or((0, 0), |table| (table.offset, table.size));
        let count = usize::try_from(size).unwrap_or_default() / RELOCATION;
        (0..count).filter_map(move |number| {
            let symbol = field(self.bytes, offset + number * RELOCATION + 12, 4)?;
            let symbol = usize::try_from(symbol).ok()?;
            self.symbols.get(symbol).copied()
        })
    }

    fn name(&self, section: usize) -> &'a str {
        self.sections
            .get(section)
            .map_or("", |section| section.name)
    }

    fn size(&self, section: usize) -> u64 {
        self.sections.get(section).map_or(0, |section| section.size)
    }
}

fn sections(bytes: &[u8]) -> Option<Vec<Section<'_>>> {
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

/// A number of so many bytes, the least significant first.
fn field(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let digits = bytes.get(at..at.checked_add(width)?)?;
    Some(
        digits
            .iter()
            .rev()
            .fold(0, |number, digit| (number << 8) | u64::from(*digit)),
    )
}

fn text(bytes: &[u8], at: usize) -> Option<&str> {
    let rest = bytes.get(at..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(rest.get(..end)?).ok()
}
