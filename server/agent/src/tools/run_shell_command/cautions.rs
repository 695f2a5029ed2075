//! What is unusual about a command, for whoever has to judge it.

use std::collections::BTreeSet;

use pollux_policy::shell::{self, Affected, Script};

/// Programs that do what a build file says.
const BUILDERS: [&str; 24] = [
    "ant", "bazel", "bun", "cargo", "cmake", "deno", "docker", "go", "gradle", "gradlew", "make",
    "maven", "mvn", "ninja", "node", "npm", "npx", "pip", "pnpm", "podman", "pytest", "python",
    "python3", "yarn",
];

pub(super) fn about(
    script: Option<&Script>,
    changed_build_files: &BTreeSet<String>,
) -> Vec<String> {
    let Some(script) = script else {
        return vec!["parts of it could not be understood; read it carefully".to_owned()];
    };
    let mut cautions = Vec::new();
    for destruction in shell::destructive(script) {
        let what = match &destruction.affected {
            Affected::WorkTree => "uncommitted changes".to_owned(),
            Affected::Paths(paths) => paths.join(", "),
        };
        cautions.push(format!(
            "`{}` may destroy {what}; a copy is kept, and `pollux undo` brings it back",
            destruction.text
        ));
    }
    let builds = shell::root_commands(script)
        .iter()
        .any(|program| BUILDERS.contains(&program.as_str()));
    if builds && !changed_build_files.is_empty() {
        let files: Vec<&str> = changed_build_files.iter().map(String::as_str).collect();
        cautions.push(format!(
            "it follows build files that were changed in this session: {}",
            files.join(", ")
        ));
    }
    cautions
}
