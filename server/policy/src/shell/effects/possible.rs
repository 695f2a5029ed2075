//! What a word may turn out to be, as far as the script itself says.

use crate::shell::SetVariable;
use crate::shell::safety::alternatives;

/// More possibilities than this are not looked at one by one.
const MOST: usize = 64;

/// The texts that a word stands for: values that the script gives to its variables are put in, and braces are taken
/// apart. What is not known stays as it was written.
pub fn possible(word: &str, variables: &[SetVariable]) -> Vec<String> {
    let plain: String = word.chars().filter(|c| !matches!(c, '"' | '\'')).collect();
    let mut texts = vec![plain];
    for variable in variables {
        let Some(values) = &variable.values else {
            continue;
        };
        let mut more = Vec::new();
        for text in &texts {
            for name in [
                format!("${{{}}}", variable.name),
                format!("${}", variable.name),
            ] {
                if is_read(text, &name) {
                    more.extend(values.iter().map(|value| text.replace(&name, value)));
                }
            }
        }
        texts.extend(more);
        if texts.len() > MOST {
            texts.truncate(MOST);
            break;
        }
    }
    let apart = texts.iter().flat_map(|text| {
        // The braces of `${name}` are none of these.
        let expanded = match text.contains("${") {
            true => None,
            false => alternatives(text),
        };
        expanded.unwrap_or_else(|| vec![text.clone()])
    });
    apart.collect()
}

/// Whether the variable is named in the text, and not only one whose name begins alike.
fn is_read(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let after = text
            .get(at + name.len()..)
            .and_then(|rest| rest.bytes().next());
        name.ends_with('}') || !after.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_braces_are_put_in() {
        let set = |name: &str, value: &str| SetVariable {
            name: name.to_owned(),
            values: Some(vec![value.to_owned()]),
            is_arithmetic: false,
        };
        let of = |word: &str| possible(word, &[set("d", ".git"), set("e", "$d/hooks")]);
        assert!(of("\"$d\"/hooks/x").contains(&".git/hooks/x".to_owned()));
        assert!(of("${d}/hooks/x").contains(&".git/hooks/x".to_owned()));
        assert_eq!(of("$dir/x"), ["$dir/x"]);
        assert!(of(".g{it,x}/a").contains(&".git/a".to_owned()));
        assert_eq!(of("a"), ["a"]);
    }
}
