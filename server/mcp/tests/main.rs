//! Real servers behind real guards, and servers over HTTP on this machine.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests are not tests to the linter"
)]

mod calls;
mod client_conformance;
mod http;
mod lives;
mod offers;
mod signing_in;
mod support;
