use expect_test::{Expect, expect};

use super::*;

/// The same text whole and letter by letter must look the same.
fn check(colour: Colour, markdown: &str, expected: Expect) {
    let mut whole = Prose::new(colour);
    let shown = whole.feed(markdown) + &whole.end();
    let mut cut = Prose::new(colour);
    let mut pieces: String = markdown
        .chars()
        .map(|letter| cut.feed(&letter.to_string()))
        .collect();
    pieces += &cut.end();
    assert_eq!(shown, pieces);
    expected.assert_eq(&shown.replace('\u{1b}', "ESC"));
}

#[test]
fn long_lines_are_wrapped_at_words_and_items_hang() {
    check(
        Colour::Off,
        "One line that goes on well past the eightieth column, which is where it has to be wrapped.\n\n\
         - An item that goes on well past the eightieth column, and then hangs below its own text.\n\
         12. short\n",
        expect![[r#"
            One line that goes on well past the eightieth column, which is where it has to
            be wrapped.

            - An item that goes on well past the eightieth column, and then hangs below its
              own text.
            12. short
        "#]],
    );
}

#[test]
fn marks_become_styles_when_there_is_colour() {
    check(
        Colour::On,
        "## A title\nplain **bold `both`** `a ** b` 2 * 3\n",
        expect![[r#"
            ESC[0mESC[1mA titleESC[0m
            plain ESC[0mESC[1mbold ESC[0mESC[1mESC[36mbothESC[0mESC[1mESC[0m ESC[0mESC[36ma ** bESC[0m 2 * 3
        "#]],
    );
}

#[test]
fn marks_stay_when_there_is_none() {
    check(
        Colour::Off,
        "## A title\n**bold** `code`\n",
        expect![[r#"
        ## A title
        **bold** `code`
    "#]],
    );
}

#[test]
fn a_style_that_is_left_open_ends_with_the_answer() {
    check(
        Colour::On,
        "**never closed",
        expect!["ESC[0mESC[1mnever closedESC[0m"],
    );
}

#[test]
fn a_word_longer_than_the_line_is_not_cut() {
    check(
        Colour::Off,
        &format!("a {} b", "x".repeat(90)),
        expect![[r#"
        a
        xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        b"#]],
    );
}
