//! Real shells behind real guards.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests are not tests to the linter"
)]

mod ending;
mod memory;
mod output;
#[cfg(target_os = "linux")]
mod read_only;
mod sandbox;
mod servers;
mod support;
