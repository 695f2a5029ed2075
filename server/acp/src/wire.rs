//! JSON-RPC as this protocol frames it: one object per line, both ways.

mod lines;
mod message;

pub(crate) use lines::{LONGEST_LINE, Line, Lines};
pub(crate) use message::{Answer, Incoming, notification, parse, refusal, request, response};
