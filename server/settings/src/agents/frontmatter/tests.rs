use proptest::prelude::*;

use super::*;

fn parts(text: &str) -> Option<(&str, &str)> {
    split(text).map(|parts| (parts.head, parts.body))
}

#[test]
fn the_head_stands_between_two_lines_of_dashes() {
    assert_eq!(
        parts("---\nname: a\n---\n\nBody\n"),
        Some(("name: a\n", "Body"))
    );
    assert_eq!(parts("---\nname: a\n---"), Some(("name: a\n", "")));
    assert_eq!(parts("---\n---\nBody"), Some(("", "Body")));
    assert_eq!(
        parts("---\na: 1\n---\nBody\n---\nmore"),
        Some(("a: 1\n", "Body\n---\nmore"))
    );
}

#[test]
fn line_ends_and_a_byte_order_mark_make_no_difference() {
    assert_eq!(
        parts("\u{feff}---\r\nname: a\r\n---\r\nBody\r\n"),
        Some(("name: a\r\n", "Body"))
    );
}

#[test]
fn without_both_lines_there_is_no_head() {
    for text in [
        "",
        "---",
        "---\nname: a\n",
        "Body\n---\n---\n",
        "\n---\n---\n",
        "----\na\n---\n",
        "---\na\n --- \n",
    ] {
        assert_eq!(parts(text), None, "{text:?}");
    }
}

proptest! {
    #[test]
    fn nothing_of_a_file_gets_lost(head in "[a-z: \n]{0,30}", body in "[a-z\\-\n]{0,30}") {
        let text = format!("---\n{head}\n---\n{body}");
        let head = format!("{head}\n");
        prop_assert_eq!(parts(&text), Some((head.as_str(), body.trim())));
    }

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        parts(&text);
    }
}
