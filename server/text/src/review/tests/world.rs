//! A file, the people and agents that change it, and what they typed.

use std::collections::BTreeSet;

use super::*;
use crate::{Splice, merge3};

/// The same numbers for the same seed.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound.max(1)
    }

    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

pub(super) struct World {
    pub(super) dice: Dice,
    pub(super) review: Review,
    /// Texts that an agent has read at some time.
    read: Vec<String>,
    /// Edits of the agent: the text before and after.
    done: Vec<(String, String)>,
    /// What a person typed and has not deleted or decided away.
    typed: BTreeSet<String>,
    /// How often each thing was done, to know that the test does what it says.
    pub(super) counts: [usize; 12],
    next: usize,
}

const ENDINGS: [&str; 8] = ["\n", "\n", "\n", "\n", "\r\n", "\r\n", "\r", ""];
const BODIES: [&str; 6] = ["", "a", "b", "}", "ä😀", "x = y"];

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let text: String = (0..dice.below(16)).map(|_| line(&mut dice)).collect();
        Self {
            review: Review::new(text.as_str()),
            read: vec![text],
            done: Vec::new(),
            typed: BTreeSet::new(),
            counts: [0; 12],
            next: 0,
            dice,
        }
    }

    pub(super) fn step(&mut self) {
        let before = self.review.current().to_string();
        let kind = *self.dice.pick(&[
            0, 0, 0, 0, 1, 2, 2, 2, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 11,
        ]);
        self.counts[kind] += 1;
        match kind {
            0 => self.type_something(&before),
            1 => self.write_from_outside(&before),
            2 => self.agent_edits(),
            3 => self.undo(),
            4 => self.keep(),
            5 => self.reject(&before),
            6 => self.settle(&before),
            7 if self.dice.below(4) == 0 => self.keep_all(&before),
            8 if self.dice.below(4) == 0 => self.reject_all(&before),
            9 => self.decide_by_origin(&before),
            10 => self.restart(),
            _ => self.read.push(before),
        }
        check_laws(&self.review);
        self.nothing_typed_is_gone();
        if self.read.len() > 6 {
            self.read.remove(0);
        }
        self.shrink();
    }

    /// Each thing that is typed is unlike everything else.
    fn token(&mut self, who: &str) -> String {
        self.next += 1;
        format!("<{who}{}>", self.next)
    }

    fn type_something(&mut self, before: &str) {
        let (start, end) = self.range(before, 6);
        let token = self.token("person");
        let text = match self.dice.below(6) {
            0 => String::new(),
            1 => format!("{token}\n"),
            2 => format!("\n{token}"),
            3 => format!("{token}\r\n{}", line(&mut self.dice)),
            4 => format!("\r{token}"),
            _ => token.clone(),
        };
        let hunks = shown(&self.review);
        let revision = self.review.revision();
        self.review.splice(start..end, &text);
        let expected = [&before[..start], &text, &before[end..]].concat();
        assert_eq!(self.review.current().to_string(), expected);
        assert!(self.review.revision() > revision || shown(&self.review) == hunks);
        self.forget_deleted(before);
        if expected.contains(&token) {
            self.typed.insert(token);
        }
    }

    fn write_from_outside(&mut self, before: &str) {
        let mut text = self.changed_by_line(before, "person");
        if self.dice.below(8) == 0 {
            text = text.replace("\r\n", "\n");
        }
        let revision = self.review.revision();
        let hunks = shown(&self.review);
        self.review.absorb(&text);
        assert_eq!(self.review.current().to_string(), text);
        assert!(self.review.revision() > revision || shown(&self.review) == hunks);
        self.forget_deleted(before);
        let tokens = tokens(&text).filter(|token| token.starts_with("<person"));
        self.typed.extend(
            tokens
                .filter(|token| !before.contains(token))
                .map(str::to_owned),
        );
    }

    fn agent_edits(&mut self) {
        let read = if self.dice.below(3) == 0 {
            self.dice.pick(&self.read).clone()
        } else {
            self.review.current().to_string()
        };
        let proposed = self.changed_by_line(&read, "agent");
        self.agent_edit(&read, &proposed);
    }

    /// Takes back an edit of the agent, by merge.
    fn undo(&mut self) {
        if self.done.is_empty() {
            return;
        }
        let (before, after) = self.done.remove(self.dice.below(self.done.len()));
        self.agent_edit(&after, &before);
    }

    fn agent_edit(&mut self, read: &str, proposed: &str) {
        let before = self.review.current().to_string();
        let origin = Origin(self.dice.below(3) as u64);
        let edited = self.review.agent_edit(read, proposed, origin);
        let now = self.review.current().to_string();
        let merged = merge3(read, &before, proposed);
        assert_eq!(now, merged.with_ours());
        assert_eq!(now, Splice::apply(&edited.splices, &before));
        assert_eq!(edited.conflicts, merged.conflicts().len());
        for became in &edited.became_base {
            assert_ne!(became.agent_text, became.text);
            self.decided(&[&became.base_text]);
        }
        self.done.push((before, now));
    }

    fn keep(&mut self) {
        let Some(id) = self.any_hunk() else { return };
        let hunk = self.review.hunk(id).unwrap();
        let (kind, base) = (hunk.kind(), hunk.base_text());
        let before = self.review.current().to_string();
        let kept = self.review.keep(id);
        assert_eq!(
            self.review.current().to_string(),
            before,
            "keep changed the text"
        );
        if kind == HunkKind::Conflict {
            assert_eq!(kept, Err(HunkError::Unsettled));
        } else {
            assert_eq!(kept, Ok(()));
            assert_eq!(self.review.keep(id), Err(HunkError::Stale));
            self.decided(&[&base]);
        }
    }

    fn keep_all(&mut self, before: &str) {
        let bases: String = self.review.hunks().map(|hunk| hunk.base_text()).collect();
        self.review.keep_all();
        assert_eq!(self.review.current().to_string(), before);
        assert_eq!(self.review.base().to_string(), before);
        self.decided(&[&bases]);
    }

    fn reject(&mut self, before: &str) {
        let Some(id) = self.any_hunk() else { return };
        let agents = self.agents(|hunk| hunk.id() == id);
        let rejected = self.review.reject(id).unwrap();
        assert_eq!(rejected.hunks.len(), 1);
        assert_eq!(
            Splice::apply(&rejected.splices, before),
            self.review.current().to_string()
        );
        self.decided(&[&agents]);
    }

    fn reject_all(&mut self, before: &str) {
        let agents = self.agents(|_| true);
        let rejected = self.review.reject_all();
        assert_eq!(
            Splice::apply(&rejected.splices, before),
            self.review.current().to_string()
        );
        assert!(
            self.review
                .hunks()
                .all(|hunk| hunk.kind() == HunkKind::Conflict)
        );
        self.decided(&[&agents]);
    }

    fn decide_by_origin(&mut self, before: &str) {
        let origin = Origin(self.dice.below(3) as u64);
        if self.dice.below(2) == 0 {
            let mine = self.review.hunks().filter(|hunk| hunk.origin() == origin);
            let bases: String = mine.map(|hunk| hunk.base_text()).collect();
            self.review.keep_origin(origin);
            assert_eq!(self.review.current().to_string(), before);
            self.decided(&[&bases]);
        } else {
            let agents = self.agents(|hunk| hunk.origin() == origin);
            let rejected = self.review.reject_origin(origin);
            assert_eq!(
                Splice::apply(&rejected.splices, before),
                self.review.current().to_string()
            );
            self.decided(&[&agents]);
        }
    }

    fn settle(&mut self, before: &str) {
        let conflict = |hunk: &ReviewHunk<'_>| hunk.kind() == HunkKind::Conflict;
        let Some(hunk) = self.review.hunks().find(conflict) else {
            return;
        };
        let (id, theirs) = (hunk.id(), hunk.their_text().unwrap());
        let mine = [hunk.base_text(), hunk.current_text()].concat();
        let side = *self.dice.pick(&[Side::Mine, Side::Theirs]);
        let splices = self.review.settle(id, side).unwrap();
        assert_eq!(
            Splice::apply(&splices, before),
            self.review.current().to_string()
        );
        match side {
            Side::Mine => {
                assert_eq!(splices, []);
                self.decided(&[&theirs]);
            }
            Side::Theirs => self.decided(&[&mine]),
        }
    }

    fn restart(&mut self) {
        let texts = self.review.texts();
        let restored = Review::restore(&texts, Origin(0));
        check_laws(&restored);
        assert_eq!(restored.texts(), texts);
        self.review = restored;
    }

    /// What the agent wrote in these hunks, or wants to.
    fn agents(&self, which: impl Fn(&ReviewHunk<'_>) -> bool) -> String {
        let text = |hunk: ReviewHunk<'_>| {
            let wrote = hunk.agent_text().unwrap_or_else(|| hunk.current_text());
            // Where a conflict stands on nothing, the text is the person's.
            let wrote = if hunk.is_changed() {
                wrote
            } else {
                String::new()
            };
            wrote + &hunk.their_text().unwrap_or_default()
        };
        self.review.hunks().filter(which).map(text).collect()
    }

    /// What a person has decided about may go.
    fn decided(&mut self, texts: &[&str]) {
        self.typed
            .retain(|token| !texts.iter().any(|text| text.contains(token)));
    }

    /// What a person deleted may go.
    fn forget_deleted(&mut self, before: &str) {
        let now = self.review.current().to_string();
        self.typed
            .retain(|token| !before.contains(token) || now.contains(token));
    }

    fn nothing_typed_is_gone(&self) {
        let mut known = self.review.current().to_string();
        known += &self.review.base().to_string();
        known.extend(self.review.hunks().filter_map(|hunk| hunk.their_text()));
        for token in &self.typed {
            assert!(known.contains(token), "{token} is gone");
        }
    }

    fn any_hunk(&mut self) -> Option<HunkId> {
        let ids: Vec<HunkId> = self.review.hunks().map(|hunk| hunk.id()).collect();
        (!ids.is_empty()).then(|| *self.dice.pick(&ids))
    }

    /// A copy of a text in which some lines are changed, deleted or added.
    fn changed_by_line(&mut self, text: &str, who: &str) -> String {
        let mut made = String::new();
        let rate = *self.dice.pick(&[2, 5, 12]);
        for line in lines(text) {
            let token = self.token(who);
            match self.dice.below(rate * 3) {
                0 => {}
                1 => made += &format!("{token}{}", self.dice.pick(&ENDINGS)),
                2 => made += &format!("{token}\n{line}"),
                3 => made += &format!("{token} {line}"),
                4 => made += &self::line(&mut self.dice),
                _ => made += line,
            }
        }
        if self.dice.below(4) == 0 {
            made += &self.token(who);
        }
        made
    }

    /// A range of a text, often empty, often at a line's edge.
    fn range(&mut self, text: &str, most: usize) -> (usize, usize) {
        let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        starts.push(text.len());
        let mut place = self.dice.below(starts.len());
        if self.dice.below(2) == 0 {
            let edge = |at: &usize| matches!(text[..*at].chars().last(), Some('\n' | '\r'));
            let next = starts[place..].iter().position(edge);
            place += next.unwrap_or_default();
        }
        let length = match self.dice.below(3) {
            0 => self.dice.below(most),
            1 => self.dice.below(most * 6),
            _ => 0,
        };
        let end = (place + length).min(starts.len() - 1);
        (starts[place], starts[end])
    }

    /// Keeps the text from growing for ever.
    fn shrink(&mut self) {
        let before = self.review.current().to_string();
        if before.len() < 600 {
            return;
        }
        let all = lines(&before);
        let half = all[..all.len() / 2].concat();
        self.review.absorb(&half);
        self.forget_deleted(&before);
        check_laws(&self.review);
    }
}

fn line(dice: &mut Dice) -> String {
    [*dice.pick(&BODIES), *dice.pick(&ENDINGS)].concat()
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('>')
        .filter_map(|part| part.rfind('<').map(|at| &part[at..]))
}

/// The hunks without their place.
fn shown(review: &Review) -> Vec<(HunkId, String, String, Option<String>)> {
    let content = |hunk: ReviewHunk<'_>| {
        (
            hunk.id(),
            hunk.base_text(),
            hunk.current_text(),
            hunk.their_text(),
        )
    };
    review.hunks().map(content).collect()
}
