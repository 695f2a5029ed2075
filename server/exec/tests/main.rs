//! Real shells behind real guards.
#![cfg(unix)]

mod ending;
mod memory;
mod output;
mod sandbox;
mod support;
