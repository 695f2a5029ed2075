//! The twin's settings, read for Pollux: where the files are, what they say together, whether a folder is
//! trusted, which `.env` counts, and what is wrong, with file, line and column.
//!
//! # Layout
//!
//! `load` does everything for one workspace folder and never fails: a broken file becomes a
//! `Problem` and the rest still counts. `record_trust` is the only function that writes; nothing a
//! user wrote is overwritten or reformatted. `find_project` looks up recorded sessions.
//!
//! # Invariants
//!
//! - The environment is data: nothing here asks the process.
//! - No value of a setting or a variable appears in a message or in `Debug` output.
//! - What a folder says about itself is not believed before the folder is trusted.
//! - Nothing here is async, prints, logs or panics.

mod check;
mod dotenv;
mod env_file;
mod environment;
mod expand;
mod json;
mod locations;
mod merge;
mod migrate;
mod paths;
mod problem;
mod schema;
mod secure;
mod settings;
mod source;
mod trust;

pub use environment::Environment;
pub use locations::{Locations, WorkspaceIsHome};
pub use problem::{Place, Problem, Severity};
pub use settings::Settings;
pub use trust::{
    EditorTrust, RecordTrustError, TrustDecision, TrustLevel, TrustSource, Verdict, record_trust,
};
