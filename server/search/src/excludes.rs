//! What is left out of a search whatever the ignore files say.

use std::ffi::OsStr;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::SearchError;

/// Folders of packages and of version control.
const COMMON: &[&str] = &["node_modules", ".git", "bower_components", ".svn", ".hg"];
/// Folders of editors and of builds.
const BUILT: &[&str] = &[
    ".vscode",
    ".idea",
    "dist",
    "build",
    "coverage",
    "__pycache__",
];
const SCRATCH_ENDINGS: &[&str] = &["log", "tmp"];
const BINARY_ENDINGS: &[&str] = &[
    "bin", "exe", "dll", "so", "dylib", "class", "jar", "war", "zip", "tar", "gz", "bz2", "rar",
    "7z", "pak", "rpa", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "pyc",
    "pyo",
];
const SYSTEM_FILES: &[&str] = &[".DS_Store", ".env", "GEMINI.md"];

/// Folders and files that are left out by their names, and whatever else a caller names.
#[derive(Clone, Debug, Default)]
pub struct Excludes {
    folders: Vec<&'static str>,
    endings: Vec<&'static str>,
    files: Vec<&'static str>,
    globs: GlobSet,
}

impl Excludes {
    pub fn nothing() -> Self {
        Self::default()
    }

    /// For names: what no one means when they look for a file.
    pub fn for_glob() -> Self {
        Self {
            folders: COMMON.to_vec(),
            ..Self::default()
        }
    }

    /// For text: also what is built from other files, and logs.
    pub fn for_grep() -> Self {
        Self {
            folders: [COMMON, BUILT].concat(),
            endings: SCRATCH_ENDINGS.to_vec(),
            ..Self::default()
        }
    }

    /// For reading many files: also what is not text.
    pub fn for_reading_many() -> Self {
        Self {
            folders: [COMMON, BUILT].concat(),
            endings: BINARY_ENDINGS.to_vec(),
            files: SYSTEM_FILES.to_vec(),
            ..Self::default()
        }
    }

    /// The same and these globs, which are relative to where a search starts.
    pub fn and<Globs>(self, globs: Globs) -> Result<Self, SearchError>
    where
        Globs: IntoIterator,
        Globs::Item: AsRef<str>,
    {
        let mut builder = GlobSetBuilder::new();
        for glob in globs {
            let glob = glob.as_ref();
            let bad = |error: globset::Error| SearchError::Glob {
                glob: glob.to_owned(),
                reason: error.kind().to_string(),
            };
            let built = GlobBuilder::new(glob).literal_separator(true).build();
            builder.add(built.map_err(bad)?);
        }
        let globs = builder.build().map_err(|error| SearchError::Glob {
            glob: error.glob().unwrap_or_default().to_owned(),
            reason: error.kind().to_string(),
        })?;
        Ok(Self { globs, ..self })
    }

    pub(crate) fn has_folder(&self, name: &OsStr, relative: &Path) -> bool {
        self.folders.iter().any(|folder| name == OsStr::new(folder))
            || (!self.globs.is_empty() && self.globs.is_match(relative))
    }

    pub(crate) fn has_file(&self, name: &OsStr, relative: &Path) -> bool {
        self.has_ending(name)
            || self.files.iter().any(|file| name == OsStr::new(file))
            || (!self.globs.is_empty() && self.globs.is_match(relative))
    }

    fn has_ending(&self, name: &OsStr) -> bool {
        if self.endings.is_empty() {
            return false;
        }
        let ending = Path::new(name).extension();
        ending.is_some_and(|ending| self.endings.iter().any(|known| ending == OsStr::new(known)))
    }
}
