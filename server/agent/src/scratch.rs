use std::io;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;

/// Where a session puts what it wants to find again: outputs that were too long, plans, tasks.
///
/// Names are relative and have forward slashes; an implementation refuses any that lead elsewhere.
pub trait Scratch: Send + Sync {
    /// Writes a whole file, with the folders it needs. Says where it lies.
    fn write<'a>(&'a self, name: &'a str, text: &'a str) -> BoxFuture<'a, io::Result<PathBuf>>;

    fn read<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<String>>;

    /// The names of the files in a folder, sorted. A folder that is not there has none.
    fn list<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, io::Result<Vec<String>>>;

    /// Makes a folder that lies in the scratch folder, and those that lead to it.
    fn make_folder<'a>(&'a self, folder: &'a Path) -> BoxFuture<'a, io::Result<()>>;

    /// Where a name lies, whether or not it is there.
    fn place(&self, name: &str) -> PathBuf;
}
