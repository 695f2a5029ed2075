use expect_test::expect;

use super::*;

#[test]
fn an_archive_has_its_files_at_the_top_and_its_checksums_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("pollux");
    let licence = folder.path().join("LICENSE");
    fs::write(&program, "program").unwrap();
    fs::write(&licence, "terms").unwrap();
    let dist = folder.path().join("dist");
    let archive = pack(&dist, "pollux-1.2.3-some-triple", &[program, licence]).unwrap();

    let listed = shell::answer(shell::program("tar").arg("-tzf").arg(&archive)).unwrap();
    expect![[r#"
        pollux
        LICENSE
    "#]]
    .assert_eq(&listed);
    let checksum = fs::read_to_string(dist.join("pollux-1.2.3-some-triple.sha256")).unwrap();
    expect![[r#"
        1310ca2c8932dbd118668bd97442558a3e1f546b5e15c69699dfbd6024f548d8  pollux
    "#]]
    .assert_eq(&checksum);
    let mut check = shell::program("sha256sum");
    check.current_dir(&dist).arg("--check");
    assert!(shell::answers(
        check.arg("pollux-1.2.3-some-triple.tar.gz.sha256")
    ));
    assert_eq!(fs::read_dir(&dist).unwrap().count(), 3);
}
