//! Random trees with random ignore files, judged by git itself.

#![expect(
    clippy::disallowed_methods,
    reason = "git is the judge, and it has ended when its answer is here"
)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::testing::Project;
use crate::walk::{self, Found, Place, Visitor};
use crate::{Excludes, Kind, RuleFiles};

const FOLDERS: [&str; 4] = ["a", "b", "a/b", "b/a/c"];

fn files() -> Vec<String> {
    let inside =
        |folder: &str| ["x.rs", "y.log", "c", "a.b", ".dot"].map(|name| format!("{folder}/{name}"));
    let mut all: Vec<String> = FOLDERS.into_iter().flat_map(inside).collect();
    all.extend(["x.rs", "y.log", ".dot"].map(str::to_owned));
    // A name can be a folder's only once.
    all.retain(|path| path != "b/a/c");
    all
}

fn ignore_file() -> impl Strategy<Value = String> {
    let pattern = select(vec![
        "*.log",
        "x.rs",
        "/x.rs",
        "a/",
        "/a",
        "b/a",
        "**/c",
        "c/**",
        "*",
        "*.*",
        "a/**/x.rs",
        "?",
        "[xy].*",
        "b/*.rs",
        ".*",
        "# no",
        "",
        "  ",
        "\\#x",
        "c ",
        "**",
        "a/b/",
        "/b/a/",
        "**/a/x.rs",
        "[!x]*",
    ]);
    let line = (any::<bool>(), pattern).prop_map(|(is_negated, pattern)| {
        let sign = if is_negated { "!" } else { "" };
        format!("{sign}{pattern}\n")
    });
    vec(line, 0..5).prop_map(|lines| lines.concat())
}

fn git(root: &Path, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the tests need git");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    // One means that no path is ignored.
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{:?}",
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

struct Names(Vec<String>);

impl Visitor for Names {
    fn enters(&mut self, _: Place<'_>) -> bool {
        true
    }

    fn file(&mut self, found: Found<'_>) {
        self.0
            .push(found.place.below_start.to_str().unwrap().to_owned());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn rules_ignore_what_git_ignores(top in ignore_file(), nested in ignore_file(), deep in ignore_file(), exclude in ignore_file()) {
        let project = Project::new(&[]);
        git(&project.root(), &["init", "--quiet"], "");
        let files = files();
        for file in &files {
            project.write(file, "");
        }
        project.write(".gitignore", top);
        project.write("a/.gitignore", nested);
        project.write("b/a/.gitignore", deep);
        project.write(".git/info/exclude", exclude);

        let answer = git(&project.root(), &["check-ignore", "--stdin"], &files.join("\n"));
        let expected: Vec<&str> = answer.lines().collect();

        let rules = project.rules(&RuleFiles::default());
        let ignored: Vec<&str> = files.iter().map(String::as_str).filter(|file| rules.is_ignored(Path::new(file), Kind::File)).collect();
        prop_assert_eq!(&ignored, &expected);

        // The walk must come to the same.
        let (visitors, _) = project.with_tree(&RuleFiles::default(), |tree| {
            walk::walk(tree, tree.rules.root(), &Excludes::nothing(), || Names(Vec::new()))
        });
        let visited: Vec<String> = visitors.into_iter().flat_map(|names| names.0).collect();
        for file in &files {
            prop_assert_eq!(visited.contains(file), !expected.contains(&file.as_str()), "{}", file);
        }
    }
}
