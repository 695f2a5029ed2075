//! Sessions that run real commands.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests are not tests to the linter"
)]

mod background;
mod changes;
mod judging;
mod shell;
mod support;
