//! Scripts from a grammar: every construct of bash that can stand around a command.

use std::rc::Rc;

use super::Source;
use super::pieces::{FILES, NAMES, REDIRECTIONS, VALUES};

pub(super) fn script(source: &mut Source) -> String {
    list(source, 3)
}

fn list(source: &mut Source, depth: usize) -> String {
    let mut text = statement(source, depth);
    while source.random.one_in(3) {
        let separator = source
            .random
            .pick(&["; ", " && ", " || ", "\n", " & ", "; ", " && "]);
        text.push_str(separator);
        text.push_str(&statement(source, depth));
    }
    text
}

fn statement(source: &mut Source, depth: usize) -> String {
    if depth == 0 {
        return simple(source, 0);
    }
    let inner = depth - 1;
    match source.random.below(24) {
        0..=8 => simple(source, depth),
        9..=11 => pipeline(source, inner),
        12 | 13 => {
            let (name, values) = (source.random.pick(NAMES), source.random.pick(VALUES));
            format!(
                "for {name} in {values}; do {}; done",
                using(name, source, inner)
            )
        }
        14 => {
            let input =
                source
                    .random
                    .pick(&["< a.txt", "< list", "<<< 'a[$(id >&2)]'", "< <(ls)", ""]);
            let name = source.random.pick(NAMES);
            let body = using(name, source, inner);
            format!("while read -r {name}; do {body}; done {input}")
        }
        15 => format!(
            "if {}; then {}; else {}; fi",
            statement(source, inner),
            list(source, inner),
            list(source, inner)
        ),
        16 => {
            let word = source.random.pick(VALUES);
            let pattern = source
                .random
                .pick(&["a*", "*", "$x", "1|2", "'a b'", "$((x))", "$(id)", "\"$x\""]);
            format!("case {word} in {pattern}) {};; esac", list(source, inner))
        }
        17 => format!("({})", list(source, inner)),
        18 => format!("{{ {}; }}", list(source, inner)),
        19 | 20 => {
            let (name, value) = (source.random.pick(NAMES), source.random.pick(VALUES));
            let operator = source.random.pick(&["=", "=", "=", "+="]);
            let body = using(name, source, inner);
            // A value with a blank in it sets the variable for a command.
            format!("{name}{operator}{value}; {body}")
        }
        21 => format!("! {}", simple(source, inner)),
        22 => format!("{} <<E\n{}\nE", simple(source, 0), heredoc(source, inner)),
        _ => format!(
            "until {}; do {}; break; done",
            source.random.pick(&["true", "[ -f a.txt ]", "test -n x"]),
            statement(source, inner)
        ),
    }
}

fn heredoc(source: &mut Source, depth: usize) -> String {
    match source.random.below(6) {
        0 => "$x".to_owned(),
        1 => "$token".to_owned(),
        2 => format!("$({})", simple(source, depth)),
        3 => "$((1 + 2)) $((x))".to_owned(),
        4 => "../outside/notes.txt".to_owned(),
        _ => "a b\nc".to_owned(),
    }
}

/// A command that uses a variable in one of the ways that bash evaluates.
fn using(name: &str, source: &mut Source, depth: usize) -> String {
    match source.random.below(16) {
        0 | 1 => format!("echo \"${name}\""),
        2 => format!("echo ${name}"),
        3 => format!("cat \"${name}\""),
        4 => format!("for y in $(({name})); do ls; done"),
        5 => format!("[[ ${name} -eq 1 ]]"),
        6 => format!("[ \"${name}\" = a ]"),
        7 => format!("wc -l ${name}"),
        8 => format!("case ${name} in a) ls;; esac"),
        9 => format!("sed -n \"${name}\" a.txt"),
        10 => format!("sort \"${name}\""),
        11 => format!("cat <<< \"${name}\""),
        12 => format!("head -n \"${name}\" a.txt"),
        _ => list(source, depth),
    }
}

fn pipeline(source: &mut Source, depth: usize) -> String {
    let mut text = statement(source, depth.min(1));
    for _ in 0..=source.random.below(3) {
        let pipe = if source.random.one_in(12) {
            " |& "
        } else {
            " | "
        };
        text.push_str(pipe);
        text.push_str(&simple(source, depth));
    }
    text
}

/// A command, more often one that could be judged read-only: a script with a bad one in it shows little.
fn simple(source: &mut Source, depth: usize) -> String {
    for _ in 0..3 {
        let text = any_simple(source, depth);
        if source.random.one_in(6) || source.is_tame(&text) {
            return text;
        }
    }
    any_simple(source, depth)
}

fn any_simple(source: &mut Source, depth: usize) -> String {
    let programs = Rc::clone(&source.programs);
    let program = &programs[source.random.below(programs.len())];
    let mut text = String::new();
    if source.random.one_in(25) {
        let (name, value) = (source.random.pick(NAMES), source.random.pick(VALUES));
        text.push_str(&format!("{name}={value} "));
    }
    if source.random.one_in(30) {
        let before = [
            "time ",
            "command ",
            "nice ",
            "builtin ",
            "exec ",
            "timeout 5 ",
            "sudo ",
            "env ",
            "nohup ",
            "stdbuf -o0 ",
        ];
        text.push_str(source.random.pick(&before));
    }
    text.push_str(program.name);
    while !program.options.is_empty() && source.random.one_in(2) {
        text.push(' ');
        text.push_str(source.random.pick_text(&program.options));
    }
    if !program.first.is_empty() {
        text.push(' ');
        text.push_str(source.random.pick_text(&program.first));
    }
    if program.takes_files {
        for _ in 0..source.random.below(3) {
            text.push(' ');
            if depth > 0 && source.random.one_in(30) {
                let inner = simple(source, depth - 1);
                text.push_str(&format!("$({inner})"));
            } else if source.random.one_in(3) {
                text.push_str(source.random.pick(FILES));
            } else {
                text.push_str(FILES[source.random.below(12)]);
            }
        }
    }
    if source.random.one_in(8) {
        text.push(' ');
        text.push_str(source.random.pick(REDIRECTIONS));
    }
    text
}
