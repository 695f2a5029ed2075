use expect_test::expect;
use proptest::prelude::*;

use super::*;

#[test]
fn comments_become_spaces_and_strings_stay() {
    let table = [
        "{} // end",
        "{ /* é */ }",
        r#"{"url": "http://x/*y*/"}"#,
        r#"{"a": "\"// not"}"#,
        r#"{"a": "\\"} // real"#,
        "/* a\r\n b */{}",
        "// one\r{}",
        "/**/1/***/2/*/ */3",
        "{} /* open",
        "\u{feff}{}",
        "/ /",
    ];
    let rows: Vec<String> = table
        .iter()
        .map(|text| {
            let blanked = blank(text);
            format!("{text:?} -> {:?} {:?}", blanked.text, blanked.unclosed)
        })
        .collect();
    expect![[r#"
        "{} // end" -> "{}       " None
        "{ /* é */ }" -> "{          }" None
        "{\"url\": \"http://x/*y*/\"}" -> "{\"url\": \"http://x/*y*/\"}" None
        "{\"a\": \"\\\"// not\"}" -> "{\"a\": \"\\\"// not\"}" None
        "{\"a\": \"\\\\\"} // real" -> "{\"a\": \"\\\\\"}        " None
        "/* a\r\n b */{}" -> "    \r\n     {}" None
        "// one\r{}" -> "      \r{}" None
        "/**/1/***/2/*/ */3" -> "    1     2      3" None
        "{} /* open" -> "{}        " Some(3)
        "\u{feff}{}" -> "   {}" None
        "/ /" -> "/ /" None"#]]
    .assert_eq(&rows.join("\n"));
}

proptest! {
    #[test]
    fn blanking_moves_nothing_and_drops_no_line_break(text in r#"[/*"\\a\n\ré\u{feff}{}:, ]{0,60}"#) {
        let blanked = blank(&text);
        prop_assert_eq!(blanked.text.len(), text.len());
        for (before, after) in text.bytes().zip(blanked.text.bytes()) {
            let hidden = after == b' ' && before != b'\n' && before != b'\r';
            prop_assert!(before == after || hidden);
        }
    }

    #[test]
    fn blanking_arbitrary_text_never_panics(text in any::<String>()) {
        prop_assert_eq!(blank(&text).text.len(), text.len());
    }
}
