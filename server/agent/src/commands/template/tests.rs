use proptest::prelude::*;

use super::*;

#[test]
fn places_are_found_with_balanced_braces() {
    let found = pieces("a !{echo '{\"a\":1}'} b!{ ls }", Trigger::Shell).unwrap();
    assert_eq!(
        found,
        [
            Piece::Text("a "),
            Piece::Place("echo '{\"a\":1}'"),
            Piece::Text(" b"),
            Piece::Place("ls"),
        ]
    );
    assert_eq!(
        pieces("x @{a.txt} !{b}", Trigger::File).unwrap(),
        [
            Piece::Text("x "),
            Piece::Place("a.txt"),
            Piece::Text(" !{b}")
        ]
    );
    assert_eq!(pieces("", Trigger::File).unwrap(), []);
}

#[test]
fn a_place_that_is_never_closed_is_told() {
    let error = pieces("ä !{echo {}", Trigger::Shell).unwrap_err();
    assert_eq!(error, UnclosedInjection { at: 3 });
}

proptest! {
    #[test]
    fn nothing_is_lost_and_nothing_panics(text in "[a!@{} ä]{0,40}") {
        for trigger in [Trigger::File, Trigger::Shell] {
            if let Ok(pieces) = pieces(&text, trigger) {
                let length: usize = pieces
                    .iter()
                    .map(|piece| match piece {
                        Piece::Text(text) | Piece::Place(text) => text.trim().len(),
                    })
                    .sum();
                prop_assert!(length <= text.len());
                let texts = pieces.iter().filter(|piece| matches!(piece, Piece::Text(_)));
                prop_assert!(texts.count() <= pieces.len() / 2 + 1);
            }
        }
    }
}
