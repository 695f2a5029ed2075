//! pollux-workspace.
