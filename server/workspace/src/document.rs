//! Open files. For an open file the editor's text, not the disk, is the truth.

use std::path::PathBuf;
use std::sync::Arc;

use pollux_text::{Buffer, Edit, Misfit, PositionEncoding};

use crate::DoorId;

/// Names a document whatever an editor's way of writing its URI.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKey {
    File(PathBuf),
    /// A document that is no file: an unsaved buffer, a virtual text.
    Virtual(String),
}

/// Whether a text can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncState {
    Synced,
    /// A change did not fit. The text is the last one that did, until all of it is sent anew.
    Desynced,
}

/// One editor's text of a document. Two editors may have the same file open and unsaved.
#[derive(Clone, Debug)]
pub struct View {
    pub door: DoorId,
    /// The document as this editor names it.
    pub uri: Arc<str>,
    pub language: Arc<str>,
    pub version: i32,
    pub text: Buffer,
    pub sync: SyncState,
}

impl View {
    /// Applies what an editor reports. A text that is out of step takes nothing but a whole text.
    pub(crate) fn change(
        &mut self,
        version: i32,
        edits: &[Edit],
        encoding: PositionEncoding,
    ) -> Result<(), Misfit> {
        self.version = version;
        let whole = edits
            .iter()
            .rposition(|edit| matches!(edit, Edit::Replace(_)));
        let fitting = match (self.sync, whole) {
            (SyncState::Desynced, None) => return Ok(()),
            // What came before a whole text is overwritten by it, and need not fit.
            (_, Some(whole)) => edits.get(whole..).unwrap_or_default(),
            (SyncState::Synced, None) => edits,
        };
        match self.text.apply(fitting, encoding) {
            Ok(()) => {
                self.sync = SyncState::Synced;
                Ok(())
            }
            Err(misfit) => {
                self.sync = SyncState::Desynced;
                Err(misfit)
            }
        }
    }
}

/// A document that at least one editor has open.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// One view per editor; the one that changed last comes last.
    views: Vec<View>,
}

impl Document {
    /// The text as this door's editor has it, or else as the editor that changed it last.
    pub fn seen_from(&self, door: DoorId) -> Option<&View> {
        self.views
            .iter()
            .find(|view| view.door == door)
            .or_else(|| self.latest())
    }

    /// The view that changed last.
    pub fn latest(&self) -> Option<&View> {
        self.views.last()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.views.is_empty()
    }

    /// Every editor's text, the one that changed last at the end.
    pub(crate) fn views(&self) -> &[View] {
        &self.views
    }

    /// To look at a file is not to change it: whoever had it open before still has the text that counts.
    pub(crate) fn open(&mut self, view: View) {
        self.close(view.door);
        self.views.insert(0, view);
    }

    pub(crate) fn close(&mut self, door: DoorId) {
        self.views.retain(|view| view.door != door);
    }

    /// The view to change, which becomes the latest one.
    pub(crate) fn touch(&mut self, door: DoorId) -> Option<&mut View> {
        let at = self.views.iter().position(|view| view.door == door)?;
        let view = self.views.remove(at);
        self.views.push(view);
        self.views.last_mut()
    }

    pub(crate) fn absorb(&mut self, other: Document) {
        for view in other.views {
            self.open(view);
        }
    }
}

#[cfg(test)]
mod tests;
