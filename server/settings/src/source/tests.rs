use expect_test::expect;

use super::*;

/// A source that was never on a disk.
pub(crate) fn source(bytes: &[u8]) -> Result<Source, Problem> {
    decode(Path::new("/f"), bytes.to_vec(), SIZE_LIMIT)
}

#[test]
fn other_encodings_are_named_with_their_place() {
    let table: [&[u8]; 5] = [
        b"{\"a\": \"caf\xe9\"}",
        b"{\n\xc3\xa9 \xff",
        b"\xff\xfe{\0}\0",
        b"\xfe\xff\0{\0}",
        b"\xc3",
    ];
    let lines: Vec<String> = table
        .iter()
        .map(|bytes| source(bytes).err().unwrap().to_string())
        .collect();
    expect![[r#"
        /f:1:11: this byte is not valid UTF-8 (save the file as UTF-8)
        /f:2:3: this byte is not valid UTF-8 (save the file as UTF-8)
        /f:1:1: is written in UTF-16 (save it as UTF-8)
        /f:1:1: is written in UTF-16 (save it as UTF-8)
        /f:1:1: this byte is not valid UTF-8 (save the file as UTF-8)"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn what_is_not_there_is_no_problem_and_what_is_not_a_file_is_one() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert!(read(&dir.path().join("missing")).unwrap().is_none());
    assert!(read(&file.join("below-a-file")).unwrap().is_none());
    assert!(read(dir.path()).is_err());
    assert_eq!(read(&file).unwrap().unwrap().text, "x");
}

#[test]
fn a_huge_file_is_refused_without_being_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("huge");
    File::create(&path)
        .unwrap()
        .set_len(SIZE_LIMIT * 4)
        .unwrap();
    let problem = read(&path).err().unwrap();
    assert_eq!(problem.message, "is larger than 8 MiB");
}
