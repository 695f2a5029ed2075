use std::path::{Path, PathBuf};

use super::*;
use crate::shell::parse;

fn safety(command: &str, view: &dyn WorkspaceView) -> Safety {
    let roots = [PathBuf::from("/a/b"), PathBuf::from("/c")];
    let place = Place {
        cwd: Path::new("/a/b/sub"),
        roots: &roots,
        view,
    };
    judge(&parse(command).unwrap(), &place)
}

fn as_written(path: &Path) -> Option<PathBuf> {
    Some(path.to_owned())
}

#[test]
fn paths_may_lead_to_every_folder_of_the_workspace() {
    assert_eq!(safety("cat x ../y /c/z", &as_written), Safety::KnownSafe);
    assert_eq!(safety("cat ../../y", &as_written), Safety::Ordinary);
    assert_eq!(safety("cat /cc/z", &as_written), Safety::Ordinary);
    assert_eq!(safety("cat /c/../d", &as_written), Safety::Ordinary);
}

#[test]
fn a_path_that_cannot_be_followed_is_not_harmless() {
    assert_eq!(safety("cat x", &|_: &Path| None), Safety::Ordinary);
    assert_eq!(
        safety("cat x", &|_: &Path| Some(PathBuf::from("/etc/passwd"))),
        Safety::Ordinary
    );
    assert_eq!(safety("pwd", &|_: &Path| None), Safety::KnownSafe);
}

#[test]
fn a_cd_moves_the_paths_that_follow() {
    assert_eq!(safety("cd ..; cat ../x", &as_written), Safety::Ordinary);
    assert_eq!(safety("cat ../x; cd ..", &as_written), Safety::KnownSafe);
    assert_eq!(
        safety("cd ..; bash -c 'cat ../x'", &as_written),
        Safety::Ordinary
    );
    assert_eq!(safety("cd ..; cat < ../x", &as_written), Safety::Ordinary);
}

#[test]
fn a_wrapper_alone_is_as_bad_as_what_it_runs() {
    let place = Place {
        cwd: Path::new("/a"),
        roots: &[PathBuf::from("/a")],
        view: &as_written,
    };
    let first = |command: &str| classify(&parse(command).unwrap().commands[0], &place);
    assert_eq!(first("bash -c 'ls; pwd'"), Safety::KnownSafe);
    assert_eq!(first("timeout 5 nice ls"), Safety::KnownSafe);
    assert_eq!(first("bash -c 'ls; npm i'"), Safety::Ordinary);
    assert!(matches!(
        first("bash -c 'ls; rm -rf x'"),
        Safety::Dangerous { .. }
    ));
    assert!(matches!(
        first("sudo nice rm -rf x"),
        Safety::Dangerous { .. }
    ));
    assert!(matches!(
        first("env bash -c 'eval \"rm -rf x\"'"),
        Safety::Dangerous { .. }
    ));
}
