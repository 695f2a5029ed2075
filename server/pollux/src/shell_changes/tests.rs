//! Real commands in real workspaces: what they changed is what is told.

mod commands;
mod limits;
mod world;
