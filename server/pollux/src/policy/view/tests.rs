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
fn a_bare_repository_and_settings_with_programs_are_seen() {
    let (_folder, root) = folder();
    let roots = [root.clone()];
    let view = DiskView { roots: &roots };
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
    for config in [
        "[diff \"pdf\"]\n\ttextconv = ./x\n",
        "[filter \"a\"] clean = ./x\n",
        "[include]\n path = ../evil\n",
        "[core]\n\tFSMonitor = ./x\n",
    ] {
        fs::write(root.join(".git/config"), config).unwrap();
        assert_eq!(
            view.git_repository(&root),
            GitRepository::RunsPrograms,
            "{config}"
        );
    }
}

#[test]
fn secrets_links_and_options_among_the_files_are_seen() {
    let (_folder, root) = folder();
    let roots = [root.clone()];
    let view = DiskView { roots: &roots };
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
