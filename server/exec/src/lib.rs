//! pollux-exec.
