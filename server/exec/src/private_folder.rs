use std::io;
use std::path::Path;

use tempfile::TempDir;

/// A folder for temporary files that nobody else can enter, and that goes when this does.
///
/// A sandbox that let a command write all of the system's temporary files would let it change what other programs of
/// the user keep there and trust.
#[derive(Debug)]
pub struct PrivateFolder(TempDir);

impl PrivateFolder {
    pub fn new() -> io::Result<Self> {
        tempfile::Builder::new()
            .prefix("pollux-")
            .tempdir()
            .map(Self)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
