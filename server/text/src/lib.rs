//! pollux-text.
