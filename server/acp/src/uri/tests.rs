use proptest::prelude::*;

use super::*;

#[test]
fn files_are_found_with_their_lines() {
    let place = |path: &str, lines| {
        Some(FilePlace {
            path: PathBuf::from(path),
            lines,
        })
    };
    for (uri, expected) in [
        ("file:///w/a.rs", place("/w/a.rs", None)),
        ("FILE://localhost/w/a%20b", place("/w/a b", None)),
        ("file:/w/./x/../a", place("/w/a", None)),
        ("file:///w/a#L3", place("/w/a", Some(3..=3))),
        ("file:///w/a#L3:9", place("/w/a", Some(3..=9))),
        ("file:///w/a#L3-L9", place("/w/a", Some(3..=9))),
        ("file:///w/a?symbol=x#L3:4", place("/w/a", Some(3..=4))),
        ("file:///w/a#L9:3", place("/w/a", None)),
        ("file:///w/a#other", place("/w/a", None)),
        ("file:w/a", None),
        ("https://example.com/a", None),
        ("zed:///agent/thread/1", None),
        ("no uri", None),
        ("file:///%ff", None),
    ] {
        assert_eq!(file(uri), expected, "{uri}");
    }
}

proptest! {
    #[test]
    fn no_text_is_too_odd_and_no_path_leads_upwards(text in "(file:)?[/.a#L0-9:%?-]{0,30}") {
        if let Some(place) = file(&text) {
            prop_assert!(place.path.is_absolute());
            prop_assert!(!place.path.components().any(|part| part == Component::ParentDir));
        }
    }
}
