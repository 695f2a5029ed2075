use expect_test::{Expect, expect};

use super::*;

fn check(draw: impl FnOnce(&mut Screen<&mut Vec<u8>>) -> io::Result<()>, expected: Expect) {
    let mut paper = Vec::new();
    draw(&mut Screen::new(&mut paper, Colour::Off)).unwrap();
    expected.assert_eq(&String::from_utf8(paper).unwrap());
}

#[test]
fn control_characters_are_shown_and_not_obeyed() {
    check(
        |screen| {
            screen.line(&[(
                Style::Plain,
                "Edit a.rs\n✓ written \u{1b}[2J\u{202e}gnp.exe",
            )])?;
            screen.prose("two\nlines \u{1b}[1A\u{7}\r\n")
        },
        expect![[r#"
            Edit a.rs\n✓ written \u{1b}[2J\u{202e}gnp.exe

            two
            lines \u{1b}[1A\u{7}\r
        "#]],
    );
}

#[test]
fn empty_lines_do_not_pile_up() {
    check(
        |screen| {
            screen.blank()?;
            screen.start(&[(Style::Plain, "one")])?;
            screen.blank()?;
            screen.blank()?;
            screen.line(&[(Style::Plain, "two")])?;
            screen.prose("three\n\n")?;
            screen.end_prose()?;
            screen.blank()?;
            screen.line(&[(Style::Plain, "four")])
        },
        expect![[r#"
            one

            two

            three

            four
        "#]],
    );
}
