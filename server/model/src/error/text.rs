use std::fmt;

/// A message of the provider or of the network: of bounded length, and without secrets when it was made with
/// [`Secrets`](crate::secret::Secrets).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ErrorText(Box<str>);

impl ErrorText {
    /// In characters. Enough for every real message, too little for a page of HTML.
    pub const LONGEST: usize = 1000;

    pub fn new(text: &str) -> Self {
        let text = text.trim();
        match text.char_indices().nth(Self::LONGEST) {
            None => Self(text.into()),
            Some((end, _)) => {
                let start = text.get(..end).unwrap_or_default();
                Self(format!("{start}…").into())
            }
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ErrorText {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for ErrorText {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

impl fmt::Display for ErrorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
