//! The IDE companion: editor context for an outside agent core, and its diffs as reviews.
