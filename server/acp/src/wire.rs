//! JSON-RPC as this protocol frames it: one object per line, both ways.

mod message;

pub(crate) use message::{Answer, Incoming, notification, parse, refusal, request, response};
