use super::*;

fn refused(kind: AccessKind, path: Option<&str>) -> String {
    let path = path.map(PathBuf::from);
    RefusedAccess { kind, path }.to_string()
}

#[test]
fn a_refused_access_reads_as_a_verb_phrase() {
    assert_eq!(
        refused(AccessKind::Remove, Some("/w/file")),
        "remove /w/file"
    );
    assert_eq!(refused(AccessKind::Network, None), "use the network");
    assert_eq!(refused(AccessKind::Write, None), "write a file");
}

#[test]
fn every_kind_survives_the_way_from_the_guard() {
    for (kind, word, _) in WORDS {
        assert_eq!(AccessKind::from_word(kind.to_word()), Some(*kind), "{word}");
    }
    assert_eq!(AccessKind::from_word("everything"), None);
}
