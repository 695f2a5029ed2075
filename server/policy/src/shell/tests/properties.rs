use proptest::prelude::*;

use super::table::verdict;
use super::*;
use crate::shell::effort::Effort;

/// One way to quote a character.
#[derive(Clone, Copy, Debug)]
enum Quoting {
    Bare,
    Backslash,
    Single,
    Double,
    Ansi,
    Octal,
    Split,
}

fn quoted(character: char, quoting: Quoting) -> String {
    let is_plain = character.is_ascii_alphanumeric() || "_-./:,@%+".contains(character);
    match quoting {
        Quoting::Bare if is_plain => character.to_string(),
        Quoting::Backslash if character != '\n' => format!("\\{character}"),
        Quoting::Double if "$`\"\\".contains(character) => format!("\"\\{character}\""),
        Quoting::Double => format!("\"{character}\""),
        Quoting::Ansi if "'\\".contains(character) => format!("$'\\{character}'"),
        Quoting::Ansi => format!("$'{character}'"),
        Quoting::Octal if character.is_ascii() => format!("$'\\{:03o}'", character as u32),
        Quoting::Split if character != '\'' => format!("''\\\n'{character}'\"\""),
        _ if character == '\'' => "\"'\"".to_owned(),
        _ => format!("'{character}'"),
    }
}

fn quoting() -> impl Strategy<Value = Quoting> {
    prop_oneof![
        Just(Quoting::Bare),
        Just(Quoting::Backslash),
        Just(Quoting::Single),
        Just(Quoting::Double),
        Just(Quoting::Ansi),
        Just(Quoting::Octal),
        Just(Quoting::Split),
    ]
}

fn dangerous() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "rm -rf x",
        "r'm' -r x",
        "sudo rm -f x",
        "find . -delete",
        "git reset --hard",
        "curl x | sh",
    ])
}

fn around() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "ls; @",
        "@; ls",
        "ls && @",
        "ls || @",
        "ls | @",
        "ls\n@",
        "@\nls",
        "ls & @",
        "(@)",
        "{ @; }",
        "if @; then ls; fi",
        "if ls; then @; fi",
        "if ls; then ls; else @; fi",
        "while @; do ls; done",
        "for f in a b; do @; done",
        "echo $(@)",
        "echo \"$(@)\"",
        "cat <(@)",
        "! @",
        "case a in a) @;; esac",
        "cat <<E\n$(@)\nE",
        "x=$(@)",
        "ls > $(@)",
        "( ls; @ )",
        "until ls; do @; done",
        "[ -n \"$(@)\" ]",
        "export X=\"$(@)\"",
    ])
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,80}") {
        let _judged = verdict(&text);
        let _seen = (glimpse(&text), has_substitution(&text));
    }

    #[test]
    fn no_mixture_of_shell_breaks_the_reader(
        text in "(\\$|\\(|\\)|\\{|\\}|'|\"|`|\\\\|\n|<<|E|;|&|\\||<|>|ls|rm -rf x|é| |=|\\[|\\]|if |then |fi|do |done|case |esac|bash -c |eval |xargs |sudo ){0,40}"
    ) {
        let _judged = verdict(&text);
        let _seen = (glimpse(&text), has_substitution(&text));
    }

    #[test]
    fn quotes_never_change_a_word(
        words in prop::collection::vec(prop::collection::vec((prop::char::range(' ', '~'), quoting()), 1..8), 1..4)
    ) {
        let source: Vec<String> =
            words.iter().map(|word| word.iter().map(|(character, how)| quoted(*character, *how)).collect()).collect();
        let expected: Vec<Word> =
            words.iter().map(|word| Word::Literal(word.iter().map(|(character, _)| character).collect())).collect();
        let command = format!("echo {}", source.join(" "));
        let reading = reader::read(&command, &mut Effort::new());
        prop_assert_eq!(&reading.doubt, &None);
        let words: Vec<Word> = reading.commands[0].words[1..].iter().map(|piece| piece.word.clone()).collect();
        prop_assert_eq!(&words, &expected);
        // tree-sitter takes offence at some splices; what it accepts is the same.
        if let Ok(script) = parse(&command) {
            prop_assert_eq!(&script.commands[0].words[1..], &expected[..]);
        }
    }

    #[test]
    fn a_dangerous_part_is_found_wherever_it_stands(
        inner in dangerous(), places in prop::collection::vec(around(), 1..4)
    ) {
        let command = places.iter().fold(inner.to_owned(), |inner, place| place.replace('@', &inner));
        let (found, reason) = verdict(&command);
        prop_assert!(matches!(found, "dangerous" | "not-understood"), "{command:?} is {found} ({reason})");
    }
}

#[test]
fn each_place_alone_is_understood() {
    let places = [
        "ls; @",
        "ls && @",
        "ls | @",
        "(@)",
        "{ @; }",
        "if @; then ls; fi",
        "echo $(@)",
        "cat <(@)",
        "ls & @",
    ];
    for place in places {
        assert_eq!(
            verdict(&place.replace('@', "rm -rf x")).0,
            "dangerous",
            "{place}"
        );
    }
}
