use super::*;

#[test]
fn a_full_file_is_put_aside_and_nothing_newer_is_lost() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("deep/host.log");
    let log = RotatingFile::open(&path, 100).unwrap();
    for number in 0..50 {
        log.write(format!("line {number:04}\n").as_bytes()).unwrap();
    }
    let (now, aside) = (
        fs::read_to_string(&path).unwrap(),
        fs::read_to_string(path.with_extension("log.1")).unwrap(),
    );
    assert!(now.len() <= 100 && aside.len() <= 100);
    assert!(format!("{aside}{now}").ends_with("line 0047\nline 0048\nline 0049\n"));
}

#[test]
fn an_older_file_is_added_to() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("host.log");
    for _ in 0..2 {
        let log = RotatingFile::open(&path, 100).unwrap();
        log.write(b"started\n").unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "started\nstarted\n");
}
