//! Each edit of the corpus in each kind of file, decided as a whole, undone and done again.

use pollux_testkit::byte_corpus::{EditedFile, FILE_KINDS, LINE_ENDINGS, edit_cases};
use pollux_text::{Occurrences, Replacement, decode, replace};
use pollux_workspace::{ReviewCommand, Scope};

use super::stage::{Road, Stage, turn_of};

/// So many files in one room: the steps of all of them have to fit into what an undo remembers.
const TOGETHER: usize = 80;

struct Tried {
    name: String,
    file: EditedFile,
    /// The text as the edit tool would propose it.
    proposed: String,
}

/// Every edit in every charset. The line endings take turns, since each write waits for the disk.
fn every_file() -> Vec<Tried> {
    let mut all = Vec::new();
    for (number, case) in edit_cases().iter().enumerate() {
        for (other, kind) in FILE_KINDS.iter().enumerate() {
            let turns = (0..LINE_ENDINGS.len()).map(|turn| (number + other + turn) % 4);
            let found = turns
                .map(|turn| LINE_ENDINGS[turn])
                .find_map(|(ending, endings)| Some((ending, case.in_file(kind, endings)?)));
            let Some((ending, file)) = found else {
                continue;
            };
            let text = decode(&file.original).unwrap().text;
            let replacement = Replacement {
                old: &case.old,
                new: &case.new,
                occurrences: Occurrences::One,
            };
            all.push(Tried {
                name: format!("{:?} in {} {ending}", case.old, kind.charset),
                proposed: replace(&text, &replacement).unwrap().text,
                file,
            });
        }
    }
    assert!(all.len() >= 600, "{}", all.len());
    all
}

/// What the files should hold.
#[derive(Clone, Copy, Debug)]
enum Holds {
    Original,
    Expected,
}

async fn compare(stage: &Stage, tried: &[Tried], step: &str, holds: Holds, pending: usize) {
    let mut wrong = Vec::new();
    for (number, Tried { name, file, .. }) in tried.iter().enumerate() {
        let bytes = match holds {
            Holds::Original => &file.original,
            Holds::Expected => &file.expected,
        };
        if let Some(fault) = stage.fault(number, bytes) {
            wrong.push(format!("{step}: {name}: {fault}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(stage.reviews().await.files.len(), pending, "{step}");
}

async fn every_step(road: Road, tried: &[Tried]) {
    let mut stage = Stage::new(road);
    for Tried { file, .. } in tried {
        stage.place(file.kind, &file.original);
    }
    let count = tried.len();
    let edits = tried
        .iter()
        .enumerate()
        .map(|(number, tried)| stage.edit(number, &tried.proposed));
    futures_util::future::join_all(edits).await;
    stage.saved(count).await;
    compare(&stage, tried, "edited", Holds::Expected, count).await;

    let everything = || Scope::Everything;
    let mut saves = count;
    for (step, command, holds, pending) in [
        (
            "rejected",
            ReviewCommand::Reject(everything()),
            Holds::Original,
            0,
        ),
        ("undone", ReviewCommand::Undo, Holds::Expected, count),
        ("again", ReviewCommand::Redo, Holds::Original, 0),
        ("undone twice", ReviewCommand::Undo, Holds::Expected, count),
        (
            "kept",
            ReviewCommand::Keep(everything()),
            Holds::Expected,
            0,
        ),
        (
            "turn undone",
            ReviewCommand::UndoTurn(turn_of(1)),
            Holds::Original,
            0,
        ),
        (
            "turn again",
            ReviewCommand::RedoTurn(turn_of(1)),
            Holds::Expected,
            0,
        ),
    ] {
        saves += match command {
            ReviewCommand::Keep(_) => 0,
            _ => count,
        };
        stage.order(command).await;
        stage.rest(0..count).await;
        stage.saved(saves).await;
        compare(&stage, tried, step, holds, pending).await;
    }
}

async fn every_step_of_every_file(road: Road) {
    for tried in every_file().chunks(TOGETHER) {
        every_step(road, tried).await;
    }
}

#[tokio::test]
async fn every_edit_of_a_closed_file_and_its_undoing_touch_its_own_bytes_only() {
    every_step_of_every_file(Road::Closed).await;
}

#[tokio::test]
async fn every_edit_of_an_open_file_and_its_undoing_touch_its_own_bytes_only() {
    every_step_of_every_file(Road::Open).await;
}
