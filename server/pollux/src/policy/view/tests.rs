use std::fs;
use std::os::unix::fs::symlink;

use super::*;

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    (folder, root)
}

#[test]
fn a_dangling_link_leads_where_it_points() {
    let (_folder, root) = folder();
    fs::create_dir(root.join("sub")).unwrap();
    symlink("/nowhere/at/all", root.join("sub/rc")).unwrap();
    symlink("sub/rc", root.join("again")).unwrap();
    assert_eq!(
        resolve(&root.join("sub/rc")),
        Some(PathBuf::from("/nowhere/at/all"))
    );
    assert_eq!(
        resolve(&root.join("again")),
        Some(PathBuf::from("/nowhere/at/all"))
    );
    assert_eq!(resolve(&root.join("new/file")), Some(root.join("new/file")));
    symlink("loop", root.join("loop")).unwrap();
    assert_eq!(resolve(&root.join("loop")), None);
}

#[test]
fn a_bare_repository_among_the_files_is_seen() {
    let (_folder, root) = folder();
    let roots = [root.clone()];
    let environment = CommandEnvironment::default();
    let view = DiskView {
        roots: &roots,
        environment: &environment,
    };
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::create_dir_all(root.join("docs/objects")).unwrap();
    fs::write(
        root.join(".git/config"),
        "[core]\n\tbare = false\n[submodule \"a\"]\n\tpath = a\n",
    )
    .unwrap();
    assert_eq!(view.git_repository(&root), GitRepository::Plain);
    assert_eq!(
        view.git_repository(&root.join("docs")),
        GitRepository::Plain
    );
    fs::write(root.join("docs/HEAD"), "ref: refs/heads/main\n").unwrap();
    assert_eq!(
        view.git_repository(&root.join("docs")),
        GitRepository::RunsPrograms
    );
}

#[test]
fn secrets_links_and_options_among_the_files_are_seen() {
    let (_folder, root) = folder();
    let roots = [root.clone()];
    let environment = CommandEnvironment::default();
    let view = DiskView {
        roots: &roots,
        environment: &environment,
    };
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::write(root.join("src/deep/a.rs"), "").unwrap();
    assert!(view.is_free_of_secrets(&root, HiddenFiles::Included));
    fs::write(root.join(".env"), "KEY=1").unwrap();
    assert!(!view.is_free_of_secrets(&root, HiddenFiles::Included));
    assert!(view.is_free_of_secrets(&root, HiddenFiles::Skipped));
    assert!(view.is_free_of_secrets(&root.join("src"), HiddenFiles::Included));
    symlink("/etc", root.join("src/deep/etc")).unwrap();
    assert!(!view.is_free_of_secrets(&root.join("src"), HiddenFiles::Included));
    fs::remove_file(root.join("src/deep/etc")).unwrap();
    fs::write(root.join("src/--pre=x"), "").unwrap();
    assert!(!view.is_free_of_secrets(&root.join("src"), HiddenFiles::Included));
}

#[test]
fn packages_are_looked_at_for_programs_that_follow_links() {
    let (_folder, root) = folder();
    let roots = [root.clone()];
    let environment = CommandEnvironment::default();
    let view = DiskView {
        roots: &roots,
        environment: &environment,
    };
    fs::create_dir_all(root.join("node_modules")).unwrap();
    symlink("/etc/passwd", root.join("node_modules/readme")).unwrap();
    assert!(view.is_free_of_secrets(&root, HiddenFiles::Included));
    assert!(!view.is_free_of_secrets(&root, HiddenFiles::IncludedWithPackages));
}

#[test]
fn programs_of_the_workspace_are_told_from_others() {
    let (_folder, root) = folder();
    let (_other, elsewhere) = folder();
    let roots = [root.clone()];
    for folder in [&root, &elsewhere] {
        fs::create_dir(folder.join("bin")).unwrap();
        fs::write(folder.join("bin/rg"), "").unwrap();
    }
    fs::write(root.join("bin/ls"), "").unwrap();
    let is_of_workspace = |path: &str, name: &str| {
        let environment: CommandEnvironment =
            [("PATH", path), ("token", "x")].into_iter().collect();
        let view = DiskView {
            roots: &roots,
            environment: &environment,
        };
        assert!(view.has_variable("token") && !view.has_variable("other"));
        view.is_program_of_workspace(name)
    };
    let (inside, outside) = (root.join("bin"), elsewhere.join("bin"));
    let inside_first = format!("{}:{}", inside.display(), outside.display());
    let outside_first = format!("{}:{}", outside.display(), inside.display());
    assert!(is_of_workspace(&inside_first, "rg"));
    assert!(!is_of_workspace(&outside_first, "rg"));
    assert!(is_of_workspace(&outside_first, "ls"));
    assert!(is_of_workspace("bin:/usr/bin", "rg"));
    assert!(is_of_workspace(":/usr/bin", "rg"));
    assert!(!is_of_workspace(&outside_first, "no-such-program"));
    symlink(root.join("bin/ls"), outside.join("cat")).unwrap();
    assert!(is_of_workspace(&outside_first, "cat"));
}
