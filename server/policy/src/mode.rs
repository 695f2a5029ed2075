/// How much the agent may do without asking. Ordered from the strictest to the freest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ApprovalMode {
    /// Read and plan, change nothing.
    Plan,
    #[default]
    Default,
    /// Edits are made without asking; everything else is as in [`ApprovalMode::Default`].
    AutoEdit,
    Yolo,
}
