use super::*;

const BASE: &str = "one\ntwo\nthree\nfour\nfive\n";
const PROPOSED: &str = "one\nTWO\nthree\nfour\nFIVE\nsix\n";

fn made(base: &str, proposed: &str, asked: AskedFirst) -> MadeEdit {
    let path = WorkspacePath::new(Path::new("/w"), "src/a.rs").unwrap();
    let texts = (base, proposed);
    let call = CallId::new("c");
    let proposal = Proposal::recalled(ProposalId(3), call, path, Target::File, 0, texts);
    MadeEdit {
        proposal: Arc::new(proposal),
        asked,
        conflicts: 0,
    }
}

fn again(made: &MadeEdit) -> Option<Vec<Event>> {
    let json = RecordedEdit::of(made)?.to_json().to_string();
    let back = RecordedEdit::from_json(&serde_json::from_str(&json).unwrap())?;
    Some(back.events(7, &CallId::new("c")))
}

/// The hunks as a view gets them.
fn hunks(proposal: &Proposal) -> Vec<(usize, &str, usize, &str)> {
    let hunks = proposal.hunks.iter();
    hunks
        .map(|hunk| {
            (
                proposal.above + hunk.base_lines().start,
                hunk.base_text(&proposal.base),
                proposal.above + hunk.current_lines().start,
                hunk.current_text(&proposal.proposed),
            )
        })
        .collect()
}

#[test]
fn an_edit_comes_back_with_the_hunks_it_had() {
    let made = made(BASE, PROPOSED, AskedFirst::No);
    let [Event::EditMade(recalled)] = &again(&made).unwrap()[..] else {
        panic!("it was made")
    };
    assert_eq!(hunks(recalled), hunks(&made.proposal));
    assert_eq!(recalled.id, ProposalId(7));
    assert_eq!(recalled.path.to_string(), "src/a.rs");
}

#[test]
fn what_was_decided_before_it_was_made_comes_back_too() {
    let decisions = vec![Decision::Keep, Decision::Reject];
    let made = made(BASE, PROPOSED, AskedFirst::Yes(decisions.clone()));
    let events = again(&made).unwrap();
    assert!(matches!(&events[0], Event::EditProposed(shown) if shown.hunks.len() == 2));
    let decided = Event::EditDecided {
        proposal: ProposalId(7),
        decisions,
        by: None,
    };
    assert_eq!(events[1], decided);
    assert_eq!(events.len(), 2);
}

#[test]
fn a_conflict_comes_back_as_one() {
    for asked in [
        AskedFirst::No,
        AskedFirst::Yes(vec![Decision::Keep, Decision::Keep]),
    ] {
        let made = MadeEdit {
            conflicts: 1,
            ..made(BASE, PROPOSED, asked)
        };
        let contested = Event::EditContested {
            proposal: ProposalId(7),
            conflicts: 1,
        };
        assert_eq!(again(&made).unwrap().last(), Some(&contested));
    }
}

#[test]
fn a_small_edit_of_a_large_file_is_kept_and_a_large_edit_is_not() {
    let line = "some text that stands in a line\n";
    let large = line.repeat(100_000);
    let small = format!("{large}more\n");
    let [Event::EditMade(recalled)] = &again(&made(&large, &small, AskedFirst::No)).unwrap()[..]
    else {
        panic!("it was made")
    };
    assert_eq!(hunks(recalled), [(100_000, "", 100_000, "more\n")]);
    assert_eq!(again(&made("", &large, AskedFirst::No)), None);
    assert_eq!(again(&made(BASE, BASE, AskedFirst::No)), None);
}

#[test]
fn a_record_that_makes_no_sense_is_passed_over() {
    for text in [
        "null",
        "{}",
        r#"{"path":"a","above":-1,"before":"","after":""}"#,
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(RecordedEdit::from_json(&value), None);
    }
    let outside = json!({ "path": "../a", "above": 0, "before": "a", "after": "b" });
    let found = RecordedEdit::from_json(&outside).unwrap();
    assert_eq!(found.events(1, &CallId::new("c")), []);
}
