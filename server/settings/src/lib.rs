//! The twin's settings, read for Pollux: where the files are, what they say together, whether a folder is
//! trusted, which `.env` counts, and what is wrong, with file, line and column.
//!
//! # Layout
//!
//! [`load`] does everything for one workspace folder and never fails: a broken file becomes a
//! [`Problem`] and the rest still counts. [`record_trust`] and [`agents::acknowledge`] are the only
//! functions that write on their own; nothing a user wrote is overwritten or reformatted. [`agents`] reads what people have
//! described as sub-agents, when it is asked to and not before. [`find_project`] looks up recorded sessions, and
//! [`lock_file`] and [`replace_file`] are how whoever records them shares files with the twin.
//!
//! # Invariants
//!
//! - The environment is data: nothing here asks the process.
//! - No value of a setting or a variable appears in a message or in `Debug` output.
//! - What a folder says about itself is not believed before the folder is trusted.
//! - Nothing here is async, prints, logs or panics.

mod environment;
mod locations;
mod ownership;
mod paths;
mod problem;
mod shared_file;
mod source;

mod json;

mod check;
mod expand;
mod migrate;
mod schema;

mod layer;
mod merge;
mod secure;
mod settings;

mod dotenv;
mod env_file;

mod trust;

mod load;
mod projects;

pub mod agents;

pub use environment::Environment;
pub use layer::{FileReport, FileState, Scope, SkipReason};
pub use load::{Loaded, load};
pub use locations::{Locations, WorkspaceIsHome};
pub use ownership::is_foreign;
pub use paths::real as real_path;
pub use problem::{Place, Problem, Severity};
pub use projects::{MARKER, Project, ProjectLookup, find_project, marked_owner};
pub use settings::Settings;
pub use shared_file::{
    Durability, FileLock, Patience, create_private_file, create_private_folder, lock_file,
    replace_file,
};
pub use trust::{
    EditorTrust, RecordTrustError, TrustDecision, TrustLevel, TrustSource, Verdict, record_trust,
};
