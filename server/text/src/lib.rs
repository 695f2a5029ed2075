//! Text without IO: ropes, the positions editors use, and edits that are exact to the byte.
//!
//! Nothing here reads a file, knows a protocol or is async.

mod buffer;
mod position;

pub use buffer::{Buffer, Edit, Misfit};
pub use position::{Position, PositionEncoding, Range};
