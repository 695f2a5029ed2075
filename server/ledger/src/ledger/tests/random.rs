//! Whatever is recorded, and wherever it is cut off: what was said before still holds.

use proptest::prelude::*;

use super::noise;

use crate::entry::{Entry, FileState};
use crate::ledger::{NewRejected, added_up};
use crate::log;
use crate::record::Record;
use crate::testing::{World, draft, key, noon, texts, turn};
use crate::{Draft, Ledger, OpId, Target, What, compact};

#[derive(Clone, Debug)]
enum Step {
    Intend(Vec<(u8, u8, u8)>),
    Done(usize),
    Abandon(usize),
    Hold(u8, u8),
    Settle(u8),
    Undo,
    Redo,
    UndoTurn(u64),
    Comment(u8),
    RemoveComments,
    Reject(u8),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let file = 0_u8..3;
    let word = 0_u8..6;
    prop_oneof![
        4 => prop::collection::vec((file.clone(), word.clone(), 0_u8..4), 1..4).prop_map(Step::Intend),
        5 => any::<usize>().prop_map(Step::Done),
        1 => any::<usize>().prop_map(Step::Abandon),
        2 => (file.clone(), word).prop_map(|(file, word)| Step::Hold(file, word)),
        1 => file.clone().prop_map(Step::Settle),
        2 => Just(Step::Undo),
        2 => Just(Step::Redo),
        1 => (0_u64..3).prop_map(Step::UndoTurn),
        1 => file.clone().prop_map(Step::Comment),
        1 => Just(Step::RemoveComments),
        1 => file.prop_map(Step::Reject),
        1 => Just(Step::Reopen),
    ]
}

fn name(file: u8) -> String {
    format!("file{file}")
}

fn word(word: u8) -> String {
    // The first word is no file at all.
    "w".repeat(usize::from(word))
}

fn open_op(ledger: &Ledger, pick: usize) -> Option<OpId> {
    let open: Vec<OpId> = ledger.record().open().map(|op| op.id).collect();
    open.get(pick % open.len().max(1)).copied()
}

fn intend(ledger: &mut Ledger, parts: &[(u8, u8, u8)]) {
    let what = [What::Edit, What::Keep, What::Reject, What::Shell];
    let drafts = parts.iter().map(|(file, to, kind)| {
        let name = name(*file);
        let before = ledger.record().pending_of(&key(&name));
        let before = before.map(|state| state.texts).unwrap_or_default();
        let after = texts(ledger, &word(*kind), &word(*to));
        Draft {
            origin: Some(turn(u64::from(*kind))),
            ..draft(what[usize::from(*kind)], &name, before, after)
        }
    });
    let drafts = drafts.collect();
    ledger.intend(drafts, noon()).unwrap();
}

fn again(ledger: &mut Ledger, what: What, target: Target) {
    let same = texts(ledger, "u", "v");
    let draft = Draft {
        target: Some(target),
        ..draft(what, "file0", same, same)
    };
    ledger.intend(vec![draft], noon()).unwrap();
}

fn take(step: &Step, ledger: &mut Ledger) {
    match step {
        Step::Intend(parts) => intend(ledger, parts),
        Step::Done(pick) => {
            if let Some(op) = open_op(ledger, *pick) {
                ledger.done(op).unwrap();
            }
        }
        Step::Abandon(pick) => {
            if let Some(op) = open_op(ledger, *pick) {
                ledger.abandon(op).unwrap();
            }
        }
        Step::Hold(file, to) => {
            let name = name(*file);
            let texts = texts(ledger, "base", &word(*to));
            let state = FileState {
                key: key(&name),
                path: name.into(),
                texts,
                detail: serde_json::json!({ "word": to }),
            };
            ledger.hold(state).unwrap();
        }
        Step::Settle(file) => ledger.settle(key(&name(*file))).unwrap(),
        Step::Undo => {
            if let Some(group) = ledger.record().last_undoable().map(|last| last.group) {
                again(ledger, What::Undo, Target::Decision(group));
            }
        }
        Step::Redo => {
            if let Some(group) = ledger.record().last_undone().map(|last| last.group) {
                again(ledger, What::Redo, Target::Decision(group));
            }
        }
        Step::UndoTurn(number) => again(ledger, What::Undo, Target::Since(turn(*number))),
        Step::Comment(file) => {
            ledger
                .comment(key(&name(*file)), 1, "word".to_owned())
                .unwrap();
        }
        Step::RemoveComments => {
            let all: Vec<_> = ledger.record().comments().map(|it| it.id).collect();
            ledger.remove_comments(&all).unwrap();
        }
        Step::Reject(file) => {
            let hunk = NewRejected {
                key: key(&name(*file)),
                path: name(*file).into(),
                line: 1,
                removed: ledger.put_hunk("r").unwrap(),
                // As large as the limit, so that it pushes out whatever may go.
                added: ledger.put_hunk(&noise(u32::from(*file))).unwrap(),
                origin: None,
            };
            ledger.keep_rejected(hunk).unwrap();
        }
        Step::Reopen => {}
    }
}

/// Every text that the record names can be read.
fn check_texts(ledger: &Ledger) {
    for (operation, _) in ledger.record().operations() {
        for hash in operation.hashes() {
            ledger.text(&hash).unwrap();
        }
    }
    for state in ledger.record().pending() {
        for hash in state.texts.hashes() {
            ledger.text(&hash).unwrap();
        }
    }
}

fn sum(entries: &[(usize, Entry)]) -> Record {
    let mut record = Record::default();
    for (_, entry) in entries {
        record.apply(entry).unwrap();
    }
    record
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_record_that_is_opened_again_is_the_same(
        steps in prop::collection::vec(step(), 1..60),
        limit in prop_oneof![Just(u64::MAX), 200_u64..2_000],
    ) {
        let mut world = World::new();
        world.limits.bytes = limit;
        let mut ledger = world.open();
        for step in &steps {
            take(step, &mut ledger);
            if matches!(step, Step::Reopen) {
                let before = ledger.record().clone();
                drop(ledger);
                let (again, opened) = world.try_open().unwrap();
                prop_assert_eq!(&opened.problems, &[]);
                // Opening may forget more, but only when it has to.
                if limit == u64::MAX {
                    prop_assert_eq!(again.record(), &before);
                }
                ledger = again;
            }
        }
        check_texts(&ledger);
        let before = ledger.record().clone();
        drop(ledger);
        let lines = log::read(&world.log()).unwrap();
        prop_assert_eq!(&sum(&lines.entries), &before);

        let shorter: Vec<(usize, Entry)> =
            compact::shortest(&lines.entries, &before).into_iter().map(|line| (0, line)).collect();
        prop_assert_eq!(&sum(&shorter), &before);
    }
}

proptest! {
    // Reading a log at each of its bytes takes the square of its length.
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_log_that_was_cut_off_at_any_byte_still_says_what_it_said(
        steps in prop::collection::vec(step(), 1..8),
    ) {
        let world = World::new();
        let mut ledger = world.open();
        for step in &steps {
            take(step, &mut ledger);
        }
        drop(ledger);
        let log = std::fs::read(world.log()).unwrap();
        let all = log::read(&world.log()).unwrap().entries;
        for cut in 0..=log.len() {
            let lines = log::read_lines(&log[..cut]).unwrap();
            // A line counts when all of it is there but for its end.
            let is_whole = |place: &usize| log.get(place + 1).is_none_or(|next| *next == b'\n');
            let ends = (0..cut).filter(|place| log[*place] != b'\n' && is_whole(place));
            let whole = ends.count();
            let (record, problems) = added_up(&lines, &world.folder()).unwrap();
            prop_assert_eq!(&record, &sum(&all[..whole]));
            let is_torn = cut > 0 && log[cut - 1] != b'\n' && !is_whole(&(cut - 1));
            prop_assert_eq!(problems.len(), usize::from(is_torn));
        }
        // Whoever was killed in the middle goes on from there.
        std::fs::write(world.log(), &log[..log.len() / 2]).unwrap();
        let mut ledger = world.open();
        check_texts(&ledger);
        for step in &steps {
            take(step, &mut ledger);
        }
        let before = ledger.record().clone();
        drop(ledger);
        let again = world.open();
        prop_assert_eq!(again.record(), &before);
    }
}
