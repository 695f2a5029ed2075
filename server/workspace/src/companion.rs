//! Where an agent outside finds the room, as its doors are told.

use std::fmt;

/// What a terminal of the editor needs to know, so that an agent in it finds this room and no other.
#[derive(Clone, PartialEq, Eq)]
pub struct CompanionAddress {
    pub port: u16,
    /// The folders, as a list that an environment variable can hold.
    pub workspace_path: String,
    pub token: String,
}

/// The token opens the room: it stays out of logs.
impl fmt::Debug for CompanionAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompanionAddress")
            .field("port", &self.port)
            .field("workspace_path", &self.workspace_path)
            .finish_non_exhaustive()
    }
}

/// Whether agents outside may find the room through this door's editor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompanionWish {
    #[default]
    Wanted,
    NotWanted,
}
