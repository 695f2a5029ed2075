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

mod acp;
mod agents;
mod approvals;
mod attach;
mod bad_input;
mod chat;
mod commands;
mod companion;
mod demo;
mod doors;
mod emacs;
mod floods;
mod headless;
mod helix;
mod home_disk;
mod hooks;
mod idle_sessions;
mod keychain;
mod kills;
mod large_sessions;
mod life;
mod mcp;
mod models;
mod neovim;
mod order;
mod policy;
mod red_team;
mod regressions;
mod resuming;
mod retries;
mod review;
mod review_faults;
mod run;
mod run_ends;
mod serve;
mod sessions;
mod settings;
mod system_prompt;
mod terminal_escapes;
mod toad;
mod undo;
