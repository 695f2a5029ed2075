//! The thin process between a client that speaks in lines and the host.
//!
//! It forwards, and outlives the host: what a protocol needs to remember of the conversation lies here, so that a host
//! that dies is replaced and told, and the client goes on over the same pipe.
//!
//! # Layout
//!
//! [`carry`] forwards between a client and whichever host is alive, found by [`Connect`] and replaced as [`Reconnect`] allows. [`Memory`] is the part that each
//! protocol has of its own. [`Lines`] reads what a client says, and [`Message`] is as much of a line as a door understands.

mod connect;
mod lines;
mod memory;
mod message;
mod output;
mod reconnect;
mod relay;

pub use connect::Connect;
pub use lines::{LONGEST_LINE, Line, Lines};
pub use memory::{Keep, Memory};
pub use message::Message;
pub use output::Output;
pub use reconnect::Reconnect;
pub use relay::carry;
