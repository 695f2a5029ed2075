//! Files whose change can run code later or loosen the rules: they are asked for whatever the mode is.

use std::path::{Component, Path};

use serde_json::Value;

use crate::Call;

#[cfg(test)]
mod tests;

/// Why a path is guarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Guarded {
    pub(super) kind: Kind,
    /// The part of the path that gives it away.
    pub(super) name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Says what building the project runs.
    Build,
    /// Belongs to git, an editor, an agent or a shell, or says what CI runs.
    Configuration,
}

impl Kind {
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Build => "a build file",
            Self::Configuration => "a configuration that others act on",
        }
    }
}

const FOLDERS: &[&str] = &[
    ".git",
    ".vscode",
    ".zed",
    ".gemini",
    ".idea",
    ".husky",
    ".devcontainer",
    ".ssh",
    ".circleci",
    ".buildkite",
    ".teamcity",
    ".woodpecker",
    "profile.d",
    ".claude",
    ".cursor",
    ".aider",
    ".codex",
    ".cargo",
    ".fleet",
    ".nvim",
    ".githooks",
    ".lefthook",
    ".yarn",
    ".mvn",
    ".bundle",
];

const FOLDERS_IN_FOLDERS: &[(&str, &str)] = &[
    (".github", "workflows"),
    (".github", "actions"),
    (".gitea", "workflows"),
    (".forgejo", "workflows"),
    (".gitlab", "ci"),
    ("fish", "conf.d"),
];

const FILES: &[&str] = &[
    ".gitconfig",
    ".gitmodules",
    ".gitlab-ci.yml",
    ".gitlab-ci.yaml",
    ".travis.yml",
    ".drone.yml",
    ".cirrus.yml",
    ".woodpecker.yml",
    ".appveyor.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "azure-pipelines.yaml",
    "bitbucket-pipelines.yml",
    "cloudbuild.yaml",
    "cloudbuild.yml",
    "jenkinsfile",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    "bash.bashrc",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".envrc",
    ".xprofile",
    ".xinitrc",
    ".xsessionrc",
    "config.fish",
    "profile.ps1",
    "microsoft.powershell_profile.ps1",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".mcp.json",
    "mcp.json",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "lefthook.yml",
    ".lefthook.yml",
    ".nvim.lua",
    ".nvimrc",
    ".vimrc",
    ".gvimrc",
    ".exrc",
    ".lvimrc",
    ".dir-locals.el",
    ".dir-locals-2.el",
    ".gdbinit",
    ".lldbinit",
    ".pypirc",
    ".pythonrc",
    ".tool-versions",
    ".mise.toml",
    "mise.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// Endings of files that an editor takes for settings.
const ENDINGS: &[&str] = &[".code-workspace", ".sublime-project", ".project.el"];

const BUILD_FILES: &[&str] = &[
    "BUILD",
    "BUILD.bazel",
    "WORKSPACE",
    "WORKSPACE.bazel",
    "MODULE.bazel",
    ".bazelrc",
    ".blazerc",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "CMakeLists.txt",
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lockb",
    "setup.py",
    "setup.cfg",
    "pyproject.toml",
    "go.mod",
    "go.sum",
    "Cargo.toml",
    "Cargo.lock",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "Dockerfile",
    "Containerfile",
    "justfile",
    ".justfile",
    "Taskfile.yml",
    "Taskfile.yaml",
    "Rakefile",
    "Gemfile",
    "gradlew",
    "gradlew.bat",
    "gradle.properties",
    "gradle-wrapper.properties",
    "mvnw",
    "mvnw.cmd",
    "build.rs",
    "build.zig",
    "noxfile.py",
    "composer.json",
    "deno.json",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yml",
    "compose.yaml",
    "meson.build",
    "SConstruct",
    "Vagrantfile",
    "Procfile",
];

const BUILD_BEGINNINGS: &[&str] = &["Dockerfile.", "Containerfile."];
const BUILD_EXTENSIONS: &[&str] = &["bzl", "bazel", "bzlmod", "mk", "cmake"];

/// Why a path, given from the workspace's folder on, is guarded.
pub(super) fn guarded(path: &Path) -> Option<Guarded> {
    let names: Vec<&str> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    if is_plan(&names) {
        return None;
    }
    configuration(&names)
        .map(|name| Guarded {
            kind: Kind::Configuration,
            name: name.to_owned(),
        })
        .or_else(|| {
            let name = names.last().filter(|name| is_build_file(name))?;
            Some(Guarded {
                kind: Kind::Build,
                name: (*name).to_owned(),
            })
        })
}

fn configuration<'a>(names: &[&'a str]) -> Option<&'a str> {
    let is_one_of =
        |list: &[&str], name: &str| list.iter().any(|one| name.eq_ignore_ascii_case(one));
    if let Some(name) = names.iter().find(|name| is_one_of(FOLDERS, name)) {
        return Some(name);
    }
    let pairs = names.iter().zip(names.iter().skip(1));
    for (outer, inner) in pairs {
        let listed = FOLDERS_IN_FOLDERS.iter().any(|(first, second)| {
            outer.eq_ignore_ascii_case(first) && inner.eq_ignore_ascii_case(second)
        });
        if listed {
            return Some(inner);
        }
    }
    names.last().copied().filter(|name| {
        let name = name.to_ascii_lowercase();
        is_one_of(FILES, &name) || ENDINGS.iter().any(|end| name.ends_with(end))
    })
}

/// Whether a file of this name says how a project is built, and so what a build runs.
pub fn is_build_file(name: &str) -> bool {
    // Case decides on Linux and does not on macOS and Windows; asking once too often is the smaller harm. `build`
    // and `workspace` are ordinary names of folders and scripts, so these two are taken as written.
    let listed = BUILD_FILES.iter().any(|one| match *one {
        "BUILD" | "WORKSPACE" => name == *one,
        one => name.eq_ignore_ascii_case(one),
    });
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    listed
        || BUILD_BEGINNINGS.iter().any(|start| name.starts_with(start))
        || extension.is_some_and(|extension| BUILD_EXTENSIONS.contains(&extension))
}

/// Plans lie under `.gemini/tmp`, and writing them is what plan mode is for.
fn is_plan(names: &[&str]) -> bool {
    let Some(place) = names.iter().rposition(|name| *name == ".gemini") else {
        return false;
    };
    let Some(rest) = names.get(place + 1..) else {
        return false;
    };
    match rest {
        ["tmp", _, "plans", plan] | ["tmp", _, _, "plans", plan] => plan.ends_with(".md"),
        _ => false,
    }
}

const WRITING: &[&str] = &[
    "write", "edit", "replace", "patch", "update", "create", "append", "save", "delete", "remove",
    "move", "rename",
];

/// The paths a tool changes, if its name says that it changes files.
pub(super) fn written_paths<'a>(call: &Call<'a>) -> Vec<&'a str> {
    let mut words = call
        .tool
        .split(|character: char| !character.is_ascii_alphanumeric());
    if !words.any(names_writing) {
        return Vec::new();
    }
    const KEYS: &[&str] = &[
        "file_path",
        "path",
        "filePath",
        "file",
        "absolute_path",
        "target_file",
        "destination",
    ];
    KEYS.iter()
        .filter_map(|key| call.args.get(*key).and_then(Value::as_str))
        .collect()
}

/// `writeFile` and `WRITE` too.
fn names_writing(word: &str) -> bool {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut before_is_lower = false;
    for character in word.chars() {
        if character.is_ascii_uppercase() && before_is_lower {
            pieces.push(std::mem::take(&mut piece));
        }
        before_is_lower = character.is_ascii_lowercase();
        piece.push(character.to_ascii_lowercase());
    }
    pieces.push(piece);
    pieces.iter().any(|piece| WRITING.contains(&piece.as_str()))
}
