//! The rules as they are written down, without a thought about cost.

use std::collections::{HashMap, HashSet};

const HISTORY: usize = 5_000;

/// The place of the character that completes the first chant.
pub(super) fn first_chant(text: &str) -> Option<usize> {
    let chars: Vec<char> = text.chars().collect();
    let mut history: Vec<u16> = Vec::new();
    let mut forgotten = 0;
    let mut places: HashMap<Vec<u16>, Vec<usize>> = HashMap::new();
    let mut fences = 0;
    let mut line_start = 0;
    for place in 0..chars.len() {
        let with = &chars[..=place];
        let fence = run_of_backticks(with) == 3;
        let was_in_code = fences % 2 == 1;
        fences += usize::from(fence);
        let in_code = was_in_code || fences % 2 == 1;
        let line = &chars[line_start..=place];
        let line_before = &chars[line_start..place];
        if chars[place] == '\n' {
            line_start = place + 1;
        }
        let marker = !in_code && has_marker(line) && !has_marker(line_before);
        if fence || marker {
            forgotten += history.len();
            history.clear();
            places.clear();
        }
        let in_fence = chars[place] == '`' && run_of_backticks(with) >= 3;
        if in_code || in_fence || is_divider(line) {
            continue;
        }
        for unit in chars[place].encode_utf16(&mut [0; 2]) {
            history.push(*unit);
            if history.len() > HISTORY {
                history.remove(0);
                forgotten += 1;
                for known in places.values_mut() {
                    known.retain(|known| *known >= forgotten);
                }
            }
            if history.len() < 50 {
                continue;
            }
            let start = history.len() - 50;
            let known = places.entry(history[start..].to_vec()).or_default();
            known.push(forgotten + start);
            if is_chant(known, &history, forgotten) {
                return Some(place);
            }
        }
    }
    None
}

fn is_chant(known: &[usize], history: &[u16], forgotten: usize) -> bool {
    if known.len() < 10 {
        return false;
    }
    let recent = &known[known.len() - 10..];
    let average = (recent[9] - recent[0]) as f64 / 9.0;
    let periods: HashSet<_> = recent
        .windows(2)
        .map(|pair| &history[pair[0] - forgotten..pair[1] - forgotten])
        .collect();
    average <= 250.0 && periods.len() <= 5
}

fn run_of_backticks(text: &[char]) -> usize {
    text.iter().rev().take_while(|char| **char == '`').count()
}

fn has_marker(line: &[char]) -> bool {
    let line: String = line.iter().collect();
    let line = line.trim_start();
    let blank_follows = |rest: &str| rest.starts_with(char::is_whitespace);
    let behind = |marker: &[char]| line.trim_start_matches(marker);
    let bullet = line
        .strip_prefix(['-', '*', '+'])
        .is_some_and(blank_follows);
    let heading = line.starts_with('#') && blank_follows(behind(&['#']));
    let quote = line.strip_prefix('>').is_some_and(blank_follows);
    let digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let number = digits.len() < line.len() && digits.strip_prefix('.').is_some_and(blank_follows);
    let text_before_code = line.split('`').next().unwrap_or_default();
    let table = text_before_code.starts_with('|') && text_before_code.matches('|').count() >= 2;
    bullet || heading || quote || number || table || opens_with_rule(line)
}

fn opens_with_rule(line: &str) -> bool {
    !line.starts_with('|') && line.chars().take_while(|char| is_rule(*char)).count() >= 3
}

fn is_divider(line: &[char]) -> bool {
    let line: String = line.iter().collect();
    let line = line.trim_start();
    opens_with_rule(line) && line.chars().all(is_rule)
}

fn is_rule(char: char) -> bool {
    "-+*=_|".contains(char) || ('\u{2500}'..='\u{257F}').contains(&char)
}
