//! What the editor knows, offered to any client of the protocol.
//!
//! A client is told what is open, selected, wrong and pending, reads texts as the editor has them, and proposes edits that
//! a person decides about. It writes nothing: what a person keeps is put into the file by the room, as any edit is.
//!
//! # Layout
//!
//! A [`Front`] is one way in: the pipe of a door, or a port. A [`client`] speaks the protocol; [`tools`] and
//! [`resources`] are what it can ask for, both made of the same [`facts`]. [`sight`] is what of the room a client may see,
//! [`proposals`] are the edits that wait for a person, [`editors`] is what only their language servers know, and [`follow`]
//! tells of what has changed. [`door`] runs at the client's side: it remembers what another host has to know.

mod client;
mod door;
mod editors;
mod facts;
mod follow;
mod front;
mod http;
mod places;
mod proposals;
mod resources;
mod sight;
mod spot;
mod tools;

pub use door::DoorMemory;
pub use front::{Front, Outlook, ReadRules, over_pipe};
pub use http::{Access, HttpDoor};
pub use proposals::Proposals;
