use serde_json::Value;

use crate::testing::{World, carry_out, draft, edit, noon, take_back, texts, turn};
use crate::{
    Draft, GroupId, Ledger, OpId, Origin, Recovered, Status, Target, Texts, What, recover,
};

fn keep(ledger: &mut Ledger, name: &str) -> GroupId {
    let (before, after) = (texts(ledger, "a", "b"), texts(ledger, "b", "b"));
    let op = carry_out(ledger, draft(What::Keep, name, before, after));
    ledger.record().operation(op).unwrap().0.group
}

fn standing(ledger: &Ledger) -> (Option<String>, Option<String>) {
    let record = ledger.record();
    let words = |decision: Option<crate::Decision<'_>>| decision.map(|it| it.words().to_owned());
    (words(record.last_undoable()), words(record.last_undone()))
}

fn some(words: &str) -> Option<String> {
    Some(words.to_owned())
}

#[test]
fn decisions_are_taken_back_and_made_again_in_turn() {
    let world = World::new();
    let mut ledger = world.open();
    let (one, two) = (keep(&mut ledger, "one"), keep(&mut ledger, "two"));
    assert_eq!(standing(&ledger), (some("Keep two"), None));

    take_back(&mut ledger, What::Undo, Target::Decision(two), "two");
    assert_eq!(standing(&ledger), (some("Keep one"), some("Keep two")));
    take_back(&mut ledger, What::Undo, Target::Decision(one), "one");
    assert_eq!(standing(&ledger), (None, some("Keep one")));
    let undo = ledger.record().undo_of(one).unwrap();
    assert_eq!(undo.words(), "Undo one");

    take_back(&mut ledger, What::Redo, Target::Decision(one), "one");
    assert_eq!(standing(&ledger), (some("Keep one"), some("Keep two")));
    assert_eq!(ledger.record().undo_of(one), None);

    keep(&mut ledger, "three");
    assert_eq!(standing(&ledger), (some("Keep three"), None));
}

#[test]
fn a_decision_about_many_files_is_one() {
    let world = World::new();
    let mut ledger = world.open();
    let (before, after) = (texts(&mut ledger, "a", "b"), texts(&mut ledger, "b", "b"));
    let drafts = ["x", "y", "z"].map(|name| draft(What::Keep, name, before, after));
    let intended = ledger.intend(drafts.to_vec(), noon()).unwrap();
    let [x, y, z] = intended.ids[..] else {
        panic!("three operations")
    };
    ledger.done(x).unwrap();
    ledger.abandon(y).unwrap();
    ledger.done(z).unwrap();
    let last = ledger.record().last_undoable().unwrap();
    let ids: Vec<OpId> = last.operations.iter().map(|op| op.id).collect();
    assert_eq!((last.group, ids), (intended.group, vec![x, z]));

    let target = Target::Decision(intended.group);
    take_back(&mut ledger, What::Undo, target.clone(), "x");
    take_back(&mut ledger, What::Undo, target, "z");
    assert_eq!(standing(&ledger), (None, some("Keep x")));
}

#[test]
fn the_changes_of_a_turn_are_found_in_their_order() {
    let world = World::new();
    let mut ledger = world.open();
    let first = edit(&mut ledger, "a", "1", "2", 1);
    let second = edit(&mut ledger, "a", "2", "3", 2);
    keep(&mut ledger, "a");
    let third = edit(&mut ledger, "b", "1", "2", 2);
    let fourth = edit(&mut ledger, "a", "3", "4", 3);
    let foreign = Draft {
        origin: Some(Origin {
            session: "other".to_owned(),
            turn: 9,
        }),
        ..draft(What::Edit, "c", Texts::default(), Texts::default())
    };
    carry_out(&mut ledger, foreign);

    let ids = |found: Vec<&crate::Operation>| found.iter().map(|op| op.id).collect::<Vec<_>>();
    let record = ledger.record();
    assert_eq!(ids(record.of_turn(&turn(2))), [second, third]);
    assert_eq!(ids(record.since_turn(&turn(2))), [second, third, fourth]);
    assert_eq!(ids(record.of_turn(&turn(1))), [first]);
    assert_eq!(ids(record.since_turn(&turn(7))), []);
}

#[test]
fn a_turn_that_was_taken_back_is_known_to_be() {
    let world = World::new();
    let mut ledger = world.open();
    for number in 1..=3 {
        edit(&mut ledger, "a", "1", "2", number);
    }
    let undone = |ledger: &Ledger| {
        let is_undone = |number: &u64| ledger.record().undo_of_turn(&turn(*number)).is_some();
        (1..=3).filter(is_undone).collect::<Vec<_>>()
    };
    take_back(&mut ledger, What::Undo, Target::Turn(turn(1)), "a");
    assert_eq!(undone(&ledger), [1]);
    take_back(&mut ledger, What::Redo, Target::Turn(turn(1)), "a");
    assert_eq!(undone(&ledger), Vec::<u64>::new());
    take_back(&mut ledger, What::Undo, Target::Since(turn(2)), "a");
    assert_eq!(undone(&ledger), [2, 3]);
    take_back(&mut ledger, What::Redo, Target::Turn(turn(3)), "a");
    assert_eq!(undone(&ledger), [2]);
}

#[test]
fn a_file_is_pending_while_its_texts_differ() {
    let world = World::new();
    let mut ledger = world.open();
    let (one, two) = (texts(&mut ledger, "1", "1"), texts(&mut ledger, "1", "2"));
    let intended = ledger.intend(
        vec![Draft {
            detail: Value::from("hunks"),
            ..draft(What::Edit, "a", one, two)
        }],
        noon(),
    );
    let op = intended.unwrap().ids[0];
    assert_eq!(ledger.record().pending().count(), 0, "it is not done yet");
    assert_eq!(ledger.record().operation(op).unwrap().1, Status::Open);
    ledger.done(op).unwrap();
    let pending: Vec<_> = ledger.record().pending().collect();
    assert_eq!((pending.len(), pending[0].texts), (1, two));
    assert_eq!(pending[0].detail, Value::from("hunks"));

    let conflict = Texts {
        agent: two.current,
        ..one
    };
    carry_out(&mut ledger, draft(What::Edit, "a", two, conflict));
    assert_eq!(
        ledger.record().pending().count(),
        1,
        "a conflict is to be settled"
    );
    carry_out(&mut ledger, draft(What::Settle, "a", conflict, one));
    assert_eq!(ledger.record().pending().count(), 0);
}

#[test]
fn the_file_tells_what_became_of_an_operation() {
    let world = World::new();
    let mut ledger = world.open();
    let op = edit(&mut ledger, "a", "before", "after", 1);
    let told = |content| recover(ledger.record().operation(op).unwrap().0, content);
    assert_eq!(told(Some(b"before".as_slice())), Recovered::Before);
    assert_eq!(told(Some(b"after".as_slice())), Recovered::After);
    assert_eq!(told(Some(b"typed".as_slice())), Recovered::Neither);
    assert_eq!(told(None), Recovered::Neither);

    let (gone, there) = (texts(&mut ledger, "", ""), texts(&mut ledger, "", "new"));
    let op = carry_out(&mut ledger, draft(What::Create, "b", gone, there));
    let told = |content| recover(ledger.record().operation(op).unwrap().0, content);
    assert_eq!(told(None), Recovered::Before);
    assert_eq!(told(Some(b"new".as_slice())), Recovered::After);

    let group = keep(&mut ledger, "c");
    let decision = ledger.record().decision(group);
    let kept = decision.operations[0];
    assert_eq!(
        recover(kept, Some(b"b")),
        Recovered::After,
        "a keep touches no file"
    );
}
