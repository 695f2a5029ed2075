use proptest::prelude::*;

use super::*;
use crate::edit::distance::within;

/// Texts of few letters, so that edits meet in all kinds of ways.
fn text() -> impl proptest::strategy::Strategy<Value = String> {
    "([ab{ =ä👍\t]|foo|bar\\(|\n|\r\n|\r){0,40}"
}

/// The distance by its definition.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let best = (diagonal + usize::from(a != b))
                .min(row[j] + 1)
                .min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[right.len()]
}

proptest! {
    #[test]
    fn a_bounded_distance_is_the_distance(left in "[abc]{0,24}", right in "[abc]{0,24}", limit in 0_usize..26) {
        let left: Vec<char> = left.chars().collect();
        let right: Vec<char> = right.chars().collect();
        let expected = Some(distance(&left, &right)).filter(|distance| *distance <= limit);
        prop_assert_eq!(within(&left, &right, limit), expected);
    }

    /// Whatever is found in whatever way, the text outside of the lines that were named stays.
    #[test]
    fn an_edit_changes_nothing_outside_the_lines_it_names(
        text in text(), old in text(), new in text(), many in any::<bool>(),
    ) {
        let replacement = if many { all(&old, &new) } else { one(&old, &new) };
        let Ok(replaced) = replace(&text, &replacement) else {
            return Ok(());
        };
        let lines: Vec<&str> = crate::lines(&text);
        let first = *replaced.lines.first().unwrap().start();
        let last = *replaced.lines.last().unwrap().end();
        prop_assert!(last <= lines.len());
        let mut head = lines[..first - 1].concat();
        let tail = lines[last..].concat();
        // Only the end of the file may lose the newline before an edit.
        if tail.is_empty() && !text.ends_with(['\r', '\n']) {
            head.truncate(head.trim_end_matches(['\r', '\n']).len());
        }
        prop_assert!(replaced.text.starts_with(&head), "{replaced:?}");
        prop_assert!(replaced.text.ends_with(&tail), "{replaced:?}");
        prop_assert!(head.len() + tail.len() <= replaced.text.len());
    }

    #[test]
    fn an_exact_edit_is_what_the_standard_library_makes_of_it(
        before in "[ab\n]{0,20}", old in "[ab\n]{1,3}", after in "[ab\n]{0,20}", new in "[abc$\n]{0,4}",
    ) {
        let text = format!("{before}{old}{after}");
        let count = text.matches(&old).count();
        let mut expected = text.replacen(&old, &new, count);
        match (text.ends_with('\n'), expected.ends_with('\n')) {
            (true, false) => expected.push('\n'),
            (false, true) => { expected.pop(); }
            _ => {}
        }
        match replace(&text, &all(&old, &new)) {
            Ok(replaced) => {
                prop_assert_eq!(replaced.strategy, crate::Strategy::Exact);
                prop_assert_eq!(replaced.count, count);
                prop_assert_eq!(replaced.text, expected);
            }
            Err(error) => {
                prop_assert_eq!(error, EditError::NoChange);
                prop_assert_eq!(&text, &expected);
            }
        }
        let once = replace(&text, &one(&old, &new));
        prop_assert_eq!(count > 1 && old != new, matches!(once, Err(EditError::SeveralOccurrences { .. })));
    }

    /// Line ends of a text that has only one kind stay that kind.
    #[test]
    fn a_text_with_crlf_is_edited_as_the_same_text_with_lf(
        text in "[ab \n]{0,30}", old in "[ab \n]{1,6}", new in "[ab \n]{0,6}",
    ) {
        let text = format!("x\n{text}");
        let crlf = text.replace('\n', "\r\n");
        let expected = replace(&text, &one(&old, &new)).map(|replaced| replaced.text.replace('\n', "\r\n"));
        prop_assert_eq!(replace(&crlf, &one(&old, &new)).map(|replaced| replaced.text), expected);
    }

    /// A one-line edit in any mix of line ends changes that line's text and no other byte.
    #[test]
    fn a_one_line_edit_changes_only_that_line(
        before in prop::collection::vec(("[ab]{0,3}", "\n|\r\n|\r"), 0..6),
        ending in "\n|\r\n|\r",
        after in prop::collection::vec(("[ab]{0,3}", "\n|\r\n|\r"), 0..6),
        last in "[ab]{0,2}",
    ) {
        let joined = |lines: &[(String, String)]| -> String {
            lines.iter().map(|(text, ending)| format!("{text}{ending}")).collect()
        };
        // A carriage return before an empty line that ends in a line feed would be read as one ending.
        let base = format!("{}MARK{ending}x{}{last}", joined(&before), joined(&after));
        let expected = base.replace("MARK", "other");
        prop_assert_eq!(edited(&base, "MARK\n", "other\n").1, expected);
    }

    #[test]
    fn a_file_written_anew_reads_as_what_was_written(base in text(), new in text()) {
        let written = overwrite(&base, &new);
        prop_assert_eq!(seen::normalised(&written), seen::normalised(&new));
    }

    #[test]
    fn nothing_breaks(text in ".{0,60}", old in ".{0,20}", new in ".{0,20}") {
        let _any_answer = replace(&text, &one(&old, &new));
        let _any_text = snippet(&text, &new);
        let _any_text = unescape(&text);
        let _any_answer = omission_placeholder(&new, Some(&old));
        let _any_numbers = diff_stat(&text, &old, &new);
    }
}
