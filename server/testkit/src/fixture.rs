//! Texts with marks, written in a test as they look in an editor.
//!
//! | in the text | means |
//! |---|---|
//! | `$0` | the cursor |
//! | `$1`, `$2`, … | other places |
//! | `«` … `»` | a selection |
//! | `\$0`, `\«`, `\»` | these characters themselves |
//! | `//- /src/a.rs` | a file of [`parse_files`] starts |
//! | `^^^ text` under a line | a range with a text, see [`extract_annotations`] |
//!
//! A text that begins with a line end, as a raw string over several lines does, loses that line
//! end, the indentation common to its lines, and a last line of blanks. Any other text is taken
//! as it is. A malformed fixture stops the test.

mod annotations;
mod files;
mod indent;
mod marks;

pub use annotations::{Annotation, extract_annotations};
pub use files::{FixtureFiles, TempWorkspace, parse_files};
pub use marks::{Fixture, parse_fixture};

#[cfg(test)]
mod tests;
