//! Pollux from the outside: the real binary, real editors, real signals.
//!
//! What can be shown in memory too is shown both ways, with the same test.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod support;

mod approvals;
mod bad_input;
mod commands;
mod demo;
mod doors;
mod headless;
mod keychain;
mod life;
mod models;
mod neovim;
mod order;
mod policy;
mod regressions;
mod review;
mod run;
mod sessions;
mod settings;
