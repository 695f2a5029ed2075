//! What an operation would make of a file. Nothing here touches one.

use std::ops::Range;
use std::sync::Arc;

use pollux_agent::{EditConflict, FileError, Standing};
use pollux_text::{Buffer, HunkId, HunkKind, Origin, RejectedHunk, Review, Splice, merge3};

use super::file::{Existence, Presence, State};
use super::operation::{Deed, Journey, Planned, Refused, Selection, Travel};
use crate::Side;

impl Deed {
    /// Nothing when there is nothing left to do.
    pub(super) fn plan(
        &self,
        review: &Review,
        presence: Presence,
    ) -> Result<Option<Planned>, FileError> {
        let mut plan = Planned {
            review: review.clone(),
            presence,
            splices: Vec::new(),
            conflicts: Vec::new(),
            refused: Vec::new(),
            became_base: Vec::new(),
        };
        let is_nothing_left = presence == Presence::NO_FILE && review.is_empty();
        match self {
            Self::Edit {
                read,
                proposed,
                origin,
                standing,
            } => {
                if presence.now == Existence::Missing {
                    return Err(FileError::NotFound);
                }
                plan.edit(read, proposed, *origin);
                plan.stand(*standing, *origin);
            }
            Self::Create {
                text,
                origin,
                standing,
            } => {
                if presence.now == Existence::Present {
                    return Err(FileError::Exists);
                }
                plan.presence.now = Existence::Present;
                plan.edit("", text, *origin);
                plan.stand(*standing, *origin);
            }
            Self::Shell {
                before,
                after,
                origin,
                standing,
            } => {
                let text = |text: &Option<Arc<str>>| text.as_deref().unwrap_or_default().to_owned();
                plan.edit(&text(before), &text(after), *origin);
                plan.presence.now = match after {
                    Some(_) => Existence::Present,
                    None => Existence::Missing,
                };
                plan.stand(*standing, *origin);
            }
            // Somebody has deleted the file.
            Self::Keep(_) | Self::Reject(_) if is_nothing_left => return Ok(None),
            Self::Keep(selection) => plan.keep(selection),
            Self::Reject(selection) => plan.reject(selection),
            Self::Settle(hunk, side) => {
                let side = match side {
                    Side::Mine => pollux_text::Side::Mine,
                    Side::Theirs => pollux_text::Side::Theirs,
                };
                match plan.review.settle(*hunk, side) {
                    Ok(splices) => plan.splices = splices,
                    Err(_) => return Ok(None),
                }
            }
            Self::Reapply {
                hunk,
                texts,
                origin,
                recorded: _,
            } => {
                let had_text = texts
                    .as_ref()
                    .map_or(!hunk.removed.is_empty(), |(without, _)| {
                        without.len_bytes() > 0
                    });
                if is_nothing_left && had_text {
                    return Ok(None);
                }
                let (without, with) = match texts {
                    Some((without, with)) => (without.to_string(), with.to_string()),
                    None => {
                        let now = review.current().to_string();
                        let Some(with) = put_back(&now, hunk) else {
                            return Ok(None);
                        };
                        (now, with)
                    }
                };
                plan.presence.now = Existence::Present;
                plan.edit(&without, &with, *origin);
            }
            // The text stays as it is.
            Self::Renamed { .. } | Self::Rename { .. } => {}
            Self::CatchUp { without, wanted } => plan.catch_up(without, wanted),
            Self::Travel(journey) => {
                let Journey {
                    from,
                    to,
                    travel,
                    origin,
                    ..
                } = &**journey;
                // Somebody has deleted the file, and that stands.
                let was_there = from.presence.now == Existence::Present;
                if presence.now == Existence::Missing && was_there {
                    return Ok(None);
                }
                plan.travel(from, to, *travel, *origin);
            }
        }
        Ok(Some(plan))
    }
}

impl Planned {
    fn edit(&mut self, read: &str, proposed: &str, origin: u64) {
        let edited = self.review.agent_edit(read, proposed, Origin(origin));
        self.splices = edited.splices;
        self.became_base = edited.became_base;
        if edited.conflicts > 0 {
            let hunks = self.review.hunks();
            let conflicts = hunks.filter(|hunk| {
                hunk.kind() == HunkKind::Conflict && hunk.origin() == Origin(origin)
            });
            self.conflicts = conflicts
                .map(|hunk| EditConflict {
                    line: hunk.current_lines().start + 1,
                    mine: hunk.current_text(),
                    theirs: hunk.their_text().unwrap_or_default(),
                })
                .collect();
        }
    }

    /// The text was not left as it was planned: a formatter has run, or somebody has typed. What that did to the lines of the
    /// edit belongs to the edit, so that rejecting it takes both back. The rest is the person's.
    pub(super) fn went_on_to(&mut self, text: &str, origin: Option<u64>) {
        let planned = self.review.current().to_string();
        if planned == text {
            return;
        }
        if let Some(origin) = origin.map(Origin) {
            let mut splices = Splice::between(&planned, text);
            let is_plain = |kind| kind == HunkKind::Change;
            let hunks = self.review.hunks();
            let own: Vec<_> = hunks
                .filter(|hunk| hunk.origin() == origin && is_plain(hunk.kind()))
                .map(|hunk| hunk.current_bytes())
                .collect();
            splices.retain(|splice| {
                let touches = |own: &Range<usize>| {
                    splice.range.start <= own.end && own.start <= splice.range.end
                };
                own.iter().any(touches)
            });
            let formatted = Splice::apply(&splices, &planned);
            self.review.agent_edit(&planned, &formatted, origin);
        }
        self.review.absorb(text);
    }

    fn stand(&mut self, standing: Standing, origin: u64) {
        match standing {
            Standing::Pending => {}
            Standing::Kept => {
                self.review.keep_origin(Origin(origin));
                self.presence.base = self.presence.now;
            }
        }
    }

    fn keep(&mut self, selection: &Selection) {
        match selection {
            // What cannot be kept has to be settled, and stays.
            Selection::One(hunk) => {
                let _kept_or_unsettled = self.review.keep(*hunk);
            }
            Selection::Of(origins) => {
                for origin in origins {
                    self.review.keep_origin(Origin(*origin));
                }
            }
            Selection::All => {
                let hunks: Vec<HunkId> = self.review.hunks().map(|hunk| hunk.id()).collect();
                let is_settled = |kind| kind != HunkKind::Conflict;
                if self.review.hunks().all(|hunk| is_settled(hunk.kind())) {
                    self.review.keep_all();
                } else {
                    for hunk in hunks {
                        let _kept_or_unsettled = self.review.keep(hunk);
                    }
                }
            }
        }
        // Whoever keeps a part of a new file keeps the file.
        if self.review.is_empty() || self.presence.now == Existence::Present {
            self.presence.base = self.presence.now;
        }
    }

    fn reject(&mut self, selection: &Selection) {
        let rejected = match selection {
            Selection::One(hunk) => self.review.reject(*hunk).unwrap_or_default(),
            Selection::All => self.review.reject_all(),
            Selection::Of(origins) => {
                // One after the other; the way from the first text to the last is found by comparing them.
                let before = self.review.current().to_string();
                let mut all = pollux_text::Rejected::default();
                for origin in origins {
                    let rejected = self.review.reject_origin(Origin(*origin));
                    all.hunks.extend(rejected.hunks);
                }
                all.splices = Splice::between(&before, &self.review.current().to_string());
                all
            }
        };
        self.splices = rejected.splices;
        self.refused = refused(rejected.hunks, &self.review.current());
        let is_empty = self.review.current().len_bytes() == 0;
        match (self.presence.base, self.presence.now) {
            // Nothing is left of a file that the agent made.
            (Existence::Missing, Existence::Present) if is_empty => {
                self.presence.now = Existence::Missing;
            }
            (Existence::Present, Existence::Missing) => self.presence.now = Existence::Present,
            _ => {}
        }
    }

    /// Where nothing has happened since, this is exact. Otherwise the difference of the two states is merged into the file
    /// as it is, like any edit, and what a person has changed meanwhile becomes a conflict.
    fn travel(&mut self, from: &State, to: &State, travel: Travel, origin: u64) {
        let now = self.review.current().to_string();
        let (left, wanted) = (
            from.review.current().to_string(),
            to.review.current().to_string(),
        );
        let is_there = now == left && self.review.base().is(&from.review.base().to_string());
        if is_there && travel == Travel::Decision {
            self.splices = Splice::between(&now, &wanted);
            // Names of before must not come back to life.
            let mut review = to.review.clone();
            review.succeed(&self.review);
            self.review = review;
            self.presence = to.presence;
            return;
        }
        match travel {
            Travel::Edit => {
                self.merge(&left, &now, &wanted, origin);
                self.travelled(from, to);
                self.presence.base = self.presence.now;
            }
            Travel::Decision => {
                self.edit(&left, &wanted, origin);
                self.rebase(from, to, origin);
                self.travelled(from, to);
            }
        }
    }

    /// The review stays that of the others, and what was typed here is a person's edit in it. Where both have changed the same
    /// lines, those that were typed stand.
    fn catch_up(&mut self, without: &str, wanted: &State) {
        let now = self.review.current().to_string();
        let merged = merge3(without, &now, &wanted.review.current().to_string()).with_ours();
        let mut review = wanted.review.clone();
        review.succeed(&self.review);
        review.absorb(&merged);
        self.review = review;
        self.presence = wanted.presence;
        self.splices = Splice::between(&now, &merged);
    }

    /// What can be merged is nothing to decide about: it is made to the base as well.
    fn merge(&mut self, left: &str, now: &str, wanted: &str, origin: u64) {
        let merged = merge3(left, now, wanted);
        if merged.clean().is_none() {
            self.edit(left, wanted, origin);
            self.review.keep_origin(Origin(origin));
            return;
        }
        self.splices = merged.splices();
        for splice in self.splices.iter().rev() {
            self.review.splice(splice.range.clone(), &splice.text);
        }
    }

    /// A file comes or goes with its text, unless there is other text in it by now.
    fn travelled(&mut self, from: &State, to: &State) {
        if from.presence.now == to.presence.now {
            return;
        }
        let is_empty = self.review.current().len_bytes() == 0;
        self.presence.now = match to.presence.now {
            Existence::Missing if is_empty => Existence::Missing,
            Existence::Missing | Existence::Present => Existence::Present,
        };
    }

    /// Takes the base the same way.
    fn rebase(&mut self, from: &State, to: &State, origin: u64) {
        let (left, wanted) = (from.review.base().to_string(), to.review.base().to_string());
        if left == wanted {
            return;
        }
        let mut texts = self.review.texts();
        texts.base = merge3(&left, &texts.base, &wanted).with_ours();
        self.review.reset(&texts, Origin(origin));
    }
}

/// What is needed to apply rejected hunks again, each by itself.
fn refused(hunks: Vec<RejectedHunk>, without: &Buffer) -> Vec<Refused> {
    if hunks.is_empty() {
        return Vec::new();
    }
    let text = without.to_string();
    let lines = pollux_text::lines(&text);
    let mut found = Vec::new();
    let mut shift = 0_isize;
    for hunk in hunks {
        let line = hunk.line.saturating_add_signed(shift);
        let count = |text: &str| pollux_text::lines(text).len().cast_signed();
        shift += count(&hunk.removed) - count(&hunk.added);
        let start: usize = lines.iter().take(line).map(|line| line.len()).sum();
        let range = start..start + hunk.removed.len();
        // Where a person had edited the hunk, something else stands there, and the hunk goes in front of it.
        let range = match text.get(range.clone()) == Some(hunk.removed.as_str()) {
            true => range,
            false => start..start,
        };
        let splice = Splice {
            range,
            text: hunk.added.clone(),
        };
        found.push(Refused {
            line,
            removed: hunk.removed.into(),
            added: hunk.added.into(),
            origin: hunk.origin.0,
            with: Buffer::from(Splice::apply(&[splice], &text).as_str()),
        });
    }
    found
}

/// The text with a rejected hunk where its lines stand now: the place nearest to where they stood.
fn put_back(text: &str, hunk: &crate::RejectedHunk) -> Option<String> {
    // What a closed file holds is found out when it is written.
    if text.is_empty() {
        return Some(hunk.added.to_string());
    }
    let lines = pollux_text::lines(text);
    let mut offsets = vec![0];
    for line in &lines {
        offsets.push(offsets.last().copied().unwrap_or_default() + line.len());
    }
    let fits = |(_, start): &(usize, usize)| {
        let here = text.get(*start..).unwrap_or_default();
        here.starts_with(&*hunk.removed)
    };
    let places = offsets.into_iter().enumerate().filter(fits);
    let (_, start) = places.min_by_key(|(line, _)| line.abs_diff(hunk.line))?;
    let splice = Splice {
        range: start..start + hunk.removed.len(),
        text: hunk.added.to_string(),
    };
    Some(Splice::apply(&[splice], text))
}
