use proptest::prelude::*;

use super::{Address, file_uri};

#[test]
fn addresses_are_read_as_they_are_listed() {
    assert_eq!(
        Address::parse("pollux://hunks/src/a%20b.rs"),
        Some(Address::FileHunks("src/a b.rs".to_owned()))
    );
    assert_eq!(Address::parse("pollux://hunks"), Some(Address::Hunks));
    assert_eq!(file_uri("src/ä b.rs"), "pollux://file/src/%C3%A4%20b.rs");
    for none in [
        "",
        "pollux://file/",
        "pollux://other",
        "file:///etc/passwd",
        "pollux://file/%ff",
    ] {
        assert_eq!(Address::parse(none), None, "{none}");
    }
}

proptest! {
    #[test]
    fn every_name_survives_its_address(name in "\\PC{1,40}") {
        prop_assert_eq!(Address::parse(&file_uri(&name)), Some(Address::File(name)));
    }

    #[test]
    fn no_address_is_too_strange(uri in "(pollux://(file|hunks)/)?\\PC{0,40}") {
        let _any = Address::parse(&uri);
    }
}
