//! Real commands in real repositories: what was there before is there again.

mod commands;
mod limits;
mod random;
mod safety;
mod scopes;
mod turn;
mod world;
