//! What the agent does to the text.

use std::ops::Range;

use super::region::Draft;
use super::{HunkId, Origin, Review};
use crate::diff::hunks;
use crate::merge::{Piece, PieceKind, merge3};
use crate::{Splice, rope};

/// What came of an edit of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentEdited {
    /// What to do to the text as it was before.
    pub splices: Vec<Splice>,
    /// How many places a person had changed as well: there the text stays, and the hunk says what the agent wants.
    pub conflicts: usize,
    /// Hunks that are no longer pending, because a person had edited them and the agent went on from there.
    pub became_base: Vec<BecameBase>,
}

/// A hunk that counts as decided: edited by a person, and built upon by the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BecameBase {
    pub id: HunkId,
    pub origin: Origin,
    /// What was there before the agent came.
    pub base_text: String,
    /// What the agent had written.
    pub agent_text: String,
    /// What the person made of it.
    pub text: String,
}

impl Review {
    /// The agent, which has read `read`, wants the text to be `proposed`.
    pub fn agent_edit(&mut self, read: &str, proposed: &str, origin: Origin) -> AgentEdited {
        let current = self.current.to_string();
        let merged = merge3(read, &current, proposed);
        let mut edited = AgentEdited {
            splices: merged.splices(),
            ..AgentEdited::default()
        };
        // From the end, so that the pieces still to come keep their place.
        for piece in merged.pieces().iter().rev() {
            let text = merged.their_text(piece);
            match piece.kind {
                PieceKind::Nobody | PieceKind::Ours | PieceKind::Both => {}
                PieceKind::Theirs | PieceKind::Conflict => {
                    self.agent_piece(piece, text, origin, &mut edited);
                }
            }
        }
        edited.became_base.reverse();
        edited
    }

    fn agent_piece(&mut self, piece: &Piece, text: &str, origin: Origin, edited: &mut AgentEdited) {
        self.revision += 1;
        let range = &piece.ours;
        self.regions.seek(|draft| draft.current.end < range.start);
        let mut opened = self.open(|draft| draft.current.start <= range.end);
        let touched = opened.drafts();
        let kept = self.built_upon(touched, range, edited);

        let window = Window::new(self, &kept, range);
        let has = |side: fn(&Draft) -> bool| kept.iter().any(side);
        let extra = Some((range, text));
        let wants = piece.kind == PieceKind::Conflict;
        let agent_extra = if wants { None } else { extra };
        let agent = has(|draft| draft.agent.is_some()).then(|| {
            self.overlay(
                window.current.clone(),
                &kept,
                |draft| draft.agent.as_ref(),
                agent_extra,
            )
        });
        let theirs = (wants || has(|draft| draft.theirs.is_some())).then(|| {
            self.overlay(
                window.current.clone(),
                &kept,
                |draft| draft.theirs.as_ref(),
                extra,
            )
        });
        let mut end = window.current.end;
        if wants {
            edited.conflicts += 1;
        } else {
            rope::replace(&mut self.current, range.clone(), text);
            end = end + text.len() - range.len();
        }
        let id = match kept.first() {
            Some(first) => first.id,
            None => self.fresh_id(),
        };
        let draft = Draft {
            base: window.base,
            current: window.current.start..end,
            agent,
            theirs,
            id,
            origin,
        };
        let drafts = if kept.is_empty() || draft.agent.is_some() || draft.theirs.is_some() {
            vec![draft]
        } else {
            self.compared_again(&draft)
        };
        self.close(opened, drafts);
    }

    /// Makes base of the regions that a person has edited and this piece changes again. The others stay as they are,
    /// except that a new wish of the agent takes the place of an old one.
    fn built_upon(
        &mut self,
        touched: Vec<Draft>,
        range: &Range<usize>,
        edited: &mut AgentEdited,
    ) -> Vec<Draft> {
        let mut kept: Vec<Draft> = Vec::new();
        for mut draft in touched.into_iter().rev() {
            let overlaps = draft.current.start < range.end && range.start < draft.current.end;
            if !overlaps {
                kept.push(draft);
                continue;
            }
            if let Some(agent_text) = draft.agent.take() {
                let text = self.current_text(draft.current.clone());
                let base_text = self.base_text(draft.base.clone());
                rope::replace(&mut self.base, draft.base.clone(), &text);
                for later in &mut kept {
                    let moved = |at: usize| at + draft.current.len() - draft.base.len();
                    later.base = moved(later.base.start)..moved(later.base.end);
                }
                edited.became_base.push(BecameBase {
                    id: draft.id,
                    origin: draft.origin,
                    base_text,
                    agent_text: agent_text.to_string(),
                    text,
                });
                continue;
            }
            let only_wanted = self.is_only_wanted(&draft);
            draft.theirs = None;
            if !only_wanted {
                kept.push(draft);
            }
        }
        kept.reverse();
        kept
    }

    /// A change upon a change may have brought back some of what was there.
    fn compared_again(&mut self, draft: &Draft) -> Vec<Draft> {
        let base = self.base_text(draft.base.clone());
        let current = self.current_text(draft.current.clone());
        let shifted = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        let mut drafts = Vec::new();
        for (index, hunk) in hunks(&base, &current).iter().enumerate() {
            drafts.push(Draft {
                base: shifted(hunk.base_bytes(), draft.base.start),
                current: shifted(hunk.current_bytes(), draft.current.start),
                id: if index == 0 {
                    draft.id
                } else {
                    self.fresh_id()
                },
                ..draft.clone()
            });
        }
        drafts
    }
}

/// The stretch of both texts that a piece and the regions it touches take up.
struct Window {
    base: Range<usize>,
    current: Range<usize>,
}

impl Window {
    fn new(review: &Review, kept: &[Draft], range: &Range<usize>) -> Self {
        let (Some(first), Some(last)) = (kept.first(), kept.last()) else {
            let base = review.base_offset(range.start);
            return Self {
                base: base..base + range.len(),
                current: range.clone(),
            };
        };
        let start = first.current.start.min(range.start);
        let end = last.current.end.max(range.end);
        Self {
            base: first.base.start - (first.current.start - start)
                ..last.base.end + (end - last.current.end),
            current: start..end,
        }
    }
}
