//! The tables speak of absolute paths as Unix writes them.
#![cfg(unix)]

use std::time::Duration;

use expect_test::expect;
use tempfile::TempDir;

use super::*;

const NO_WAIT: Patience = Patience {
    attempts: 2,
    pause: Duration::ZERO,
};

fn rules_file(text: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("trustedFolders.json");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

fn names_in(dir: &TempDir) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_first_rule_makes_a_private_file() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".gemini/trustedFolders.json");
    record_trust(&path, Path::new("/no-such/w"), TrustLevel::TrustFolder).unwrap();
    expect![[r#"
        {
          "/no-such/w": "TRUST_FOLDER"
        }
    "#]]
    .assert_eq(&std::fs::read_to_string(&path).unwrap());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
}

#[test]
fn one_rule_changes_and_the_rest_of_the_file_does_not() {
    let (dir, path) = rules_file("{\n  // mine\n  \"/no-such/w/\": \"TRUST_FOLDER\" // w\n}\n");
    record_trust(&path, Path::new("/no-such/w"), TrustLevel::DoNotTrust).unwrap();
    record_trust(&path, Path::new("/no-such/v"), TrustLevel::TrustParent).unwrap();
    expect![[r#"
        {
          // mine
          "/no-such/w/": "DO_NOT_TRUST", // w
          "/no-such/v": "TRUST_PARENT"
        }
    "#]]
    .assert_eq(&std::fs::read_to_string(&path).unwrap());
    assert_eq!(names_in(&dir), ["trustedFolders.json"]);
}

#[test]
fn a_broken_file_is_refused_and_left_alone() {
    for text in [
        "{\"/a\": \"TRUST_FOLDER\",}",
        "{\"/a\": \"MAYBE\"}",
        "",
        "[]",
    ] {
        let (dir, path) = rules_file(text);
        let error = record_trust(&path, Path::new("/w"), TrustLevel::TrustFolder).unwrap_err();
        assert!(matches!(error, RecordTrustError::BrokenRules(_)), "{error}");
        assert!(!error.is_retryable());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(names_in(&dir), ["trustedFolders.json"]);
    }
}

#[test]
fn a_writer_that_finds_the_lock_taken_gives_up_and_says_so() {
    let (dir, path) = rules_file("{}");
    std::fs::create_dir(dir.path().join("trustedFolders.json.lock")).unwrap();
    let error = record(&path, Path::new("/w"), TrustLevel::TrustFolder, NO_WAIT).unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}");
    assert!(dir.path().join("trustedFolders.json.lock").exists());
}

#[test]
fn a_link_to_the_rules_stays_a_link() {
    let (dir, path) = rules_file("{}");
    let link = dir.path().join("link.json");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    record_trust(&link, Path::new("/w"), TrustLevel::TrustFolder).unwrap();
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&path).unwrap().contains("/w"));
}

#[test]
fn a_relative_folder_is_refused() {
    let (_dir, path) = rules_file("{}");
    let error = record_trust(&path, Path::new("no-such/w"), TrustLevel::TrustFolder).unwrap_err();
    assert!(matches!(error, RecordTrustError::UnsuitableFolder { .. }));
}
