use crate::{Cancel, IgnoreRules, Overlay};

/// What every question about a folder tree needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    pub rules: &'a IgnoreRules,
    pub overlay: &'a Overlay,
    pub cancel: Cancel<'a>,
    /// How many threads may walk at the same time; at least one does.
    pub threads: usize,
}
