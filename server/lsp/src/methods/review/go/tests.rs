use std::path::PathBuf;

use pollux_workspace::{FileKind, HunkState, ShownHunk};

use super::*;

fn key(name: &str) -> DocumentKey {
    DocumentKey::File(PathBuf::from("/p").join(name))
}

/// Files with hunks of one line each, at these lines.
fn reviews(files: &[(&str, &[usize])]) -> Reviews {
    let hunk = |line: &usize| ShownHunk {
        state: HunkState::Pending,
        lines: *line..line + 1,
        removed: "a\n".into(),
        added: "b\n".into(),
        origin: None,
        comments: Vec::new(),
    };
    let files = files.iter().map(|(name, lines)| {
        let review = FileReview {
            path: PathBuf::from(name),
            kind: FileKind::Changed,
            revision: 1,
            hunks: lines.iter().map(hunk).collect(),
            comments: Vec::new(),
        };
        (key(name), Arc::new(review))
    });
    Reviews {
        files: files.collect(),
        ..Reviews::default()
    }
}

fn check(way: Way, from: Option<(&str, usize)>, expected: Option<(&str, usize)>) {
    let reviews = reviews(&[("a", &[3, 8]), ("b", &[]), ("c", &[0, 5])]);
    let from = from.map(|(name, line)| (key(name), line));
    let expected = expected.map(|(name, index)| Target {
        key: key(name),
        index,
    });
    assert_eq!(step(&reviews, from.as_ref(), way), expected, "{from:?}");
}

#[test]
fn forward_goes_through_the_file_then_the_next_one_and_around() {
    check(Way::Forward, None, Some(("a", 0)));
    check(Way::Forward, Some(("a", 0)), Some(("a", 0)));
    check(Way::Forward, Some(("a", 3)), Some(("a", 1)));
    check(Way::Forward, Some(("a", 8)), Some(("c", 0)));
    check(Way::Forward, Some(("b", 0)), Some(("c", 0)));
    check(Way::Forward, Some(("c", 5)), Some(("a", 0)));
    check(Way::Forward, Some(("not reviewed", 0)), Some(("a", 0)));
}

#[test]
fn back_goes_to_the_start_of_the_hunk_under_the_cursor_first() {
    check(Way::Back, None, Some(("c", 1)));
    check(Way::Back, Some(("c", 6)), Some(("c", 1)));
    check(Way::Back, Some(("c", 5)), Some(("c", 0)));
    check(Way::Back, Some(("c", 0)), Some(("a", 1)));
    check(Way::Back, Some(("a", 3)), Some(("c", 1)));
}

#[test]
fn the_only_hunk_is_its_own_neighbour_and_without_any_there_is_nowhere_to_go() {
    let one = reviews(&[("a", &[3])]);
    let target = Some(Target {
        key: key("a"),
        index: 0,
    });
    for way in [Way::Forward, Way::Back] {
        assert_eq!(step(&one, Some(&(key("a"), 3)), way), target);
        assert_eq!(
            step(&reviews(&[("a", &[])]), Some(&(key("a"), 3)), way),
            None
        );
    }
}

#[test]
fn whoever_is_taken_to_a_hunk_hears_which_how_large_and_where() {
    let mut reviews = reviews(&[("a", &[3, 8]), ("src/upload.rs", &[0, 40])]);
    let says = |reviews: &Reviews| {
        let target = Target {
            key: key("src/upload.rs"),
            index: 1,
        };
        let review = &reviews.files[&target.key];
        words(reviews, &target, review, &review.hunks[1])
    };
    let place = "src/upload.rs line 41.";
    assert_eq!(
        says(&reviews),
        format!("Hunk 4 of 4, 1 line added, 1 removed, {place}")
    );
    for (state, expected) in [
        (
            HunkState::Proposed,
            "Proposed hunk 4 of 4, 3 lines to add, 1 to remove, ",
        ),
        (
            HunkState::Conflict,
            "Conflict 4 of 4, 1 line of yours, 3 of the agent's, ",
        ),
    ] {
        let file = reviews.files.get_mut(&key("src/upload.rs")).unwrap();
        let hunk = &mut Arc::make_mut(file).hunks[1];
        hunk.state = state;
        hunk.added = "x\ny\nz\n".into();
        assert_eq!(says(&reviews), format!("{expected}{place}"));
    }
}
