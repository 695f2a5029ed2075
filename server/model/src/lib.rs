//! pollux-model.
