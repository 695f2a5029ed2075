//! Random trees, compared with a loop over all lines of all files in order.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

#[derive(Clone, Debug)]
struct Asked {
    before: usize,
    after: usize,
    limit: usize,
    most_per_file: usize,
}

/// What the result must be: matches are lines with an `n` and without an `x`.
fn expected(files: &[(PathBuf, Vec<&str>)], asked: &Asked) -> (String, bool) {
    let mut text = String::new();
    let mut left = asked.limit;
    let mut is_limited = false;
    for (path, lines) in files {
        let all: Vec<usize> = (0..lines.len())
            .filter(|at| lines[*at].contains('n') && !lines[*at].contains('x'))
            .collect();
        let mine: Vec<usize> = all.into_iter().take(asked.most_per_file).collect();
        is_limited |= mine.len() > left;
        let mine = &mine[..mine.len().min(left)];
        left -= mine.len();
        for (at, line) in lines.iter().enumerate() {
            let is_near = |found: &usize| *found <= at + asked.before && at <= *found + asked.after;
            if mine.contains(&at) {
                text += &format!("{}:{}:{line}\n", path.display(), at + 1);
            } else if mine.iter().any(is_near) {
                text += &format!("{}-{}-{line}\n", path.display(), at + 1);
            }
        }
    }
    (text, is_limited)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_search_finds_what_a_loop_over_all_lines_finds(
        files in btree_map(select(vec!["a", "b", "c/a", "c/b", "c/d/a", "c-/a", "c.b", "z"]), vec(select(vec!["n", "nx", "", "o", "on\r"]), 0..8), 0..8),
        (before, after, limit, most_per_file) in (0..3_usize, 0..3_usize, 1..12_usize, 1..5_usize),
    ) {
        let project = Project::new(&[]);
        for (path, lines) in &files {
            project.write(path, lines.join("\n"));
        }
        let asked = Asked { before, after, limit, most_per_file };
        let result = ask(&project, "n", |query| {
            query.exclude_lines = Some("x");
            query.context = Context::Lines { before, after };
            query.limit = limit;
            query.most_per_file = Some(most_per_file);
        });
        let mut in_order: Vec<(PathBuf, Vec<&str>)> = files.iter().map(|(path, lines)| {
            let mut lines = lines.clone();
            // What a trailing line break ends is no line.
            if lines.last() == Some(&"") {
                lines.pop();
            }
            (PathBuf::from(path), lines.into_iter().map(|line| line.trim_end_matches('\r')).collect())
        }).collect();
        in_order.sort();
        let (text, is_limited) = expected(&in_order, &asked);
        prop_assert_eq!(shown(&project, &result), text);
        prop_assert_eq!(result.ending == Ending::Limited, is_limited);
    }
}
