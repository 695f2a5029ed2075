//! Sessions that run real commands.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests are not tests to the linter"
)]

mod background;
mod judging;
mod shell;
mod support;
