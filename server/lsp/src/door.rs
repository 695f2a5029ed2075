//! The thin process between an editor and the host.
//!
//! It forwards messages, and owns what must not depend on the host: bad input is answered here
//! and never reaches it; and what the editor has told the server is remembered, compressed, so
//! that a host that dies can be replaced without the editor noticing.

mod client;
mod followed;
mod frame;
mod memory;
mod message;
mod relay;
mod shown;

pub use client::{Asked, Client, Refusal, Told, attend, folder_uri};
pub use frame::MAX_FRAME;
pub use relay::{End, run};
