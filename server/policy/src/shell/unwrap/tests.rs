use expect_test::{Expect, expect};

use crate::shell::{Folder, Word, glimpse, parse};

/// Each command on a line: its wrappers in brackets, then its words, `?` before those that are not known.
fn check(command: &str, expected: Expect) {
    let shown: Vec<String> = match parse(command) {
        Err(error) => vec![error.reason],
        Ok(script) => script
            .commands
            .iter()
            .map(|command| {
                let words: Vec<String> = command
                    .words
                    .iter()
                    .map(|word| match word {
                        Word::Literal(text) => text.clone(),
                        Word::Dynamic(text) => format!("?{text}"),
                    })
                    .collect();
                format!("{:?} {}", command.wrappers, words.join("|"))
            })
            .collect(),
    };
    expected.assert_eq(&shown.join("\n"));
}

#[test]
fn wrappers_are_listed_from_the_outside_in() {
    check(
        "sudo -u ann timeout 5 bash -c 'rm -rf x; ls'",
        expect![[r#"
        [] sudo|-u|ann|timeout|5|bash|-c|rm -rf x; ls
        ["sudo"] timeout|5|bash|-c|rm -rf x; ls
        ["sudo", "timeout"] bash|-c|rm -rf x; ls
        ["sudo", "timeout", "bash -c"] rm|-rf|x
        ["sudo", "timeout", "bash -c"] ls"#]],
    );
    check(
        "env FOO=1 nice -n 5 ls",
        expect![[r#"
        [] env|FOO=1|nice|-n|5|ls
        ["env"] nice|-n|5|ls
        ["env", "nice"] ls"#]],
    );
    check(
        "eval 'ls -la' src",
        expect![[r#"
        [] eval|ls -la|src
        ["eval"] ls|-la|src"#]],
    );
    check(
        "watch -n 2 'ls | wc'",
        expect![[r#"
        [] watch|-n|2|ls | wc
        ["watch"] ls
        ["watch"] wc"#]],
    );
}

#[test]
fn what_a_wrapper_adds_is_not_known() {
    check(
        "ls | xargs -n 1 rm -f",
        expect![[r#"
        [] ls
        [] xargs|-n|1|rm|-f
        ["xargs"] rm|-f|?…"#]],
    );
    check(
        "ls | xargs -I% cp % %.bak",
        expect![[r#"
        [] ls
        [] xargs|-I%|cp|%|%.bak
        ["xargs"] cp|?%|?%.bak"#]],
    );
    check(
        "find . -name x -exec rm -f {} \\; -exec ls {} +",
        expect![[r#"
            [] find|.|-name|x|-exec|rm|-f|{}|;|-exec|ls|{}|+
            ["find -exec"] rm|-f|?{}
            ["find -exec"] ls|?{}"#]],
    );
}

#[test]
fn a_script_on_standard_input_is_read() {
    check(
        "bash <<'E'\nrm x\nE",
        expect![[r#"
        [] bash
        ["bash <<"] rm|x"#]],
    );
    check(
        "sudo sh -s <<< 'ls'",
        expect![[r#"
        [] sudo|sh|-s
        ["sudo"] sh|-s
        ["sudo", "sh <<"] ls"#]],
    );
    check("python3 <<'E'\nprint()\nE", expect!["[] python3"]);
}

#[test]
fn reasons_say_what_was_not_understood() {
    check(
        "bash -c \"$x\"",
        expect!["`bash` runs something that is only known when it runs"],
    );
    check("sudo --foo ls", expect!["`sudo --foo` is not known"]);
    check("PATH=. ls", expect!["it sets PATH"]);
    check("echo ${x@P}", expect!["`${x@P}` is not plain"]);
    check("f() { ls; }", expect!["it defines a function"]);
    check("ls\u{a0}x", expect!["it holds the character U+00A0"]);
    check("ls |", expect!["it ends in the middle"]);
}

#[test]
fn a_glimpse_shows_what_it_can() {
    let seen: Vec<String> = glimpse("f() { rm -rf x; }; PATH=. git push; r'm' y; $z")
        .iter()
        .map(|c| c.unquoted())
        .collect();
    assert_eq!(seen, ["f", "rm -rf x", "git push", "rm y", "$z"]);
}

#[test]
fn the_folder_of_later_commands_is_kept() {
    let folders = |command: &str| -> Vec<Folder> {
        parse(command)
            .unwrap()
            .commands
            .into_iter()
            .map(|c| c.folder)
            .collect()
    };
    let to = |folder: &str| Folder::Maybe(vec![folder.to_owned()]);
    assert_eq!(
        folders("ls; cd a && ls"),
        [Folder::Start, Folder::Start, to("a")]
    );
    assert_eq!(
        folders("cd a; cd b; ls"),
        [
            Folder::Start,
            to("a"),
            Folder::Maybe(vec!["a".to_owned(), "b".to_owned(), "a/b".to_owned()])
        ]
    );
    assert_eq!(folders("cd $x; ls"), [Folder::Start, Folder::Unknown]);
    assert_eq!(
        folders("while ls; do cd ..; done"),
        [Folder::Unknown, Folder::Unknown]
    );
}

#[test]
fn too_long_a_text_is_not_read() {
    let long = format!("echo {}", "a".repeat(70_000));
    assert_eq!(parse(&long).unwrap_err().reason, "it is too long");
    let deep = format!("{}ls", "eval ".repeat(60));
    assert_eq!(parse(&deep).unwrap_err().reason, "it is nested too deep");
    let wide = format!("{}{}", "eval ".repeat(10), "a".repeat(60_000));
    assert_eq!(parse(&wide).unwrap_err().reason, "it is too long");
}
