use super::*;

#[test]
fn an_id_becomes_one_harmless_segment_of_a_path() {
    for (id, segment) in [
        ("1234abcd-00_Z", Some("1234abcd-00_Z")),
        ("../../etc/passwd", Some("______etc_passwd")),
        ("a b\\c:d\0é", Some("a_b_c_d__")),
        ("...", Some("___")),
        ("", None),
        (".", None),
        ("..", None),
    ] {
        assert_eq!(SessionId::new(id).file_segment().as_deref(), segment);
    }
}

#[test]
fn random_ids_are_uuids_and_differ() {
    let first = SessionId::generate(&mut RandomIds);
    assert_eq!(first.as_str().len(), 36);
    assert_ne!(first, SessionId::generate(&mut RandomIds));
}
