use proptest::prelude::*;

use super::*;

fn paths(prompt: &str) -> Vec<String> {
    let pieces = pieces(prompt).into_iter();
    let paths = pieces.filter_map(|piece| match piece {
        Piece::Reference(token) => Some(token.path),
        Piece::Text(_) => None,
    });
    paths.collect()
}

#[test]
fn a_reference_ends_where_a_person_means_it_to() {
    for (prompt, expected) in [
        ("see @src/a.ts.", vec!["src/a.ts"]),
        ("see @src/a.ts...", vec!["src/a.ts"]),
        (
            "@a.ts, @b.ts; (@c.ts) [@d.ts]{@e.ts}!@f?",
            vec!["a.ts", "b.ts", "c.ts", "d.ts", "e.ts", "f"],
        ),
        ("@my\\ file.txt now", vec!["my file.txt"]),
        ("@\"my file, v2.txt\".", vec!["my file, v2.txt"]),
        ("@'a b'", vec!["a b"]),
        ("@a\\\"b\\ c.rs now", vec!["a\"b c.rs"]),
        ("@\"open", vec!["\"open"]),
        ("me@x.com", vec!["x.com"]),
        ("\\@literal and \\\\@b", vec![]),
        ("@ alone @", vec![]),
        ("@. @..", vec![]),
        ("@./ @../x", vec!["./", "../x"]),
        ("@a..b...c. @d.", vec!["a..b...c", "d"]),
        ("@a@b", vec!["a@b"]),
        ("@größe/ä.md\t@b", vec!["größe/ä.md", "b"]),
        ("@a\n@b", vec!["a", "b"]),
        ("@x\\", vec!["x\\"]),
    ] {
        assert_eq!(paths(prompt), expected, "{prompt:?}");
    }
}

#[test]
fn an_escaped_at_becomes_a_plain_one() {
    assert_eq!(pieces("a \\@b"), [Piece::Text("a @b".to_owned())]);
}

#[test]
fn a_mail_address_is_known_by_what_stands_before_it() {
    let pieces = pieces("me@x.com");
    assert!(matches!(&pieces[1], Piece::Reference(token) if token.place == Place::InWord));
}

proptest! {
    #[test]
    fn the_parser_never_panics_and_loses_nothing(prompt in "([@\\\\\"'. ,\n]|\\PC){0,60}") {
        let mut again = String::new();
        for piece in pieces(&prompt) {
            match piece {
                Piece::Text(text) => again.push_str(&text.replace('@', "\\@")),
                Piece::Reference(token) => {
                    prop_assert!(!token.path.is_empty());
                    again.push_str(&token.raw.replace("\\@", "@").replace('@', "\\@"));
                }
            }
        }
        prop_assert_eq!(again, prompt.replace("\\@", "@").replace('@', "\\@"));
    }
}
