//! The rules of `trustedFolders.json`.
//!
//! One level that is not understood makes the whole file unusable: it may be the misspelt refusal that
//! was meant to override a wider permission.

use std::path::{Path, PathBuf};

use super::{TrustLevel, Verdict};
use crate::json::{self, Document, Step};
use crate::ownership;
use crate::paths;
use crate::problem::Problem;
use crate::source;

#[derive(Default)]
pub(crate) struct Rules {
    rules: Vec<Rule>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// As the file spells it.
    pub(crate) path: PathBuf,
    level: TrustLevel,
    /// The folder the rule speaks for, comparable.
    scope: PathBuf,
}

/// What was found: the rules, unless the file is broken, and what to tell the user.
pub(crate) struct Reading {
    pub(crate) rules: Option<Rules>,
    pub(crate) problems: Vec<Problem>,
}

pub(crate) fn read_rules(path: &Path) -> Reading {
    if ownership::is_foreign(path) {
        return Reading {
            rules: Some(Rules::default()),
            problems: vec![ownership::problem(path)],
        };
    }
    match source::read(path) {
        Ok(None) => Reading {
            rules: Some(Rules::default()),
            problems: Vec::new(),
        },
        Ok(Some(source)) => match json::parse(source).and_then(|document| validate(&document)) {
            Ok((rules, problems)) => Reading {
                rules: Some(rules),
                problems,
            },
            Err(problem) => broken(problem),
        },
        Err(problem) => broken(problem),
    }
}

fn broken(problem: Problem) -> Reading {
    Reading {
        rules: None,
        problems: vec![problem],
    }
}

pub(super) fn validate(document: &Document) -> Result<(Rules, Vec<Problem>), Problem> {
    let mut rules = Vec::new();
    let mut problems = Vec::new();
    let file = &document.source.path;
    for (key, value) in &document.object {
        let place = || document.place(&[Step::Key(key.clone())]);
        let Some(level) = value.as_str().and_then(TrustLevel::parse) else {
            return Err(Problem::error(
                file,
                format!("the rule for {key:?} is not understood, so no rule of this file is used"),
            )
            .at(place())
            .fixed_by("use TRUST_FOLDER, TRUST_PARENT or DO_NOT_TRUST"));
        };
        let path = PathBuf::from(key);
        if path.is_absolute() {
            rules.push(Rule::new(path, level));
        } else {
            problems.push(
                Problem::warning(
                    file,
                    format!("{key:?} is not an absolute path, so its rule has no effect"),
                )
                .at(place())
                .fixed_by("write the whole path"),
            );
        }
    }
    Ok((Rules { rules }, problems))
}

impl Rules {
    /// The rule with the longest path among those that cover `folder`. Between rules of one length, a
    /// refusal wins.
    pub(crate) fn matching(&self, folder: &Path) -> Option<&Rule> {
        let folder = paths::comparable(folder);
        self.rules
            .iter()
            .filter(|rule| folder.starts_with(&rule.scope))
            .max_by_key(|rule| {
                let refuses = rule.level == TrustLevel::DoNotTrust;
                (rule.path.as_os_str().len(), refuses)
            })
    }
}

impl Rule {
    fn new(path: PathBuf, level: TrustLevel) -> Self {
        let scope = match level {
            TrustLevel::TrustFolder | TrustLevel::DoNotTrust => paths::comparable(&path),
            TrustLevel::TrustParent => {
                let folder = paths::comparable(&path);
                folder.parent().map(Path::to_path_buf).unwrap_or(folder)
            }
        };
        Self { path, level, scope }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match self.level {
            TrustLevel::TrustFolder | TrustLevel::TrustParent => Verdict::Trusted,
            TrustLevel::DoNotTrust => Verdict::Untrusted,
        }
    }
}

/// Whether an entry of the file speaks about this very folder.
pub(super) fn names(key: &str, folder: &Path) -> bool {
    let path = Path::new(key);
    path.is_absolute() && paths::comparable(path) == paths::comparable(folder)
}
