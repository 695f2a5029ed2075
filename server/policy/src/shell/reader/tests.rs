use super::*;

fn read(source: &str) -> Reading {
    super::read(source, &mut Effort::new())
}

/// Each command on a line: words with a bar between them, `?` before those that are not known.
fn shown(source: &str) -> String {
    let reading = read(source);
    if let Some(reason) = reading.doubt {
        return reason;
    }
    let command = |command: &Simple| {
        let words = command.assignments.iter().chain(&command.words);
        let words: Vec<String> = words
            .map(|piece| match &piece.word {
                Word::Literal(text) => text.clone(),
                Word::Dynamic(text) => format!("?{text}"),
            })
            .collect();
        words.join("|")
    };
    reading
        .commands
        .iter()
        .map(command)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn words_lose_their_quotes() {
    assert_eq!(
        shown(r#"r"m" -r''f $'a\tb' a\ b "c\"d\e""#),
        "rm|-rf|a\tb|a b|c\"d\\e"
    );
}

#[test]
fn what_bash_would_expand_is_not_known() {
    assert_eq!(
        shown("echo $x \"$x\" ${x} *.rs ~ a=~ {a,b} {1..2} $((1+1)) [a] a?"),
        "echo|?$x|?\"$x\"|?${x}|?*.rs|?~|?a=~|?{a,b}|?{1..2}|?$((1+1))|?[a]|?a?"
    );
    assert_eq!(
        shown("echo '$x' \\* {} HEAD@{1} a~b [ \"~\" {a}"),
        "echo|$x|*|{}|HEAD@{1}|a~b|[|~|{a}"
    );
}

#[test]
fn commands_come_in_the_order_of_the_text() {
    assert_eq!(
        shown("a $(b; c) | d && (e; f) || { g; }"),
        "a|?$(b; c)\nb\nc\nd\ne\nf\ng"
    );
}

#[test]
fn heredocs_belong_to_their_command() {
    let reading = read("a <<'E' | b\n$(c)\nE\nd <<-F\n\tx\n\tF\n");
    assert_eq!(reading.doubt, None);
    let stdin: Vec<&Stdin> = reading
        .commands
        .iter()
        .map(|command| &command.stdin)
        .collect();
    assert_eq!(
        stdin,
        [
            &Stdin::Text("$(c)\n".to_owned()),
            &Stdin::Pipe,
            &Stdin::Text("x\n".to_owned())
        ]
    );
}

#[test]
fn a_pipe_feeds_all_of_a_group() {
    let reading = read("a | { b; c < f; }; d");
    let stdin: Vec<&Stdin> = reading
        .commands
        .iter()
        .map(|command| &command.stdin)
        .collect();
    assert_eq!(
        stdin,
        [
            &Stdin::Inherited,
            &Stdin::Pipe,
            &Stdin::File,
            &Stdin::Inherited
        ]
    );
}

#[test]
fn nesting_has_an_end() {
    let deep = format!("{}ls{}", "( ".repeat(100), " )".repeat(100));
    assert_eq!(shown(&deep), "it is nested too deep");
}
