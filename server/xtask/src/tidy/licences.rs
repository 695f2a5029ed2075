//! Every dependency may be shipped with an Apache-2.0 program.

use super::finding::Finding;
use super::metadata::Metadata;

#[cfg(test)]
mod tests;

const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub(crate) fn check(metadata: &Metadata) -> Vec<Finding> {
    metadata
        .packages()
        .filter_map(|package| {
            let what = match &package.licence {
                None => "names no licence: use another crate".to_owned(),
                Some(licence) if satisfied(licence) == Some(true) => return None,
                Some(licence) => {
                    format!("licence `{licence}` is not on the allow list: use another crate")
                }
            };
            Some(Finding::in_file(
                format!("{} {}", package.name, package.version),
                what,
            ))
        })
        .collect()
}

/// Whether an SPDX expression can be met from the list. `None` when it cannot be read.
fn satisfied(expression: &str) -> Option<bool> {
    // Before SPDX expressions, crates wrote `MIT/Apache-2.0` for a choice.
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = Words {
        rest: spaced.split_whitespace().collect(),
    };
    let value = words.choice()?;
    words.rest.is_empty().then_some(value)
}

/// What is left of the expression. OR binds weaker than AND, AND weaker than WITH.
struct Words<'a> {
    rest: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn choice(&mut self) -> Option<bool> {
        let mut value = self.all()?;
        while self.take("OR") {
            value |= self.all()?;
        }
        Some(value)
    }

    fn all(&mut self) -> Option<bool> {
        let mut value = self.one()?;
        while self.take("AND") {
            value &= self.one()?;
        }
        Some(value)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let value = self.choice()?;
            return self.take(")").then_some(value);
        }
        let name = self.next()?;
        if !self.take("WITH") {
            return Some(ALLOWED.contains(&name));
        }
        let exception = self.next()?;
        Some(ALLOWED.contains(&format!("{name} WITH {exception}").as_str()))
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.rest.first() == Some(&word);
        if is_next {
            self.rest.remove(0);
        }
        is_next
    }

    fn next(&mut self) -> Option<&'a str> {
        (!self.rest.is_empty()).then(|| self.rest.remove(0))
    }
}
