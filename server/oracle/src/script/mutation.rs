//! Commands of the tables, changed a little.

use std::rc::Rc;

use super::Source;
use super::grammar;
use super::pieces::{FILES, FRAGMENTS, NAMES, REDIRECTIONS, VALUES};

pub(super) fn mutated(commands: &[String], source: &mut Source) -> String {
    let mut script = commands[source.random.below(commands.len())].clone();
    for _ in 0..=source.random.below(3) {
        script = changed(&script, commands, source);
    }
    script
}

fn changed(script: &str, commands: &[String], source: &mut Source) -> String {
    match source.random.below(12) {
        0 => insert(script, source.random.pick(FRAGMENTS), source),
        1 => without_a_character(script, source),
        2 | 3 => replace_word(script, source),
        4 => format!("{script} {}", source.random.pick(FILES)),
        5 => format!("{script} {}", source.random.pick(REDIRECTIONS)),
        6 => {
            let other = &commands[source.random.below(commands.len())];
            let separator = source
                .random
                .pick(&["; ", " && ", " | ", " || ", "\n", " & "]);
            format!("{script}{separator}{other}")
        }
        7 => {
            let (name, value) = (source.random.pick(NAMES), source.random.pick(VALUES));
            let around = source.random.below(8);
            match around {
                0 => format!("for {name} in {value}; do {script}; done"),
                1 => format!("if {script}; then ls; fi"),
                2 => format!("({script})"),
                3 => format!("echo \"$({script})\""),
                4 => format!("{name}={value}; {script}"),
                5 => format!("cat <({script})"),
                6 => format!("bash -c '{script}'"),
                _ => format!("cd src && {script}"),
            }
        }
        8 => with_option(script, source),
        9 => format!("{script}; {}", grammar::script(source)),
        10 => replace_word_by_its_value(script, source),
        _ => swap_words(script, source),
    }
}

fn boundaries(text: &str) -> Vec<usize> {
    let starts = text.char_indices().map(|(at, _)| at);
    starts.chain([text.len()]).collect()
}

fn insert(script: &str, fragment: &str, source: &mut Source) -> String {
    let boundaries = boundaries(script);
    let at = boundaries[source.random.below(boundaries.len())];
    format!("{}{fragment}{}", &script[..at], &script[at..])
}

fn without_a_character(script: &str, source: &mut Source) -> String {
    let boundaries = boundaries(script);
    if boundaries.len() < 3 {
        return script.to_owned();
    }
    let index = source.random.below(boundaries.len() - 1);
    format!(
        "{}{}",
        &script[..boundaries[index]],
        &script[boundaries[index + 1]..]
    )
}

fn with_words(script: &str, change: impl FnOnce(&mut Vec<String>)) -> String {
    let mut words: Vec<String> = script.split(' ').map(str::to_owned).collect();
    change(&mut words);
    words.join(" ")
}

fn replace_word(script: &str, source: &mut Source) -> String {
    let word = match source.random.below(5) {
        0 | 1 => source.random.pick(FILES),
        2 => source.random.pick(VALUES),
        3 => source.programs[source.random.below(source.programs.len())].name,
        _ => source.random.pick(FRAGMENTS),
    };
    with_words(script, |words| {
        let at = source.random.below(words.len());
        words[at] = word.to_owned();
    })
}

/// Puts a word into a variable first.
fn replace_word_by_its_value(script: &str, source: &mut Source) -> String {
    let mut value = String::new();
    let quote = if source.random.one_in(2) { "\"" } else { "" };
    let rest = with_words(script, |words| {
        let at = source.random.below(words.len());
        value = std::mem::replace(&mut words[at], format!("{quote}$x{quote}"));
    });
    format!("x={value}; {rest}")
}

fn swap_words(script: &str, source: &mut Source) -> String {
    with_words(script, |words| {
        let (one, other) = (
            source.random.below(words.len()),
            source.random.below(words.len()),
        );
        words.swap(one, other);
    })
}

fn with_option(script: &str, source: &mut Source) -> String {
    let program = script.split(' ').next().unwrap_or_default();
    let programs = Rc::clone(&source.programs);
    let known = programs.iter().find(|known| known.name == program);
    let options = known.map_or(&[] as &[String], |known| &known.options);
    let option = match options {
        [] => source
            .random
            .pick(&["-o out.txt", "--help", "-x", "-f list", "--output=out.txt"]),
        options => source.random.pick_text(options),
    };
    with_words(script, |words| {
        let at = source.random.below(words.len()) + 1;
        words.insert(at, option.to_owned());
    })
}
