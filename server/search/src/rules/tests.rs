mod against_git;

use super::*;
use crate::testing::Project;

fn check(project: &Project, files: &RuleFiles, ignored: &[&str], open: &[&str]) {
    let rules = project.rules(files);
    let is_ignored = |path: &&&str| {
        let kind = if path.ends_with('/') {
            Kind::Folder
        } else {
            Kind::File
        };
        rules.is_ignored(Path::new(path), kind)
    };
    let wrongly_open: Vec<_> = ignored.iter().filter(|path| !is_ignored(path)).collect();
    let wrongly_ignored: Vec<_> = open.iter().filter(is_ignored).collect();
    assert!(
        wrongly_open.is_empty() && wrongly_ignored.is_empty(),
        "wrongly open {wrongly_open:?}, wrongly ignored {wrongly_ignored:?}"
    );
}

fn custom(files: &[&str]) -> RuleFiles {
    RuleFiles {
        custom: files.iter().map(PathBuf::from).collect(),
        ..RuleFiles::default()
    }
}

#[test]
fn gitignore_files_count_in_every_folder_of_a_repository() {
    let project = Project::repository(&[
        (".gitignore", "*.log\n/out/\n"),
        ("src/.gitignore", "!keep.log\ngenerated\n"),
        (".git/info/exclude", "private.txt\nsrc/keep.log\n"),
    ]);
    check(
        &project,
        &RuleFiles::default(),
        &[
            "a.log",
            "src/a.log",
            "out/",
            "out/deep/a.rs",
            "src/generated",
            "src/x/generated/a",
            "private.txt",
        ],
        // The exclude file is the weakest.
        &[
            "src/keep.log",
            "src/out/a.rs",
            "generated",
            "a.rs",
            "",
            "../a.log",
        ],
    );
}

#[test]
fn gitignore_files_mean_nothing_outside_a_repository() {
    let project = Project::new(&[
        (".gitignore", "*.log\n"),
        ("inner/.git/HEAD", ""),
        ("inner/.gitignore", "*.tmp\n"),
    ]);
    check(
        &project,
        &RuleFiles::default(),
        &["inner/a.tmp"],
        &["a.log", "a.tmp", "inner/a.log"],
    );
}

#[test]
fn a_project_in_a_folder_of_a_repository_has_the_rules_above_it() {
    let repository = Project::repository(&[
        (".gitignore", "*.log\n/app/out\n"),
        (".git/info/exclude", "*.tmp\n"),
        ("app/.gitignore", "own\n"),
        ("app/src/", ""),
    ]);
    let rules = IgnoreRules::new(&repository.root().join("app"), &RuleFiles::default());
    let ignored = ["a.log", "src/a.tmp", "out", "own", "src/out", "src/a.rs"]
        .map(|path| rules.is_ignored(Path::new(path), Kind::File));
    assert_eq!(ignored, [true, true, true, true, false, false]);
}

#[test]
fn a_repository_in_a_repository_has_only_its_own_rules() {
    let project = Project::repository(&[
        (".gitignore", "*.log\n"),
        ("module/.git", "gitdir: ../.git/modules/module\n"),
        ("module/.gitignore", "*.tmp\n"),
        (".git/modules/module/info/exclude", "mine\n"),
    ]);
    check(
        &project,
        &RuleFiles::default(),
        &["a.log", "module/a.tmp", "module/mine"],
        &["module/a.log", "a.tmp", "mine"],
    );
}

#[test]
fn a_worktree_shares_the_exclude_file_of_its_repository() {
    let project = Project::new(&[
        ("main/.git/info/exclude", "private\n"),
        ("main/.git/worktrees/two/commondir", "../..\n"),
        ("two/.git", "gitdir: ../main/.git/worktrees/two\n"),
    ]);
    check(
        &project,
        &RuleFiles::default(),
        &["two/private", "main/private"],
        &["private"],
    );
}

#[test]
fn the_agents_file_counts_in_the_root_only_and_without_a_repository() {
    let project = Project::new(&[
        (".geminiignore", "secret/\n"),
        ("src/.geminiignore", "*.rs\n"),
    ]);
    check(
        &project,
        &RuleFiles::default(),
        &["secret/", "secret/a", "src/secret/a"],
        &["src/a.rs", "secret"],
    );
}

#[test]
fn the_agents_file_can_bring_back_what_git_ignores() {
    let project = Project::repository(&[
        (".gitignore", "dist/\n*.log\n"),
        (".geminiignore", "!dist/\n!keep.log\nsecret\n"),
    ]);
    check(
        &project,
        &RuleFiles::default(),
        &["a.log", "dist/a.log", "secret"],
        &["dist/", "dist/a.js", "keep.log", "dist/keep.log"],
    );
}

#[test]
fn of_the_custom_files_the_first_is_the_strongest() {
    let project = Project::repository(&[
        (".gitignore", "a\n"),
        (".geminiignore", "b\n!a\n"),
        ("first", "!b\n"),
        ("second", "b\nc\na\n"),
    ]);
    check(&project, &custom(&["first", "second"]), &["a", "c"], &["b"]);
    check(
        &project,
        &custom(&["second", "first"]),
        &["a", "b", "c"],
        &[],
    );
    check(&project, &custom(&["missing"]), &["b"], &["a", "c"]);
}

#[test]
fn with_one_kind_switched_off_each_of_the_others_decides_alone() {
    let project = Project::repository(&[
        (".gitignore", "a\n"),
        (".geminiignore", "b\n!a\n"),
        ("custom", "c\n!b\n!a\n"),
    ]);
    let files = |git, gemini| RuleFiles {
        git,
        gemini,
        custom: vec!["custom".into()],
    };
    check(
        &project,
        &files(Respect::Yes, Respect::Yes),
        &["c"],
        &["a", "b"],
    );
    check(
        &project,
        &files(Respect::Yes, Respect::No),
        &["a", "c"],
        &["b"],
    );
    check(
        &project,
        &files(Respect::No, Respect::Yes),
        &["b", "c"],
        &["a"],
    );
    check(
        &project,
        &files(Respect::No, Respect::No),
        &["c"],
        &["a", "b"],
    );
    check(&project, &RuleFiles::none(), &[], &["a", "b", "c"]);
}

#[test]
fn a_link_is_ignored_when_its_end_is_ignored_or_outside() {
    let outside = Project::new(&[("a.txt", "")]);
    let project = Project::repository(&[
        (".gitignore", "hidden*\n"),
        ("open.txt", ""),
        ("hidden.txt", ""),
        (".env", ""),
        ("folder/a.txt", ""),
    ]);
    project.link("to_open", "open.txt");
    project.link("to_hidden", "hidden.txt");
    project.link("to_closed", ".env");
    project.link("out", outside.root());
    project.link("out_file", outside.root().join("a.txt"));
    project.link("inside", "folder");
    project.link("nowhere", "missing.txt");
    check(
        &project,
        &RuleFiles::none(),
        &["to_closed", "out/", "out/a.txt", "out/new.txt", "out_file"],
        &[
            "to_open",
            "to_hidden",
            "inside/",
            "inside/a.txt",
            "inside/new.txt",
            "nowhere",
        ],
    );
    check(
        &project,
        &RuleFiles::default(),
        &["to_hidden"],
        &["to_open"],
    );
}

#[test]
fn paths_are_taken_however_they_are_spelled() {
    let project = Project::repository(&[(".gitignore", "/src/gen\n")]);
    let absolute = project.root().join("src/gen");
    let absolute = absolute.to_str().unwrap();
    check(
        &project,
        &RuleFiles::default(),
        &[absolute, "./src/gen", "src/./gen", "src/x/../gen"],
        &["gen", "/src/gen", "src/../gen"],
    );
}
