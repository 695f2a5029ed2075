use proptest::prelude::*;

use super::*;

fn spot(line: usize, symbol: Option<&str>, column: Option<usize>) -> Spot {
    Spot {
        path: "a.rs".to_owned(),
        line,
        symbol: symbol.map(str::to_owned),
        column,
    }
}

const TEXT: &str = "let padding = add(1);\r\nlet 😀é = add;\n";

#[test]
fn a_name_is_found_as_a_whole_word_and_counted_as_the_editor_counts() {
    let at = |encoding| spot(2, Some("add"), None).find(TEXT, encoding).unwrap();
    let columns = [
        PositionEncoding::Utf8,
        PositionEncoding::Utf16,
        PositionEncoding::Utf32,
    ]
    .map(|encoding| at(encoding).character);
    assert_eq!(columns, [13, 10, 9]);
    let first = spot(1, Some("add"), None).find(TEXT, PositionEncoding::Utf8);
    assert_eq!(
        first,
        Ok(Position {
            line: 0,
            character: 14
        })
    );
    let end = spot(1, None, Some(22)).find(TEXT, PositionEncoding::Utf8);
    assert_eq!(end.map(|end| end.character), Ok(21));
}

#[test]
fn what_is_not_there_is_named() {
    let lost = |spot: Spot| spot.find(TEXT, PositionEncoding::Utf16).unwrap_err();
    assert_eq!(lost(spot(3, None, Some(1))), NoSpot::Line(3, 2));
    assert_eq!(lost(spot(0, None, Some(1))), NoSpot::Line(0, 2));
    assert_eq!(lost(spot(1, None, Some(23))), NoSpot::Column(23, 1));
    assert_eq!(lost(spot(1, None, Some(0))), NoSpot::Column(0, 1));
    let missing = NoSpot::Symbol("ad".to_owned(), 1);
    assert_eq!(lost(spot(1, Some("ad"), None)), missing);
    assert_eq!(lost(spot(1, Some("add"), Some(1))), NoSpot::Unclear);
    assert_eq!(lost(spot(1, None, None)), NoSpot::Unclear);
}

proptest! {
    #[test]
    fn every_column_is_the_same_there_and_back(text in "[a-c_é😀 \r\n]{0,40}", line in 0_usize..6, at in 0_usize..12) {
        let all = lines(&text);
        for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
            if let Ok(position) = spot(line, None, Some(at)).find(&text, encoding) {
                let line = all[position.line as usize];
                prop_assert_eq!(column(line, position.character, encoding), at);
            }
        }
    }

    #[test]
    fn a_name_that_is_found_stands_there(text in "[ab_é ]{0,20}", name in "[ab_é]{1,3}") {
        if let Some(at) = word(&text, &name) {
            prop_assert!(text[at..].starts_with(&name));
        }
    }
}
