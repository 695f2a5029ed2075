//! A room, two editors, a disk and an agent, and what each of them does next.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pollux_agent::Standing;
use pollux_agent::api::CallId;
use pollux_text::PositionEncoding;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::dice::Dice;
use super::editor::{Editor, FILE, Mood};
use super::laws::{Explicit, tokens};
use crate::inbox::Posted;
use crate::reviews::testing::{Edited, MemoryDisk, NoSettings, ROOT, key, place, turn};
use crate::reviews::{AgentChange, AgentEdit, Disk, Location};
use crate::room::RoomState;
use crate::{
    CompanionWish, Door, DoorContext, DoorId, Inbox, Input, Outbox, ReviewCommand, ReviewError,
    Scope, Side,
};

pub(super) const FIRST: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

pub(super) struct World {
    pub(super) seed: u64,
    pub(super) dice: Dice,
    pub(super) room: RoomState,
    /// While it is there, threads can post.
    _inbox: Inbox,
    posted: mpsc::UnboundedReceiver<Posted>,
    pub(super) disk: Arc<MemoryDisk>,
    pub(super) editors: Vec<Editor>,
    /// What threads, clocks and watchers have to say, and the room has not heard yet.
    pub(super) works: Vec<Input>,
    edited: Vec<Edited>,
    /// What the agent has read so far.
    read: Vec<String>,
    turn: u64,
    numbers: u64,
    /// Whatever people have typed and not deleted themselves.
    pub(super) typed: BTreeSet<u64>,
    pub(super) explicit: Explicit,
    pub(super) edited_by_hand: usize,
    pub(super) story: Vec<String>,
}

impl World {
    pub(super) async fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let count = if dice.once_in(4) { 2 } else { 1 };
        Self::with(seed, dice, count).await
    }

    /// One editor, and nothing happens by itself.
    pub(super) async fn calm() -> Self {
        Self::with(0, Dice::new(0), 1).await
    }

    async fn with(seed: u64, dice: Dice, count: u64) -> Self {
        let disk = MemoryDisk::empty();
        disk.put(FILE, FIRST);
        let (inbox, posted) = Inbox::new();
        let room = RoomState::new(
            Arc::new(NoSettings),
            Arc::clone(&disk) as Arc<dyn Disk>,
            None,
            inbox.downgrade(),
        );
        let mut world = Self {
            seed,
            dice,
            room,
            _inbox: inbox,
            posted,
            disk,
            editors: Vec::new(),
            works: Vec::new(),
            edited: Vec::new(),
            read: vec![FIRST.to_owned()],
            turn: 1,
            numbers: 0,
            typed: BTreeSet::new(),
            explicit: Explicit::Nothing,
            edited_by_hand: 0,
            story: Vec::new(),
        };
        for number in 1..=count {
            let (outbox, outbound) = Outbox::new(512, CancellationToken::new());
            let id = DoorId::new(number);
            world.room.handle(Input::DoorEntered(Door {
                id,
                context: DoorContext::default(),
                editor: None,
                companion: CompanionWish::default(),
                queries: std::collections::BTreeSet::default(),
                encoding: PositionEncoding::Utf16,
                outbox,
            }));
            world.editors.push(Editor::new(id, outbound));
        }
        world.collect().await;
        world
    }

    /// Lets threads finish and clocks strike, and takes what they post.
    async fn collect(&mut self) {
        self.pass(Duration::from_millis(1)).await;
    }

    /// The clock is paused: it moves once nothing else can, so whatever was begun is over by then.
    async fn pass(&mut self, time: Duration) {
        let _passed = tokio::time::timeout(time, std::future::pending::<()>()).await;
        while let Ok(posted) = self.posted.try_recv() {
            self.works.push(posted.input);
        }
        // Threads end in an order of their own.
        self.works.sort_by_cached_key(|work| format!("{work:?}"));
    }

    pub(super) async fn handle(&mut self, input: Input) {
        self.note(|| format!("heard {input:?}"));
        self.room.handle(input);
        self.collect().await;
    }

    pub(super) fn note(&mut self, words: impl FnOnce() -> String) {
        self.story.push(words());
    }

    /// Whether nobody has anything left to say.
    pub(super) fn is_quiet(&self) -> bool {
        let idle = |editor: &Editor| editor.wire.is_empty() && !editor.has_messages();
        self.works.is_empty() && self.editors.iter().all(idle) && !self.is_under_way()
    }

    fn is_under_way(&self) -> bool {
        let file = self.room.book().files.get(&key(FILE));
        file.is_some_and(|file| file.under_way.is_some() || !file.queue.is_empty())
    }

    pub(super) async fn step(&mut self) {
        let at = self.dice.below(self.editors.len());
        match self.dice.below(34) {
            0..=5 => self.person_types(at),
            6..=11 => self.hear(at).await,
            12..=15 => self.hear_work().await,
            16..=19 => self.editor_listens(at),
            20..=23 => self.agent_edits().await,
            24..=26 => self.decide().await,
            27 => self.open_or_close(at),
            28 => self.by_person(|world| {
                let World {
                    editors,
                    dice,
                    disk,
                    ..
                } = world;
                editors[at].save(disk, dice);
            }),
            29 => self.write_outside(),
            30 => {
                let time = [40, 500, 2_500][self.dice.below(3)];
                self.note(|| format!("{time} ms pass"));
                self.pass(Duration::from_millis(time)).await;
            }
            _ => self.come_to_rest().await,
        }
    }

    /// Everybody does what is asked, until nothing is.
    pub(super) async fn come_to_rest(&mut self) {
        self.note(|| "all come to rest".to_owned());
        for _ in 0..400 {
            if self.is_quiet() {
                return;
            }
            for at in 0..self.editors.len() {
                while self.editors[at].has_messages() {
                    self.editors[at].listen(Mood::Obedient, &self.disk, &mut self.dice);
                }
                while !self.editors[at].wire.is_empty() {
                    self.hear(at).await;
                }
            }
            while !self.works.is_empty() {
                self.hear_work().await;
            }
            if self.is_under_way() {
                self.pass(Duration::from_millis(500)).await;
            }
        }
        self.fail("it never comes to rest");
    }

    pub(super) async fn hear(&mut self, at: usize) {
        if let Some(input) = self.editors[at].wire.pop_front() {
            self.handle(input).await;
        }
    }

    pub(super) async fn hear_work(&mut self) {
        if !self.works.is_empty() {
            let which = self.dice.below(self.works.len());
            let work = self.works.remove(which);
            self.handle(work).await;
        }
    }

    /// What a person takes away is theirs to take away.
    fn by_person(&mut self, act: impl FnOnce(&mut Self)) {
        let before = self.at_hand();
        act(self);
        let after = self.at_hand();
        self.typed
            .retain(|token| after.contains(token) || !before.contains(token));
    }

    /// What stands in editors and on the disk.
    pub(super) fn at_hand(&self) -> BTreeSet<u64> {
        let mut found = tokens(&self.disk.text(FILE).unwrap_or_default());
        for text in self.editors.iter().filter_map(Editor::text) {
            found.extend(tokens(&text));
        }
        found
    }

    fn person_types(&mut self, at: usize) {
        let before = tokens(&self.editors[at].text().unwrap_or_default());
        self.by_person(|world| {
            let World {
                editors,
                dice,
                numbers,
                typed,
                story,
                ..
            } = world;
            let mut token = || {
                *numbers += 1;
                typed.insert(*numbers);
                format!("u{numbers};")
            };
            editors[at].type_something(dice, &mut token);
            story.push(format!("{at} has {:?}", editors[at].text()));
        });
        // The disk may still have what the person has taken out of the text; it is taken out all the same.
        let here = |editor: &Editor| tokens(&editor.text().unwrap_or_default());
        let left: BTreeSet<u64> = self.editors.iter().flat_map(here).collect();
        self.typed
            .retain(|token| left.contains(token) || !before.contains(token));
        // A token may have been overwritten by the next edit of the same message.
        let now = self.at_hand();
        let last = self.numbers;
        self.typed
            .retain(|token| *token + 4 < last || now.contains(token));
    }

    fn editor_listens(&mut self, at: usize) {
        let mood = match self.dice.below(10) {
            0 => Mood::Refusing,
            1 => Mood::Lying,
            2 => Mood::Silent,
            3..=4 => Mood::AnswersFirst,
            _ => Mood::Obedient,
        };
        self.note(|| format!("{at} listens, {mood:?}"));
        self.editors[at].listen(mood, &self.disk, &mut self.dice);
    }

    fn open_or_close(&mut self, at: usize) {
        self.by_person(|world| {
            let is_open = world.editors[at].buffer.is_some();
            world.note(|| format!("{at} {}", if is_open { "closes" } else { "opens" }));
            match world.disk.text(FILE) {
                _ if is_open => world.editors[at].close(),
                Some(text) => world.editors[at].open(&text),
                None => {}
            }
        });
    }

    fn write_outside(&mut self) {
        if self.editors.iter().any(|editor| editor.buffer.is_some()) {
            return;
        }
        self.by_person(|world| {
            let Some(text) = world.disk.text(FILE) else {
                return;
            };
            world.numbers += 1;
            world.typed.insert(world.numbers);
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            if !lines.is_empty() && world.dice.once_in(3) {
                lines.remove(world.dice.below(lines.len()));
            }
            let line = format!("u{};\n", world.numbers);
            lines.insert(world.dice.below(lines.len() + 1), &line);
            let mut text = lines.concat();
            // Never two tokens in a line that had no end.
            if !text.ends_with('\n') {
                text.push('\n');
            }
            world.disk.put(FILE, &text);
            world.note(|| format!("outside: {text:?}"));
        });
        self.works.push(Input::FilesChanged(vec![place(FILE)]));
    }

    /// The text that a tool would read.
    fn readable(&self) -> String {
        let view = self.room.documents().get(&key(FILE));
        let view = view.and_then(|document| document.latest());
        match view {
            Some(view) => view.text.to_string(),
            None => self.disk.text(FILE).unwrap_or_default(),
        }
    }

    async fn agent_edits(&mut self) {
        let now = self.readable();
        self.read.push(now);
        let old = self.dice.below(4.min(self.read.len()));
        let read = match self.dice.once_in(3) {
            true => self.read[self.read.len() - 1 - old].clone(),
            false => self.read[self.read.len() - 1].clone(),
        };
        let mut lines: Vec<String> = read.split_inclusive('\n').map(str::to_owned).collect();
        for _ in 0..1 + self.dice.below(3) {
            self.numbers += 1;
            let line = format!("a{};\n", self.numbers);
            let at = self.dice.below(lines.len() + 1);
            match self.dice.below(3) {
                0 => lines.insert(at, line),
                1 if at < lines.len() => lines[at] = line,
                _ if at < lines.len() => {
                    lines.remove(at);
                }
                _ => lines.push(line),
            }
        }
        let proposed = lines.concat();
        if self.dice.once_in(3) {
            self.turn += 1;
        }
        self.agent_makes(&read, &proposed).await;
    }

    pub(super) async fn agent_makes(&mut self, read: &str, proposed: &str) {
        let (reply, answer) = oneshot::channel();
        self.edited.push(answer);
        let edit = AgentEdit {
            key: key(FILE),
            at: Location {
                root: PathBuf::from(ROOT),
                path: place(FILE),
            },
            path: PathBuf::from(FILE),
            origin: turn(self.turn),
            call: CallId::new("call"),
            standing: Standing::Pending,
            change: AgentChange::Edit {
                read: read.into(),
                proposed: proposed.into(),
            },
            reply,
            cancel: CancellationToken::new(),
        };
        self.handle(Input::AgentEdit(Box::new(edit))).await;
    }

    async fn decide(&mut self) {
        let reviews = self.room.shown();
        let shown = reviews.files.get(&key(FILE));
        let scope = match (shown, self.dice.below(6)) {
            (Some(file), 0..=3) if !file.hunks.is_empty() => Scope::Hunk {
                key: key(FILE),
                name: crate::HunkName {
                    revision: file.revision,
                    index: self.dice.below(file.hunks.len()),
                },
            },
            (_, 4) => Scope::Turn(turn(1 + self.dice.below(4) as u64)),
            _ => Scope::File(key(FILE)),
        };
        let back_to = turn(self.turn.saturating_sub(self.dice.below(3) as u64));
        let command = match (self.dice.below(12), scope) {
            (0..=2, scope) => ReviewCommand::Keep(scope),
            (3..=5, scope) => ReviewCommand::Reject(scope),
            (6, Scope::Hunk { key, name }) => ReviewCommand::Settle {
                key,
                name,
                side: match self.dice.once_in(2) {
                    true => Side::Mine,
                    false => Side::Theirs,
                },
            },
            (6 | 7, _) => ReviewCommand::Undo,
            (8, _) => ReviewCommand::Redo,
            (9, _) => ReviewCommand::UndoTurn(back_to),
            (10, _) => ReviewCommand::RedoTurn(back_to),
            _ => match reviews.rejected.last() {
                Some(hunk) => ReviewCommand::Reapply(hunk.id),
                None => ReviewCommand::RewindTo(back_to),
            },
        };
        self.order(command).await;
    }

    pub(super) async fn order(&mut self, command: ReviewCommand) {
        self.explicit = Explicit::Something;
        let (reply, mut answer) = oneshot::channel();
        self.handle(Input::Review { command, reply }).await;
        let done: Result<_, ReviewError> = answer.try_recv().unwrap();
        self.note(|| format!("it said {done:?}"));
    }

    pub(super) fn fail(&self, why: &str) -> ! {
        let from = self.story.len().saturating_sub(60);
        let story = self.story[from..].join("\n");
        panic!("{story}\nseed {}: {why}", self.seed);
    }

    /// Whoever waits for an edit has heard of it.
    pub(super) fn answers_are_there(&mut self) -> bool {
        let mut waiting = std::mem::take(&mut self.edited);
        let still = |edited: &mut Edited| {
            matches!(edited.try_recv(), Err(oneshot::error::TryRecvError::Empty))
        };
        waiting.iter_mut().all(|edited| !still(edited))
    }
}
