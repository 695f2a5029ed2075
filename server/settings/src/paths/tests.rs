use super::*;

#[test]
fn a_path_that_does_not_exist_loses_only_its_dots() {
    assert_eq!(
        real(Path::new("/no-such-root/a/./b/../c")),
        Path::new("/no-such-root/a/c")
    );
}

#[cfg(unix)]
#[test]
fn a_link_above_a_missing_file_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let base = std::fs::canonicalize(dir.path()).unwrap();
    std::fs::create_dir(base.join("target")).unwrap();
    std::os::unix::fs::symlink(base.join("target"), base.join("link")).unwrap();
    assert_eq!(
        real(&base.join("link/new/file")),
        base.join("target/new/file")
    );
}
