//! The Model Context Protocol, both ways.
//!
//! [`companion`] lets an outside agent core see what the editor shows and have its diffs reviewed there. [`connect`]
//! makes outside servers tools of the agent. [`serve`] offers what the editor knows to any client. Only this crate
//! knows the protocol, and it knows no other.

pub mod companion;
pub mod connect;
pub mod serve;

mod http;
