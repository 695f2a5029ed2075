use pollux_text::Decision::{Keep, Reject};
use pollux_text::hunks;
use proptest::prelude::*;

use super::{Meanwhile, Outcome, Texts};

const BASE: &str = "a\nb\nc\nd\ne\n";
const PROPOSED: &str = "a\nB\nc\nd\nE\n";

fn texts() -> Texts {
    Texts::new(BASE, PROPOSED.to_owned())
}

fn written(text: &str) -> Outcome {
    Outcome::Text(text.to_owned())
}

#[test]
fn the_text_holds_exactly_the_kept_hunks() {
    let texts = texts();
    assert_eq!(texts.decided(BASE, &[Keep, Keep]), Outcome::AsProposed);
    assert_eq!(
        texts.decided(BASE, &[Keep, Reject]),
        written("a\nB\nc\nd\ne\n")
    );
    assert_eq!(
        texts.decided(BASE, &[Reject, Keep]),
        written("a\nb\nc\nd\nE\n")
    );
    assert_eq!(texts.decided(BASE, &[Reject, Reject]), Outcome::Rejected);
}

#[test]
fn what_a_person_typed_meanwhile_stays() {
    let texts = texts();
    let now = "top\na\nb\nc\nmine\ne\n";
    assert_eq!(
        texts.decided(now, &[Keep, Reject]),
        written("top\na\nB\nc\nmine\ne\n")
    );
    // All kept, and still not what was proposed: the person's lines have to be in it.
    assert_eq!(
        texts.decided("top\na\nb\nc\nd\ne\n", &[Keep, Keep]),
        written("top\na\nB\nc\nd\nE\n")
    );
    // In the same line the person's wins, and nothing is left to write.
    assert_eq!(
        texts.decided("a\nmine\nc\nd\ne\n", &[Keep, Reject]),
        Outcome::Rejected
    );
    // Typed by the person themselves: the agent may go on.
    assert_eq!(
        texts.decided("a\nB\nc\nd\ne\n", &[Keep, Reject]),
        written("a\nB\nc\nd\ne\n")
    );
}

#[test]
fn a_file_that_is_to_be_empty_is_said_in_the_one_way_there_is() {
    let emptied = Texts::new("a\n", String::new());
    assert_eq!(emptied.decided("a\n", &[Keep]), Outcome::AsProposed);
    // A person has emptied it: nothing of the agent's is left, and no text could say so.
    assert_eq!(texts().decided("", &[Keep, Reject]), Outcome::Rejected);
}

#[test]
fn carriage_returns_are_the_agents_business() {
    let base = "a\r\nb\r\nc\r\nd\r\ne\r\n";
    let texts = Texts::new(base, PROPOSED.to_owned());
    assert_eq!(hunks(&texts.base, &texts.proposed).len(), 2);
    let now = texts.now(&meanwhile(base, base, base));
    assert_eq!(
        texts.decided(&now, &[Keep, Reject]),
        written("a\nB\nc\nd\ne\n")
    );
    assert_eq!(texts.decided(&now, &[Keep, Keep]), Outcome::AsProposed);
    // One that keeps them is taken at its word.
    let kept = Texts::new(base, base.replace('b', "B"));
    assert_eq!(kept.decided(base, &[Keep]), Outcome::AsProposed);
    assert_eq!(hunks(&kept.base, &kept.proposed).len(), 1);
}

fn meanwhile(shown_then: &str, shown_now: &str, disk_now: &str) -> Meanwhile {
    Meanwhile {
        shown_then: shown_then.to_owned(),
        shown_now: shown_now.to_owned(),
        disk_now: disk_now.to_owned(),
    }
}

#[test]
fn what_was_typed_since_counts_and_an_editor_that_is_behind_takes_nothing_back() {
    let texts = texts();
    let now = |then: &str, shown: &str, disk: &str| texts.now(&meanwhile(then, shown, disk));
    assert_eq!(now(BASE, BASE, BASE), BASE);
    // Typed, and typed and saved.
    let typed = "mine\na\nb\nc\nd\ne\n";
    assert_eq!(now(BASE, typed, BASE), typed);
    assert_eq!(now(BASE, typed, typed), typed);
    // Another agent wrote.
    let other = "a\nb\nC\nd\ne\n";
    assert_eq!(now(BASE, BASE, other), other);
    assert_eq!(now(BASE, typed, other), "mine\na\nb\nC\nd\ne\n");
    // The editor has not read what is on disk.
    let behind = "a\nb\nc before\nd\ne\n";
    assert_eq!(now(behind, behind, BASE), BASE);
    // Unsaved before, and more since: the latter is what happened meanwhile.
    let unsaved = "unsaved\na\nb\nc\nd\ne\n";
    assert_eq!(now(unsaved, unsaved, BASE), BASE);
    assert_eq!(
        now(unsaved, "unsaved\na\nb\nc\nmine\nd\ne\n", BASE),
        "a\nb\nc\nmine\nd\ne\n"
    );
}

fn lines() -> impl Strategy<Value = String> {
    proptest::collection::vec("[a-d]{1,2}\n", 0..12).prop_map(|lines| lines.concat())
}

proptest! {
    /// Whatever is decided, a line that only the person has is never lost.
    #[test]
    fn nothing_typed_is_lost(base in lines(), proposed in lines(), at in 0..12_usize, keep in any::<u16>()) {
        let texts = Texts::new(&base, proposed);
        let count = hunks(&texts.base, &texts.proposed).len();
        let decisions: Vec<_> = (0..count)
            .map(|hunk| if keep >> (hunk % 16) & 1 == 1 { Keep } else { Reject })
            .collect();
        let mut typed: Vec<&str> = base.split_inclusive('\n').collect();
        typed.insert(at.min(typed.len()), "the person's\n");
        let now = typed.concat();
        match texts.decided(&now, &decisions) {
            Outcome::Text(text) => prop_assert!(text.contains("the person's\n")),
            Outcome::Rejected => {}
            Outcome::AsProposed => prop_assert!(false, "that would overwrite it"),
        }
    }
}
