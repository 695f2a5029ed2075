//! What became of an operation that was cut off.

use crate::entry::Operation;
use crate::hash::Hash;

/// How the file stands, compared with what an operation meant to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// It was not carried out.
    Before,
    /// It was carried out, or there was nothing to do to the file.
    After,
    /// Somebody else has changed the file since. Their text is merged like any edit of a person.
    Neither,
}

/// Compares what stands in the file, or in its editor, with both ends of an operation.
///
/// The content has to be in the form in which it was put into the record; none means that there is no file.
pub fn recover(operation: &Operation, content: Option<&[u8]>) -> Recovered {
    let now = content.map(Hash::of);
    // A decision that leaves the file alone is carried out as soon as it is written down.
    if now == operation.after.current {
        Recovered::After
    } else if now == operation.before.current {
        Recovered::Before
    } else {
        Recovered::Neither
    }
}
