//! The scripted model against clients that are not ours, and as a program.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

#[path = "scripted_model/genai.rs"]
mod genai;
#[path = "scripted_model/program.rs"]
mod program;

use std::process::Command;

/// A child process of a test; each test waits for its own.
#[expect(
    clippy::disallowed_methods,
    reason = "pollux-exec is code under test elsewhere, and the children here end by themselves"
)]
fn command(program: &str) -> Command {
    Command::new(program)
}
