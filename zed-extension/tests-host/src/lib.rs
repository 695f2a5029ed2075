//! A host that has Zed's interfaces: the same engine, the same world, the same folder for the extension's files, and no
//! editor around it. For tests only.

mod component;
mod loaded;
mod world;
mod zed;

pub use component::{api_version, packed, sections};
pub use loaded::Loaded;
pub use world::Command;
pub use zed::{Architecture, Os, Zed};

/// What the extension under test calls itself.
pub const EXTENSION_VERSION: &str = env!("EXTENSION_VERSION");
/// Of the crate it was built with.
pub const API_VERSION: &str = env!("API_VERSION");
