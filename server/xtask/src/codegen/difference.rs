//! The first place where two texts differ, small enough to read in a terminal.

#[cfg(test)]
mod tests;

const BEFORE: usize = 2;
const SHOWN: usize = 3;

/// `None` when the texts are equal.
pub(super) fn first(found: &str, wanted: &str) -> Option<String> {
    if found == wanted {
        return None;
    }
    // `split` keeps a missing last line break visible, which `lines` would hide.
    let found: Vec<&str> = found.split('\n').collect();
    let wanted: Vec<&str> = wanted.split('\n').collect();
    let place = found
        .iter()
        .zip(&wanted)
        .take_while(|(found, wanted)| found == wanted)
        .count();

    let mut out = format!("line {}:\n", place + 1);
    let start = place.saturating_sub(BEFORE);
    append(&mut out, ' ', found.iter().take(place).skip(start));
    append(&mut out, '-', found.iter().skip(place).take(SHOWN));
    append(&mut out, '+', wanted.iter().skip(place).take(SHOWN));
    Some(out.trim_end().to_owned())
}

fn append<'a>(out: &mut String, mark: char, lines: impl Iterator<Item = &'a &'a str>) {
    for line in lines {
        out.push_str(format!("{mark} {line}").trim_end());
        out.push('\n');
    }
}
