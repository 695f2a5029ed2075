use super::*;

/// An ordinary repository with these settings.
fn repository(settings: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    make(&root.join(".git"), settings);
    (folder, root)
}

fn make(git: &Path, settings: &str) {
    fs::create_dir_all(git.join("objects")).unwrap();
    fs::create_dir_all(git.join("refs")).unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(git.join("config"), settings).unwrap();
}

#[test]
fn settings_that_name_programs_are_found_however_they_are_written() {
    for settings in [
        "[diff \"pdf\"]\n\ttextconv = ./x\n",
        "[diff \"a]\"] textconv = ./x\n",
        "[diff \"a=b\"] TextConv=./x\n",
        "\u{feff}[core] fsmonitor = ./x\n",
        "[filter \"a\"] clean = ./x\n",
        "[include]\n path = ../evil\n",
        "[includeIf \"gitdir:**\"] path = ../evil\n",
        "[core]\n\tFSMonitor = ./x\n",
        "[pager]\n\tlog = ./x\n",
        "[remote \"origin\"]\n\tpromisor = true\n\tuploadpack = ./x\n",
        "[remote \"origin\"]\n\turl = ext::./x\n",
        "[gpg \"ssh\"] program = ./x\n",
    ] {
        let (_folder, root) = repository(settings);
        assert_eq!(found_from(&root), GitRepository::RunsPrograms, "{settings}");
    }
    for settings in [
        "",
        "[core]\n\tbare = false\n\tfsmonitor = false\n[submodule \"a\"]\n\tpath = a\n",
        "[remote \"origin\"]\n\turl = https://example.com/x.git\n[branch \"main\"]\n\tremote = origin\n",
    ] {
        let (_folder, root) = repository(settings);
        assert_eq!(found_from(&root), GitRepository::Plain, "{settings}");
    }
}

#[test]
fn the_hook_of_reading_commands_is_found_where_the_settings_say() {
    let (_folder, root) = repository("[core]\n\thooksPath = .husky/_\n");
    fs::create_dir_all(root.join(".husky/_")).unwrap();
    fs::write(root.join(".husky/_/pre-commit"), "").unwrap();
    assert_eq!(found_from(&root), GitRepository::Plain);
    fs::write(root.join(".husky/_/post-index-change"), "").unwrap();
    assert_eq!(found_from(&root), GitRepository::RunsPrograms);
    let (_folder, root) = repository("");
    fs::create_dir(root.join(".git/hooks")).unwrap();
    fs::write(root.join(".git/hooks/post-index-change"), "").unwrap();
    assert_eq!(found_from(&root), GitRepository::RunsPrograms);
}

#[test]
fn a_folder_that_git_passes_by_hides_nothing() {
    let (_folder, root) = repository("[core]\n\tfsmonitor = ./x\n");
    fs::create_dir_all(root.join("sub/.git")).unwrap();
    assert_eq!(found_from(&root.join("sub")), GitRepository::RunsPrograms);

    let (_folder, root) = repository("");
    make(&root.join("docs"), "");
    fs::create_dir_all(root.join("docs/.git")).unwrap();
    assert_eq!(found_from(&root.join("docs")), GitRepository::RunsPrograms);
    assert_eq!(found_from(&root), GitRepository::Plain);
}

#[test]
fn settings_are_followed_to_where_they_are_shared() {
    let (_folder, root) = repository("");
    make(&root.join("evil"), "[core]\n\tfsmonitor = ./x\n");
    fs::write(root.join(".git/commondir"), "../evil\n").unwrap();
    assert_eq!(found_from(&root), GitRepository::RunsPrograms);
}

/// An entry of version 2, with its path in a field of eight bytes.
fn index(mode: u32, path: &str) -> Vec<u8> {
    let mut bytes = [
        b"DIRC".as_slice(),
        &2_u32.to_be_bytes(),
        &1_u32.to_be_bytes(),
    ]
    .concat();
    bytes.extend([0; 24]);
    bytes.extend(mode.to_be_bytes());
    bytes.extend([0; 32]);
    bytes.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
    bytes.extend(path.as_bytes());
    bytes.extend(vec![0; 8 - (62 + path.len()) % 8]);
    bytes.extend([0; 20]);
    bytes
}

#[test]
fn submodules_are_looked_at_too() {
    let (_folder, root) = repository("");
    make(&root.join("sub/.git"), "[core]\n\tfsmonitor = ./x\n");
    fs::write(root.join(".git/index"), index(0o100_644, "sub")).unwrap();
    assert_eq!(found_from(&root), GitRepository::Plain);
    fs::write(root.join(".git/index"), index(0o160_000, "sub")).unwrap();
    assert_eq!(found_from(&root), GitRepository::RunsPrograms);
    make(&root.join("sub/.git"), "");
    assert_eq!(found_from(&root), GitRepository::Plain);
    fs::write(root.join(".git/index"), "DIRC and nothing more").unwrap();
    assert_eq!(found_from(&root), GitRepository::RunsPrograms);
}
