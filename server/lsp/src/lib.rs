//! The language server door: wire order, one file per method, and the `pollux/*` payloads.
//!
//! Two halves meet here. [`door`] is the thin process an editor starts; [`serve`] is the host's
//! end of it. Only this crate knows the language server protocol, and it knows no other.

pub mod door;
pub mod protocol;

mod applying;
mod asking;
mod companion;
mod connection;
mod eof;
mod errands;
mod methods;
mod ordered;
mod outbound;
mod querying;
mod reviewing;
mod server;
mod uri;

pub use connection::{Doctor, Host, serve};
