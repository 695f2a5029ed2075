//! Secrets, and keeping them out of everything that people or logs may read.

use std::fmt;
use std::sync::Arc;

/// What stands where a secret was.
const REDACTED: &str = "[redacted]";

/// A shorter value is a word (`none`, `ollama`), and removing it would only garble messages.
const SHORTEST_SECRET: usize = 8;

/// A key for a model provider. Neither `Debug` nor `Display` shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(Arc<str>);

impl ApiKey {
    /// Blanks around a key come from copying it and are never part of it. `None` when nothing is left.
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(Arc::from(key)))
    }

    /// For the one header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({REDACTED})")
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// Everything that must not appear in a message. Providers do quote what they were sent.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<Arc<str>>);

impl Secrets {
    pub(crate) fn add(&mut self, secret: &str) {
        if secret.len() >= SHORTEST_SECRET {
            self.0.push(Arc::from(secret));
        }
    }

    pub(crate) fn remove_from(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            if text.contains(&**secret) {
                text.replace(&**secret, REDACTED)
            } else {
                text
            }
        })
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

#[cfg(test)]
mod tests;
