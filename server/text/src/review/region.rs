//! The regions in which two texts differ.
//!
//! They are kept as distances: a region knows how much equal text lies before it, and so does not change when text comes
//! or goes elsewhere. They lie in two stacks that meet at a cursor, because edits come in sweeps; moving the cursor is the
//! only thing that costs more with more regions.

use std::ops::{Add, AddAssign, Range, Sub};

use ropey::Rope;

use super::{HunkId, Origin};

/// A stretch of one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) bytes: usize,
    pub(super) lines: usize,
}

/// Where two texts have the same neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    pub(super) base: usize,
    pub(super) current: usize,
    pub(super) base_line: usize,
    pub(super) current_line: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Region {
    /// The equal text before it.
    pub(super) gap: Extent,
    pub(super) base: Extent,
    pub(super) current: Extent,
    /// What the agent wrote here, when a person has edited it since.
    pub(super) agent: Option<Rope>,
    /// What the agent wants here instead of what a person has.
    pub(super) theirs: Option<Rope>,
    pub(super) id: HunkId,
    pub(super) origin: Origin,
}

/// A region by its bytes in both texts, while it is being worked on.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) base: Range<usize>,
    pub(super) current: Range<usize>,
    pub(super) agent: Option<Rope>,
    pub(super) theirs: Option<Rope>,
    pub(super) id: HunkId,
    pub(super) origin: Origin,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Regions {
    before: Vec<Region>,
    /// The nearest last.
    after: Vec<Region>,
    /// The end of the last region before the cursor.
    at: At,
}

impl Regions {
    pub(super) fn len(&self) -> usize {
        self.before.len() + self.after.len()
    }

    /// The end of the last region before the cursor.
    pub(super) fn at(&self) -> At {
        self.at
    }

    pub(super) fn has_before(&self) -> bool {
        !self.before.is_empty()
    }

    /// All regions, each with where it begins.
    pub(super) fn placed(&self) -> impl Iterator<Item = (At, &Region)> {
        let all = self.before.iter().chain(self.after.iter().rev());
        all.scan(At::default(), |at, region| {
            let start = *at + region.gap;
            *at = start.behind(region);
            Some((start, region))
        })
    }

    pub(super) fn drafts(&self) -> impl Iterator<Item = Draft> {
        self.placed()
            .map(|(start, region)| Draft::new(start, region))
    }

    /// Moves the cursor so that exactly the regions are before it for which this holds: a first few.
    pub(super) fn seek(&mut self, is_before: impl Fn(&Draft) -> bool) {
        while let Some(draft) = self.last_before() {
            if is_before(&draft) {
                break;
            }
            self.step_back();
        }
        while let Some(draft) = self.first_after() {
            if !is_before(&draft) {
                break;
            }
            self.step();
        }
    }

    /// Moves the cursor before the region, and shows it.
    pub(super) fn seek_id(&mut self, id: HunkId) -> Option<Draft> {
        let has = |region: Option<&Region>| region.is_some_and(|region| region.id == id);
        // Those who go through all of them come from one of the neighbours.
        if has(self.before.last()) {
            self.step_back();
        } else if !has(self.after.last()) {
            let place = self.placed().position(|(_, region)| region.id == id)?;
            while self.before.len() > place {
                self.step_back();
            }
            while self.before.len() < place {
                self.step();
            }
        }
        self.first_after()
    }

    pub(super) fn last_before(&self) -> Option<Draft> {
        let region = self.before.last()?;
        Some(Draft::new(self.at.before(region), region))
    }

    pub(super) fn first_after(&self) -> Option<Draft> {
        let region = self.after.last()?;
        Some(Draft::new(self.at + region.gap, region))
    }

    /// Takes out the regions behind the cursor for which this holds: a first few. Until [`Self::set_gap`] is called the
    /// regions behind them have no place.
    pub(super) fn take_while(&mut self, is_touched: impl Fn(&Draft) -> bool) -> Taken {
        let mut taken = Taken {
            drafts: Vec::new(),
            end: self.at,
        };
        while let Some(draft) = self.next_of(&taken) {
            if !is_touched(&draft) {
                break;
            }
            self.take_next(&mut taken);
        }
        taken
    }

    /// The first region that was not taken.
    pub(super) fn next_of(&self, taken: &Taken) -> Option<Draft> {
        let region = self.after.last()?;
        Some(Draft::new(taken.end + region.gap, region))
    }

    /// Takes one region more.
    pub(super) fn take_next(&mut self, taken: &mut Taken) {
        if let Some(region) = self.after.pop() {
            let start = taken.end + region.gap;
            taken.drafts.push(Draft::new(start, &region));
            taken.end = start.behind(&region);
        }
    }

    /// Takes out the last region before the cursor.
    pub(super) fn take_before(&mut self) -> Option<Draft> {
        let region = self.before.pop()?;
        let start = self.at.before(&region);
        self.at = start - region.gap;
        Some(Draft::new(start, &region))
    }

    /// Puts a region before the cursor. The gap behind it is the caller's to set.
    pub(super) fn push(&mut self, region: Region) {
        self.at = (self.at + region.gap).behind(&region);
        self.before.push(region);
    }

    /// The equal text between the cursor and the next region.
    pub(super) fn set_gap(&mut self, gap: Extent) {
        if let Some(next) = self.after.last_mut() {
            next.gap = gap;
        }
    }

    fn step(&mut self) {
        if let Some(region) = self.after.pop() {
            self.push(region);
        }
    }

    fn step_back(&mut self) {
        if let Some(region) = self.before.pop() {
            self.at = self.at.before(&region) - region.gap;
            self.after.push(region);
        }
    }
}

/// Regions that were taken out behind the cursor.
pub(super) struct Taken {
    pub(super) drafts: Vec<Draft>,
    /// The end of the last of them, or the cursor.
    end: At,
}

impl Draft {
    fn new(start: At, region: &Region) -> Self {
        Self {
            base: start.base..start.base + region.base.bytes,
            current: start.current..start.current + region.current.bytes,
            agent: region.agent.clone(),
            theirs: region.theirs.clone(),
            id: region.id,
            origin: region.origin,
        }
    }
}

impl At {
    /// The end of a region that begins here.
    pub(super) fn behind(self, region: &Region) -> Self {
        Self {
            base: self.base + region.base.bytes,
            current: self.current + region.current.bytes,
            base_line: self.base_line + region.base.lines,
            current_line: self.current_line + region.current.lines,
        }
    }

    /// The start of a region that ends here.
    fn before(self, region: &Region) -> Self {
        Self {
            base: self.base - region.base.bytes,
            current: self.current - region.current.bytes,
            base_line: self.base_line - region.base.lines,
            current_line: self.current_line - region.current.lines,
        }
    }
}

impl Add for Extent {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Extent {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.lines += other.lines;
    }
}

impl Add<Extent> for At {
    type Output = Self;

    fn add(self, gap: Extent) -> Self {
        Self {
            base: self.base + gap.bytes,
            current: self.current + gap.bytes,
            base_line: self.base_line + gap.lines,
            current_line: self.current_line + gap.lines,
        }
    }
}

impl Sub<Extent> for At {
    type Output = Self;

    fn sub(self, gap: Extent) -> Self {
        Self {
            base: self.base - gap.bytes,
            current: self.current - gap.bytes,
            base_line: self.base_line - gap.lines,
            current_line: self.current_line - gap.lines,
        }
    }
}
