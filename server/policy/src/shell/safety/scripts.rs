//! Small languages inside arguments: which programs for `sed`, `awk` and `jq` only print.

/// A script of `sed` made of addresses, `s` without flags that write or run, and commands that only print or move text.
pub(super) fn sed_prints(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
        if rest.is_empty() {
            return true;
        }
        let Some(after) = address(rest) else {
            return false;
        };
        rest = after;
        if let Some(second) = rest.strip_prefix(',') {
            let Some(after) = address(second) else {
                return false;
            };
            rest = after;
        }
        rest = rest.trim_start_matches([' ', '!']);
        let mut characters = rest.chars();
        match characters.next() {
            Some('{') => rest = characters.as_str(),
            Some('p' | 'd' | 'q' | '=' | 'n' | 'N' | 'D' | 'P' | 'h' | 'H' | 'g' | 'G' | 'x') => {
                rest = characters.as_str();
                if !rest.is_empty() && !rest.starts_with([' ', ';', '\n', '}']) {
                    return false;
                }
            }
            Some('s') => {
                let Some(after) = substitution(characters.as_str()) else {
                    return false;
                };
                rest = after;
            }
            _ => return false,
        }
    }
}

/// What follows an address, or the whole text if there is none.
fn address(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return text.get(digits..);
    }
    if let Some(rest) = text.strip_prefix('$') {
        return Some(rest);
    }
    match text.strip_prefix('/') {
        Some(rest) => pattern(rest, '/'),
        None => Some(text),
    }
}

fn substitution(text: &str) -> Option<&str> {
    let delimiter = text.chars().next().filter(|c| "/|#,:@!%".contains(*c))?;
    let rest = pattern(text.get(1..)?, delimiter)?;
    let rest = delimited(rest, delimiter)?;
    let flags = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let (flags, rest) = rest.split_at_checked(flags)?;
    let is_plain = flags.chars().all(|flag| "gpiI0123456789".contains(flag));
    (is_plain && (rest.is_empty() || rest.starts_with([' ', ';', '\n', '}']))).then_some(rest)
}

fn delimited(text: &str, delimiter: char) -> Option<&str> {
    let mut characters = text.chars();
    loop {
        match characters.next()? {
            '\\' => {
                characters.next().filter(|c| *c != '\n')?;
            }
            '\n' => return None,
            character if character == delimiter => return Some(characters.as_str()),
            _ => {}
        }
    }
}

/// What follows a regular expression.
fn pattern(text: &str, delimiter: char) -> Option<&str> {
    let mut characters = text.chars();
    // Inside of brackets some take the delimiter for a character of the list, and some for the end.
    let mut is_in_brackets = false;
    loop {
        match characters.next()? {
            '\\' => {
                characters.next().filter(|c| *c != '\n')?;
            }
            '\n' => return None,
            character if character == delimiter => {
                return (!is_in_brackets).then_some(characters.as_str());
            }
            '[' => {
                is_in_brackets = true;
                // A closing bracket in the first place belongs to the list.
                let rest = characters.as_str();
                let rest = rest.strip_prefix('^').unwrap_or(rest);
                characters = rest.strip_prefix(']').unwrap_or(rest).chars();
            }
            ']' => is_in_brackets = false,
            _ => {}
        }
    }
}

/// A format of `printf` that sets no variable: `%n` sets the one that its argument names.
pub(super) fn format_prints(format: &str) -> bool {
    let mut rest = format;
    while let Some((_, after)) = rest.split_once('%') {
        let conversion = after.trim_start_matches(|c: char| "-+ #0'123456789.*hlLjzt".contains(c));
        if conversion.starts_with('n') {
            return false;
        }
        // `%%` is a percent sign.
        rest = conversion.strip_prefix('%').unwrap_or(conversion);
    }
    true
}

/// A program of `awk` that opens no file and no pipe, runs nothing and does not look at the environment.
pub(super) fn awk_prints(program: &str) -> bool {
    let words = [
        "system", "getline", "ENVIRON", "ARGV", "PROCINFO", "close", "fflush", "include", "load",
        "SYMTAB", "FUNCTAB",
    ];
    // Before the first brace stands a condition, where these compare.
    let actions = program.find('{').and_then(|at| program.get(at..));
    !actions.unwrap_or_default().contains(['|', '>', '<'])
        && !program.contains(['@', '`'])
        && !words.iter().any(|word| program.contains(word))
}

/// A filter of `jq` that sees nothing but its input.
pub(super) fn jq_filters(filter: &str) -> bool {
    ![
        "env",
        "ENV",
        "import",
        "include",
        "modulemeta",
        "input_line",
        "get_search_list",
        "$__prog",
    ]
    .iter()
    .any(|word| filter.contains(word))
}
