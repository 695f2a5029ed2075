mod effort;
mod execution;
mod oracle;
mod properties;
pub(crate) mod table;

use super::*;

/// The grammar's scanner is C code, and looks up every character behind a brace in a table of 384.
#[test]
fn no_character_behind_a_brace_ends_the_process() {
    let characters = ('\u{80}'..=char::MAX).step_by(2_477);
    let lines: Vec<String> = characters.map(|it| format!("echo {{{it}")).collect();
    let understood = lines.iter().filter(|line| parse(line).is_ok()).count();
    // Those that cannot be seen are refused before the grammar is asked.
    assert!(
        understood * 2 > lines.len(),
        "{understood} of {}",
        lines.len()
    );
}
