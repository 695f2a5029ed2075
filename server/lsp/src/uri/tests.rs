use proptest::prelude::*;

use super::*;

#[test]
fn the_same_file_written_differently_is_the_same_document() {
    let expected = document_key("file:///home/u/a%20b/%5Bid%5D.rs");
    for uri in [
        "file:///home/u/a b/[id].rs",
        "file:/home/u/a%20b/%5bid%5d.rs",
        "FILE:///home/u/./a%20b//[id].rs",
        "file://localhost/home/u/c/../a%20b/[id].rs",
    ] {
        assert_eq!(document_key(uri), expected, "{uri}");
    }
}

#[test]
fn what_is_no_file_of_this_machine_is_a_virtual_document() {
    for uri in [
        "untitled:Untitled-1",
        "git:/a",
        "file:relative",
        "nonsense",
        "",
    ] {
        assert_eq!(document_key(uri), DocumentKey::Virtual(uri.to_owned()));
    }
}

proptest! {
    #[test]
    fn a_path_survives_the_way_through_a_uri(names in prop::collection::vec("[^/\0]{1,8}", 1..4)) {
        let path = normalized(&PathBuf::from(format!("/{}", names.join("/"))));
        prop_assert_eq!(file_path(&from_path(&path)), Some(path));
    }

    #[test]
    fn no_text_makes_it_panic(uri in any::<String>()) {
        document_key(&uri);
        document_key(&format!("file:{uri}"));
    }
}
