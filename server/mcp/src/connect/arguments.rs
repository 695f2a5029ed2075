//! What was typed behind the name of a prompt, as its arguments.

#[cfg(test)]
mod tests;

use pollux_agent::{Need, PromptArgument};
use serde_json::{Map, Value};

/// The arguments in what was typed: `--name=value` by name, the rest in order.
pub(super) fn parse(
    typed: &str,
    declared: &[PromptArgument],
) -> Result<Map<String, Value>, String> {
    let mut given = Map::new();
    let mut positional = Vec::new();
    for word in words(typed) {
        match named(&word) {
            Some((name, value)) => {
                given.insert(name.to_owned(), Value::String(value.to_owned()));
            }
            None => positional.push(word),
        }
    }
    let unfilled: Vec<&str> = declared
        .iter()
        .filter(|argument| argument.need == Need::Required && !given.contains_key(&argument.name))
        .map(|argument| argument.name.as_str())
        .collect();
    match unfilled.as_slice() {
        // Whoever has one thing to say need not quote it.
        [only] => {
            given.insert((*only).to_owned(), Value::String(positional.join(" ")));
        }
        several => {
            let mut values = positional.into_iter();
            let mut missing = Vec::new();
            for name in several {
                match values.next() {
                    Some(value) => {
                        given.insert((*name).to_owned(), Value::String(value));
                    }
                    None => missing.push(format!("--{name}")),
                }
            }
            if !missing.is_empty() {
                return Err(format!(
                    "Missing required argument(s): {}",
                    missing.join(", ")
                ));
            }
        }
    }
    Ok(given)
}

fn named(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.strip_prefix("--")?.split_once('=')?;
    (!name.is_empty()).then_some((name, value))
}

/// Words, with quotes around blanks and without backslashes. An open quote ends with the text.
fn words(typed: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut begun = false;
    let mut quoted = false;
    let mut letters = typed.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                begun = true;
                word.extend(letters.next());
            }
            '"' => {
                begun = true;
                quoted = !quoted;
            }
            blank if blank.is_whitespace() && !quoted => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            letter => {
                begun = true;
                word.push(letter);
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}
