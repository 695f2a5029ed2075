use tokio_util::sync::CancellationToken;

use crate::tokens::{known_token_limit, token_limit};
use crate::{Answer, Demo, EventStream, Gemini, ModelError, OpenAi, Request, Shown};

/// A model to talk to.
#[derive(Clone, Debug)]
pub enum Model {
    /// Scripted, offline, needs no key.
    Demo(Demo),
    Gemini(Gemini),
    /// Anything that speaks chat completions.
    OpenAi(OpenAi),
    /// None: shows what would be sent.
    Shown(Shown),
}

/// Why there is no count of tokens. An estimate is always possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    #[error("the provider does not count tokens")]
    Unsupported,
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Model {
    /// The name that people and records see.
    pub fn name(&self) -> &str {
        match self {
            Self::Demo(_) => "demo",
            Self::Gemini(gemini) => gemini.name(),
            Self::OpenAi(open_ai) => open_ai.name(),
            Self::Shown(shown) => &shown.name,
        }
    }

    /// How many tokens of prompt and answer it takes, as far as anybody knows.
    pub fn token_limit(&self) -> u64 {
        match self {
            Self::OpenAi(open_ai) => open_ai.window().tokens(),
            Self::Shown(shown) => shown.token_limit,
            Self::Demo(_) | Self::Gemini(_) => token_limit(self.name()),
        }
    }

    /// The same where it is known, so that nobody is shown a guess.
    pub fn known_token_limit(&self) -> Option<u64> {
        match self {
            Self::OpenAi(open_ai) => open_ai.window().known(),
            Self::Shown(_) => None,
            Self::Demo(_) | Self::Gemini(_) => known_token_limit(self.name()),
        }
    }

    /// Sends the request, again and again if it does not get through. The stream ends after `Finished` or after its
    /// first error; once `cancel` fires, the next item is [`ModelError::Cancelled`]. A stream that ends with neither
    /// was cut off by the provider.
    pub fn stream(&self, request: Request, cancel: CancellationToken) -> EventStream {
        match self {
            Self::Demo(demo) => demo.stream(&request, cancel),
            Self::Gemini(gemini) => gemini.stream(&request, cancel),
            Self::OpenAi(open_ai) => open_ai.stream(&request, cancel),
            Self::Shown(shown) => shown.stream(request),
        }
    }

    /// The same, where the provider is to send the answer in one piece.
    pub fn stream_whole(&self, request: Request, cancel: CancellationToken) -> EventStream {
        match self {
            Self::Demo(demo) => demo.stream(&request, cancel),
            Self::Gemini(gemini) => gemini.stream_whole(&request, cancel),
            Self::OpenAi(open_ai) => open_ai.stream_whole(&request, cancel),
            Self::Shown(shown) => shown.stream(request),
        }
    }

    /// The same, for callers who need the answer as a whole. An answer that was cut off is an error.
    pub async fn generate(
        &self,
        request: Request,
        cancel: CancellationToken,
    ) -> Result<Answer, ModelError> {
        Answer::collect(self.stream_whole(request, cancel)).await
    }

    /// The tokens of the conversation, counted by the provider.
    pub async fn count_tokens(
        &self,
        request: &Request,
        cancel: CancellationToken,
    ) -> Result<u64, CountError> {
        match self {
            Self::Gemini(gemini) => Ok(gemini.count_tokens(request, cancel).await?),
            Self::Demo(_) | Self::OpenAi(_) | Self::Shown(_) => Err(CountError::Unsupported),
        }
    }
}

#[cfg(test)]
mod tests;
