//! What bash makes of a pattern such as `src/{a,b}/*.rs`, as far as its text tells.

/// More alternatives than this are not looked at one by one.
const MOST_ALTERNATIVES: usize = 64;

/// The words that the braces of a word stand for; `None` if that is not plain.
///
/// Each alternative has to be looked at by itself: together, pieces that look harmless can make a path that leads
/// anywhere (`s{rc/,}{.,}.{/,}x`).
pub(in crate::shell) fn alternatives(word: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = word.split_once('{') else {
        return (!word.contains('}')).then(|| vec![word.to_owned()]);
    };
    let (inside, after) = rest.split_once('}')?;
    if inside.contains('{') || inside.contains("..") || !inside.contains(',') {
        return None;
    }
    let endings = alternatives(after)?;
    let mut words = Vec::new();
    for middle in inside.split(',') {
        for ending in &endings {
            words.push(format!("{before}{middle}{ending}"));
        }
    }
    (words.len() <= MOST_ALTERNATIVES).then_some(words)
}

/// Whether a pattern finds files behind folders that it does not name: those can be links.
pub(super) fn looks_behind_folders(word: &str) -> bool {
    word.rsplit_once('/')
        .is_some_and(|(folders, _)| folders.contains(['*', '?', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_taken_apart_as_bash_does() {
        let of = |word: &str| alternatives(word).unwrap().join(" ");
        assert_eq!(of("a"), "a");
        assert_eq!(of("src/{a,b}.rs"), "src/a.rs src/b.rs");
        assert_eq!(of("{a,b}{,/c}"), "a a/c b b/c");
        assert!(of("s{rc/,}{.,}.{/,}{.,}./x").contains("src/../../x"));
        for unclear in ["{a..c}", "{a,{b,c}}", "a}", "{a", "{a}"] {
            assert_eq!(alternatives(unclear), None, "{unclear}");
        }
        assert_eq!(alternatives(&"{a,b}".repeat(7)), None);
    }
}
