use proptest::prelude::*;

use super::*;
use crate::merge::tests::text;

/// A text and what an agent made of it: most lines stay.
fn edit() -> impl Strategy<Value = (String, String)> {
    let edits = prop::collection::vec(0..7_u8, 14);
    (text(), edits).prop_map(|(before, edits)| {
        let after = changed(&before, &edits, "agent");
        (before, after)
    })
}

fn changed(text: &str, edits: &[u8], who: &str) -> String {
    let mut made = String::new();
    for (index, line) in lines(text).into_iter().enumerate() {
        match edits.get(index) {
            Some(0) => {}
            Some(1) => made += &format!("{who}{index}\n"),
            Some(2) => made += &format!("{who}{index}\r\n{line}"),
            Some(3) => made += &format!("{line}{who}{index}\r"),
            _ => made += line,
        }
    }
    made
}

/// Several edits of agents, some from the text as it was at first.
fn agents() -> impl Strategy<Value = (String, Vec<(Vec<u8>, bool)>)> {
    let edits = (prop::collection::vec(0..7_u8, 14), any::<bool>());
    (text(), prop::collection::vec(edits, 1..5))
}

fn edited_by_agents(before: &str, edits: &[(Vec<u8>, bool)]) -> Review {
    let mut review = Review::new(before);
    for (number, (edits, from_old)) in edits.iter().enumerate() {
        let read = if *from_old {
            before.to_owned()
        } else {
            review.current().to_string()
        };
        let proposed = changed(&read, edits, &format!("agent{number}-"));
        review.agent_edit(&read, &proposed, Origin(number as u64));
        check_laws(&review);
    }
    review
}

fn contents(review: &Review) -> Vec<(HunkId, String, String)> {
    let content = |hunk: ReviewHunk<'_>| (hunk.id(), hunk.base_text(), hunk.current_text());
    review.hunks().map(content).collect()
}

proptest! {
    #[test]
    fn keeping_never_changes_the_text_and_keeping_all_moves_the_base_to_it((before, edits) in agents(), which in 0..9_usize) {
        let mut review = edited_by_agents(&before, &edits);
        let current = review.current().to_string();
        if let Ok(id) = review.resolve(review.revision(), which) {
            let base = review.base().to_string();
            let hunk = review.hunk(id).unwrap();
            let mut expected = base.clone();
            expected.replace_range(hunk.base_bytes(), &hunk.current_text());
            match review.keep(id) {
                Ok(()) => prop_assert_eq!(review.base().to_string(), expected),
                Err(error) => {
                    prop_assert_eq!(error, HunkError::Unsettled);
                    prop_assert_eq!(review.base().to_string(), base);
                }
            }
            check_laws(&review);
            prop_assert_eq!(review.current().to_string(), current.clone());
        }
        review.keep_all();
        check_laws(&review);
        prop_assert_eq!(review.current().to_string(), current.clone());
        prop_assert_eq!(review.base().to_string(), current);
    }

    #[test]
    fn rejecting_all_restores_the_text_when_no_person_has_edited_it((before, edits) in agents(), restart in any::<bool>()) {
        let mut review = edited_by_agents(&before, &edits);
        if restart {
            review = Review::restore(&review.texts(), Origin(0));
        }
        review.reject_all();
        prop_assert_eq!(review.current().to_string(), before.clone());
        prop_assert_eq!(review.base().to_string(), before);
        prop_assert!(review.is_empty());
    }

    #[test]
    fn rejecting_one_by_one_is_rejecting_all((before, edits) in agents(), order in prop::collection::vec(any::<prop::sample::Index>(), 64)) {
        let mut review = edited_by_agents(&before, &edits);
        for index in order {
            if !review.is_empty() {
                let index = index.index(review.len());
                let id = review.resolve(review.revision(), index).unwrap();
                review.reject(id).unwrap();
                check_laws(&review);
            }
        }
        review.reject_all();
        prop_assert_eq!(review.current().to_string(), before);
    }

    #[test]
    fn an_edit_outside_every_hunk_changes_no_hunk((before, after) in edit(), place in any::<prop::sample::Index>(), length in 0..9_usize, insert in "[x\r\nä]{0,3}") {
        let mut review = Review::new(before.as_str());
        review.agent_edit(&before, &after, Origin(1));
        let starts: Vec<usize> = after.char_indices().map(|(at, _)| at).chain([after.len()]).collect();
        let first = place.index(starts.len());
        let range = starts[first]..starts[(first + length).min(starts.len() - 1)];
        // The line before a hunk ends where the hunk begins, so a whole line must lie between.
        let outside = |hunk: ReviewHunk<'_>| {
            let lines = hunk.current_bytes();
            range.end < lines.start || lines.end < range.start
        };
        prop_assume!(review.hunks().all(outside));
        let (revision, contents_before) = (review.revision(), contents(&review));
        review.splice(range, &insert);
        check_laws(&review);
        prop_assert_eq!(contents(&review), contents_before);
        prop_assert_eq!(review.revision(), revision);
        let original = review.reject_all();
        prop_assert!(original.hunks.len() == contents(&review).len() || review.is_empty());
    }

    #[test]
    fn what_is_restored_has_the_same_texts_and_decides_the_same((before, edits) in agents()) {
        let mut review = edited_by_agents(&before, &edits);
        let texts = review.texts();
        let mut restored = Review::restore(&texts, Origin(1));
        check_laws(&restored);
        prop_assert_eq!(restored.texts(), texts);
        review.keep_all();
        restored.keep_all();
        prop_assert_eq!(review.texts(), restored.texts());
    }

    #[test]
    fn an_edit_that_arrived_with_typing_elsewhere_has_landed(
        edits in prop::collection::vec(0..7_u8, 6),
        typing in prop::collection::vec(0..7_u8, 6),
    ) {
        let part = |name: &str| -> String { (0..6).map(|line| format!("{name}{line}\n")).collect() };
        let (head, tail) = (part("head"), part("tail"));
        let text = |head: &str, tail: &str| format!("{head}between\n{tail}");
        let before = text(&head, &tail);
        let expected = text(&changed(&head, &edits, "agent"), &tail);
        let typed = changed(&tail, &typing, "person");
        let now = text(&changed(&head, &edits, "agent"), &typed);
        match landed(&before, &expected, &now) {
            Landed::Arrived { rest } => prop_assert_eq!(crate::Splice::apply(&rest, &expected), now),
            Landed::NotYet => prop_assert!(false, "it is there"),
        }
        if expected != before {
            prop_assert_eq!(landed(&before, &expected, &text(&head, &typed)), Landed::NotYet);
        }
    }

    #[test]
    fn any_splice_of_any_text_keeps_the_laws(before in text(), after in text(), splices in prop::collection::vec((0..40_usize, 0..40_usize, "[a\r\n😀]{0,4}"), 0..6)) {
        let mut review = Review::new(before.as_str());
        review.agent_edit(&before, &after, Origin(1));
        for (start, end, text) in splices {
            review.splice(start..end, &text);
            check_laws(&review);
        }
    }
}
