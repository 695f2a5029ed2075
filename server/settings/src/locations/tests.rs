//! The tables speak of absolute paths as Unix writes them.
#![cfg(unix)]

use expect_test::{Expect, expect};

use super::*;

fn check(variables: &[(&str, &str)], expected: Expect) {
    let environment = Environment::from_iter(variables.iter().copied());
    let found = Locations::new(&environment, Path::new("/no-such-folder/w"));
    let rows = [
        ("system defaults", &found.system_defaults),
        ("user", &found.user),
        ("workspace", &found.workspace),
        ("system", &found.system),
        ("trust", &found.trusted_folders),
        ("projects", &found.projects),
    ];
    let text: String = rows
        .iter()
        .map(|(name, path)| format!("{name}: {}\n", path.display()))
        .collect();
    expected.assert_eq(&text);
}

#[cfg(target_os = "linux")]
#[test]
fn the_files_of_an_ordinary_linux_user() {
    check(
        &[("HOME", "/home/u")],
        expect![[r#"
            system defaults: /etc/gemini-cli/system-defaults.json
            user: /home/u/.gemini/settings.json
            workspace: /no-such-folder/w/.gemini/settings.json
            system: /etc/gemini-cli/settings.json
            trust: /home/u/.gemini/trustedFolders.json
            projects: /home/u/.gemini/projects.json
        "#]],
    );
}

#[test]
fn every_file_can_be_moved_by_its_variable() {
    check(
        &[
            ("HOME", "/home/u"),
            ("GEMINI_CLI_HOME", "/elsewhere"),
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/managed/s.json"),
            ("GEMINI_CLI_TRUSTED_FOLDERS_PATH", "relative/t.json"),
        ],
        expect![[r#"
            system defaults: /managed/system-defaults.json
            user: /elsewhere/.gemini/settings.json
            workspace: /no-such-folder/w/.gemini/settings.json
            system: /managed/s.json
            trust: /no-such-folder/w/relative/t.json
            projects: /elsewhere/.gemini/projects.json
        "#]],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn state_moves_to_the_cache_inside_a_sandbox_and_to_tmp_without_a_home() {
    check(
        &[("SANDBOX", "sandbox-exec"), ("TMPDIR", "/scratch")],
        expect![[r#"
            system defaults: /etc/gemini-cli/system-defaults.json
            user: /scratch/.gemini/settings.json
            workspace: /no-such-folder/w/.gemini/settings.json
            system: /etc/gemini-cli/settings.json
            trust: /scratch/.cache/.gemini/trustedFolders.json
            projects: /scratch/.cache/.gemini/projects.json
        "#]],
    );
}

#[test]
fn a_link_to_the_home_folder_is_the_home_folder() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let link = dir.path().join("link");
    std::fs::create_dir(&home).unwrap();
    std::os::unix::fs::symlink(&home, &link).unwrap();
    let environment = Environment::from_iter([("HOME", home.to_str().unwrap())]);
    let is_home = |folder: &Path| Locations::new(&environment, folder).workspace_is_home;
    assert_eq!(is_home(&link), WorkspaceIsHome::Yes);
    assert_eq!(is_home(&home), WorkspaceIsHome::Yes);
    assert_eq!(is_home(dir.path()), WorkspaceIsHome::No);
}
