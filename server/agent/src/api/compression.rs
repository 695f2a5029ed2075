/// What became of an attempt to make a conversation shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompressionStatus {
    /// Its oldest part is a summary now.
    Compressed,
    /// The summary would have made it longer.
    FailedInflated,
    /// The tokens of the new conversation could not be counted. Only the twin says this: here an estimate stands in.
    FailedTokenCountError,
    /// No summary came back, or no words in it.
    FailedEmptySummary,
    /// There is nothing to summarise.
    Noop,
    /// Long outputs of tools were cut; nothing was summarised.
    ContentTruncated,
}

impl CompressionStatus {
    /// The twin's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compressed => "COMPRESSED",
            Self::FailedInflated => "FAILED_INFLATED",
            Self::FailedTokenCountError => "FAILED_TOKEN_COUNT_ERROR",
            Self::FailedEmptySummary => "FAILED_EMPTY_SUMMARY",
            Self::Noop => "NOOP",
            Self::ContentTruncated => "CONTENT_TRUNCATED",
        }
    }
}
