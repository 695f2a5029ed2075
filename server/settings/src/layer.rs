//! One settings file, from disk to a layer that can be merged.
//!
//! Read, expanded, checked, migrated, in memory. The file itself is never touched.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::check::{Finding, check};
use crate::environment::Environment;
use crate::expand::expand;
use crate::json::{self, Document, Step};
use crate::migrate::migrate;
use crate::problem::{Problem, shorten};
use crate::source;

/// Which of the four files, from the lowest to the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    SystemDefaults,
    User,
    Workspace,
    System,
}

/// What became of one settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    pub path: PathBuf,
    pub scope: Scope,
    pub state: FileState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    Missing,
    Loaded,
    /// There, and left out on purpose.
    Skipped(SkipReason),
    /// There, and of no use. A problem says why.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// The folder is the home folder, whose file is the user's.
    FolderIsHome,
    FolderNotTrusted,
    /// Somebody other than the administrator could have written it.
    NotSecure,
    /// It belongs to another user of the system.
    ForeignOwner,
}

pub(crate) struct Layer {
    pub(crate) report: FileReport,
    pub(crate) settings: Map<String, Value>,
    pub(crate) problems: Vec<Problem>,
}

impl Layer {
    pub(crate) fn skipped(path: &Path, scope: Scope, reason: SkipReason) -> Self {
        let state = if path.exists() {
            FileState::Skipped(reason)
        } else {
            FileState::Missing
        };
        Self::empty(path, scope, state)
    }

    fn empty(path: &Path, scope: Scope, state: FileState) -> Self {
        Self {
            report: FileReport {
                path: path.to_path_buf(),
                scope,
                state,
            },
            settings: Map::new(),
            problems: Vec::new(),
        }
    }
}

pub(crate) fn read(path: &Path, scope: Scope, environment: &Environment) -> Layer {
    let parsed = match source::read(path) {
        Ok(None) => return Layer::empty(path, scope, FileState::Missing),
        Ok(Some(source)) => json::parse(source),
        Err(problem) => Err(problem),
    };
    match parsed {
        Ok(document) => {
            let (settings, problems) = interpret(&document, environment);
            Layer {
                settings,
                problems,
                ..Layer::empty(path, scope, FileState::Loaded)
            }
        }
        Err(problem) => Layer {
            problems: vec![problem],
            ..Layer::empty(path, scope, FileState::Broken)
        },
    }
}

fn interpret(document: &Document, environment: &Environment) -> (Map<String, Value>, Vec<Problem>) {
    let mut settings = document.object.clone();
    settings
        .values_mut()
        .for_each(|value| expand(value, environment));
    let mut findings = Vec::new();
    if settings.shift_remove("admin").is_some() {
        findings.push(Finding {
            steps: vec![Step::Key("admin".to_owned())],
            message: "`admin` has no effect in a file: only remote controls set it".to_owned(),
            fix: Some("remove it".to_owned()),
        });
    }
    findings.extend(check(&mut settings));
    findings.extend(migrate(&mut settings));
    refuse_yolo(&mut settings);

    let path = &document.source.path;
    let mut problems: Vec<Problem> = findings
        .into_iter()
        .map(|finding| {
            let problem =
                Problem::warning(path, finding.message).at(document.place(&finding.steps));
            match finding.fix {
                Some(fix) => problem.fixed_by(fix),
                None => problem,
            }
        })
        .collect();
    problems.sort_by_key(|problem| problem.place);
    (settings, shorten(path, problems))
}

/// A file cannot switch approvals off; only whoever starts a run can. The check reports it as a value
/// that is not on the list, and no lower layer may be uncovered by it.
fn refuse_yolo(settings: &mut Map<String, Value>) {
    let mode = settings
        .get_mut("general")
        .and_then(|general| general.get_mut("defaultApprovalMode"));
    if let Some(mode) = mode
        && *mode == "yolo"
    {
        *mode = Value::from("default");
    }
}
