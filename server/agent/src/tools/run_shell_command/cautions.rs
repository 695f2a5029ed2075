//! What is unusual about a command, for whoever has to judge it.

use pollux_policy::shell::{self, Affected, Script};

use crate::tools::watched::Watched;

/// Programs that do what a build file says.
const BUILDERS: [&str; 24] = [
    "ant", "bazel", "bun", "cargo", "cmake", "deno", "docker", "go", "gradle", "gradlew", "make",
    "maven", "mvn", "ninja", "node", "npm", "npx", "pip", "pnpm", "podman", "pytest", "python",
    "python3", "yarn",
];

/// What to say about a command, and whether it may be approved for more than this once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Cautions {
    pub(super) sentences: Vec<String>,
    pub(super) approval: Approvable,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Approvable {
    #[default]
    ForGood,
    /// Next time the circumstances may be others.
    Once,
}

pub(super) fn about(script: Option<&Script>, watched: &Watched) -> Cautions {
    let Some(script) = script else {
        return Cautions {
            sentences: vec!["parts of it could not be understood; read it carefully".to_owned()],
            approval: Approvable::Once,
        };
    };
    let mut cautions = Cautions::default();
    for destruction in shell::destructive(script) {
        let what = match &destruction.affected {
            Affected::WorkTree => "uncommitted changes".to_owned(),
            Affected::Paths(paths) => paths.join(", "),
        };
        cautions.sentences.push(format!(
            "`{}` may destroy {what}; a copy is kept, and `pollux undo` brings it back",
            destruction.text
        ));
    }
    let from_outside = words_from_outside(script, watched);
    if !from_outside.is_empty() {
        cautions.approval = Approvable::Once;
        cautions.sentences.push(format!(
            "`{}` came up in text from outside, so somebody else may have wanted it",
            from_outside.join("`, `")
        ));
    }
    let changed = watched.changed_build_files();
    let builds = shell::root_commands(script)
        .iter()
        .any(|program| BUILDERS.contains(&program.as_str()));
    if builds && !changed.is_empty() {
        cautions.approval = Approvable::Once;
        let files: Vec<&str> = changed.iter().map(String::as_str).collect();
        cautions.sentences.push(format!(
            "it follows build files that were changed in this session: {}",
            files.join(", ")
        ));
    }
    cautions
}

/// Flags and addresses that were in text from outside, each once.
fn words_from_outside(script: &Script, watched: &Watched) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let words = script.commands.iter().flat_map(|command| &command.words);
    for word in words.map(shell::Word::text) {
        let flag = word.split_once('=').map_or(word, |(flag, _)| flag);
        for candidate in [word, flag] {
            let is_new = !found.iter().any(|known| known == candidate);
            if is_telling(candidate) && is_new && watched.came_from_outside(candidate) {
                found.push(candidate.to_owned());
                break;
            }
        }
    }
    found
}

/// Flags of one letter are in every text, and names of programs and files are in most: they say nothing about who
/// thought of them.
fn is_telling(word: &str) -> bool {
    word.contains("://") || (word.starts_with('-') && word.trim_start_matches('-').len() > 1)
}

#[cfg(test)]
mod tests;
