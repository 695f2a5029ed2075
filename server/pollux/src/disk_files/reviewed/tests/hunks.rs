//! Files in which some hunks are kept and others rejected.

use pollux_testkit::byte_corpus::{FILE_KINDS, FileKind, LINE_ENDINGS, with_endings};
use pollux_workspace::{HunkName, ReviewCommand, Scope};

use super::stage::{Road, Stage, turn_of};

const LINES: usize = 25;
/// What the agent changes, the last line among it, and what of that is kept.
const CHANGED: [usize; 6] = [1, 6, 11, 16, 21, 24];
const KEPT: [usize; 3] = [1, 11, 24];

/// Whether the last line has an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastLine {
    Ended,
    Open,
}

struct Kind {
    file: FileKind,
    endings: &'static [&'static str],
    last: LastLine,
}

impl Kind {
    /// The lines of a file in which these are the agent's, with line feeds.
    fn text(&self, changed: &[usize]) -> String {
        let letters = match self.file.charset {
            "Shift_JIS" | "EUC-JP" => "設定",
            "windows-1252" => "déjà",
            _ => "日本 👍 é",
        };
        let mut text = self.file.first_line.to_owned();
        for line in 0..LINES {
            let word = match changed.contains(&line) {
                true => "new",
                false => "old",
            };
            text.push_str(&format!("\t{letters} {word} {line}  \n"));
        }
        if self.last == LastLine::Open {
            text.pop();
        }
        with_endings(&text, self.endings, 0)
    }

    fn bytes(&self, changed: &[usize]) -> Vec<u8> {
        let text = (self.file.encode)(&self.text(changed)).unwrap();
        [self.file.mark, &text].concat()
    }

    fn name(&self) -> String {
        format!("{} {:?} {:?}", self.file.charset, self.endings, self.last)
    }
}

fn kinds() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for file in FILE_KINDS {
        for (_, endings) in LINE_ENDINGS {
            for last in [LastLine::Ended, LastLine::Open] {
                kinds.push(Kind {
                    file,
                    endings,
                    last,
                });
            }
        }
    }
    kinds
}

/// Everything that one file goes through.
struct Scene<'a> {
    stage: &'a Stage,
    kind: &'a Kind,
    number: usize,
    saves: &'a mut usize,
}

impl Scene<'_> {
    async fn holds(&self, step: &str, changed: &[usize], pending: usize) {
        let (stage, number) = (self.stage, self.number);
        stage.rest([number]).await;
        stage.saved(*self.saves).await;
        let fault = stage.fault(number, &self.kind.bytes(changed));
        assert_eq!(fault, None, "{step}: {}", self.kind.name());
        let review = stage.review(number).await;
        let hunks = review.map_or(0, |review| review.hunks.len());
        assert_eq!(hunks, pending, "{step}: {}", self.kind.name());
    }

    /// Decides the first hunk that is pending, which is the change of this line.
    async fn decide(&mut self, line: usize) {
        let review = self.stage.review(self.number).await.unwrap();
        let removed = &review.hunks[0].removed;
        assert!(removed.contains(&format!(" {line}  ")), "{removed}");
        let hunk = Scope::Hunk {
            key: self.stage.key(self.number),
            name: HunkName {
                revision: review.revision,
                index: 0,
            },
        };
        match KEPT.contains(&line) {
            true => self.stage.order(ReviewCommand::Keep(hunk)).await,
            false => {
                *self.saves += 1;
                self.stage.order(ReviewCommand::Reject(hunk)).await;
            }
        }
    }

    async fn order(&mut self, command: ReviewCommand, saves: usize) {
        *self.saves += saves;
        self.stage.order(command).await;
    }

    async fn play(&mut self) {
        *self.saves += 1;
        let proposed = self.kind.text(&CHANGED);
        self.stage.edit(self.number, &proposed).await;
        self.holds("edited", &CHANGED, CHANGED.len()).await;
        let mut now = CHANGED.to_vec();
        for (decided, line) in CHANGED.into_iter().enumerate() {
            self.decide(line).await;
            now.retain(|other| *other != line || KEPT.contains(&line));
            let pending = CHANGED.len() - 1 - decided;
            self.holds("decided", &now, pending).await;
        }
        assert_eq!(now, KEPT);
        self.order(ReviewCommand::Undo, 0).await;
        self.holds("keep undone", &KEPT, 1).await;
        self.order(ReviewCommand::Undo, 1).await;
        self.holds("reject undone", &[1, 11, 21, 24], 2).await;
        self.order(ReviewCommand::Redo, 1).await;
        self.holds("rejected again", &KEPT, 1).await;
        self.order(ReviewCommand::Redo, 0).await;
        self.holds("kept again", &KEPT, 0).await;
    }
}

async fn decided_hunk_by_hunk(road: Road) {
    // What an undo remembers is limited: a room for each part of them.
    for kinds in kinds().chunks(24) {
        let mut stage = Stage::new(road);
        for kind in kinds {
            stage.place(kind.file, &kind.bytes(&[]));
        }
        let mut saves = 0;
        for (number, kind) in kinds.iter().enumerate() {
            let mut scene = Scene {
                stage: &stage,
                kind,
                number,
                saves: &mut saves,
            };
            scene.play().await;
        }
        stage.order(ReviewCommand::UndoTurn(turn_of(1))).await;
        stage.rest(0..kinds.len()).await;
        stage.saved(saves + kinds.len()).await;
        for (number, kind) in kinds.iter().enumerate() {
            let fault = stage.fault(number, &kind.bytes(&[]));
            assert_eq!(fault, None, "turn undone: {}", kind.name());
        }
    }
}

#[tokio::test]
async fn a_closed_file_of_any_kind_has_exactly_the_kept_hunks() {
    decided_hunk_by_hunk(Road::Closed).await;
}

#[tokio::test]
async fn an_open_file_of_any_kind_has_exactly_the_kept_hunks() {
    decided_hunk_by_hunk(Road::Open).await;
}
