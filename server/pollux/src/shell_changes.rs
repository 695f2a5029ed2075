//! What a shell command did to the files of the workspace: a look before it, a look after it, and the difference.
//!
//! # Layout
//!
//! `watch` puts it together. `before` is the first look: what each file is, and where its content can be had should it
//! change: from an editor, from git (`index` and `repository` read what git has noted, and start no process), or
//! from a copy (`copies`). `after` is the second look, and `compare` makes changes of the two.
//!
//! # Invariants
//!
//! - Nothing is ever written: not to the workspace, and not to what belongs to git.
//! - What cannot be brought back is listed with the reason, and never left out in silence.

mod after;
mod before;
mod compare;
mod copies;
mod index;
mod limits;
mod repository;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod watch;

pub(crate) use watch::DiskWatch;
