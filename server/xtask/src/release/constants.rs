//! Which constants the functions that run refer to, read from the object file that is linked: they should lie side by
//! side too. Constants have no names that a linker could be given an order of, but each has a section of its own.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result};

use crate::elf::{ELSEWHERE, SYMBOL, SYMBOLS, Section, field, sections, text};

#[cfg(test)]
mod tests;

const RELOCATION: usize = 24;
const RELOCATIONS: u64 = 4;
const LARGE_INDICES: u64 = 18;

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
