//! `pollux acp`: the binary as the protocol's own library sees it.

mod bad_input;
mod client;
#[cfg(target_os = "linux")]
mod confinement;
mod desk;
mod edits;
mod files;
mod keys;
mod lasting;
mod life;
mod prompts;
mod questions;
mod screens;
mod servers;
mod sessions;
mod settings;
mod terminals;
mod together;
mod tools;
mod turns;
mod windows;
mod zed;
