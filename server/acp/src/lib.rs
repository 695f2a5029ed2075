//! The Agent Client Protocol: a door into the same room for Zed's panel and every other client of it.
//!
//! Only this crate knows the protocol, and it knows no other. A session here is the same that other doors show:
//! what happens in it is read from its feed, in that order, and what the client says becomes an op.
//!
//! # Layout
//!
//! [`serve`] reads lines (`wire`) and hands each to its method (`methods`). `attached` is a session as this client has
//! it, and the task that follows its feed; `telling` puts events into the protocol's words, `asking` questions, and
//! `prompt` turns what the client sends into what a session takes. `client` is the way to the client, and
//! `files` and `terminals` are those that it offers. `door` runs at the client's side: it remembers what another host has to know.

mod asking;
mod attached;
mod client;
mod connection;
mod door;
mod failure;
mod files;
mod methods;
mod options;
mod prompt;
mod telling;
mod terminals;
mod uri;
mod wire;

pub use connection::{Host, serve};
pub use door::DoorMemory;
