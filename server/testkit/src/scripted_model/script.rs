//! A script: the replies of a whole conversation, in order.
//!
//! As a file:
//!
//! ```json
//! {
//!   "strict": true,
//!   "replies": [
//!     { "when": { "path": ":streamGenerateContent", "body": "rename" },
//!       "steps": [
//!         { "thought": "**Plan**\nLook first." },
//!         { "call": { "name": "read_file", "args": { "file_path": "a.rs" }, "id": "1" } },
//!         { "gate": "go" },
//!         { "finish": { "reason": "STOP", "usage": { "prompt": 10, "output": 5 } } }
//!       ] },
//!     { "status": 429, "times": 3,
//!       "error": { "status": "RESOURCE_EXHAUSTED", "message": "slow down",
//!                  "details": [{ "retryInfo": "10s" }] } },
//!     { "split": 1,
//!       "steps": [{ "repeat": { "times": 100, "steps": [{ "text": "word {n} " }] } }, "reset"] }
//!   ]
//! }
//! ```

use serde::Deserialize;

use super::reply::Reply;

/// Each request takes the first reply that is for it and not used up.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub replies: Vec<Reply>,
    /// Whether unused replies and requests without a reply are an error at the end.
    #[serde(default)]
    pub strict: bool,
}

/// A script file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct ScriptError {
    pub line: usize,
    pub column: usize,
    pub reason: String,
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn reply(mut self, reply: Reply) -> Self {
        self.replies.push(reply);
        self
    }

    /// Makes the drop of the server fail the test when the script was not played to its end.
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Reads a script file.
    pub fn from_json(text: &str) -> Result<Self, ScriptError> {
        serde_json::from_str(text).map_err(|error| {
            let place = format!(" at line {} column {}", error.line(), error.column());
            let reason = error.to_string();
            ScriptError {
                line: error.line(),
                column: error.column(),
                reason: reason.strip_suffix(&place).unwrap_or(&reason).to_owned(),
            }
        })
    }

    /// # Panics
    /// When a reply contradicts itself; one from a file was checked when it was read.
    pub(super) fn check(&self) {
        for (index, reply) in self.replies.iter().enumerate() {
            if let Some(flaw) = reply.flaw() {
                panic!("reply {} of the script: {flaw}", index + 1);
            }
        }
    }
}
