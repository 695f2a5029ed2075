//! Whose a file is: what belongs to another user of the system is never read as this user's own.

use std::path::Path;

use crate::problem::Problem;

/// Whether somebody other than this user and root owns the file, or the folder it lies in. Links are followed, and what
/// is not there belongs to nobody.
pub fn is_foreign(path: &Path) -> bool {
    [Some(path), path.parent()]
        .into_iter()
        .flatten()
        .any(belongs_to_another)
}

/// What a person is told about a file that was left out.
pub(crate) fn problem(path: &Path) -> Problem {
    Problem::warning(
        path,
        "is not used: it or its folder belongs to another user",
    )
    .fixed_by("become its owner, or set HOME to a folder of your own")
}

#[cfg(unix)]
fn belongs_to_another(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    const ROOT: u32 = 0;
    let user = rustix::process::geteuid().as_raw();
    let is_another = |owner: u32| owner != user && owner != ROOT;
    // A link of somebody else's could lead anywhere tomorrow.
    let link = std::fs::symlink_metadata(path);
    let target = std::fs::metadata(path);
    [link, target]
        .into_iter()
        .flatten()
        .any(|found| is_another(found.uid()))
}

/// Elsewhere the system keeps a user's profile from others.
#[cfg(not(unix))]
fn belongs_to_another(_: &Path) -> bool {
    false
}
