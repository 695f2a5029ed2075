use tokio_util::sync::CancellationToken;

use crate::{Answer, Demo, EventStream, Gemini, ModelError, OpenAi, Request};

/// A model to talk to.
#[derive(Clone, Debug)]
pub enum Model {
    /// Scripted, offline, needs no key.
    Demo(Demo),
    Gemini(Gemini),
    /// Anything that speaks chat completions.
    OpenAi(OpenAi),
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
        }
    }

    /// The same, for callers who need the answer as a whole. An answer that was cut off is an error.
    pub async fn generate(
        &self,
        request: Request,
        cancel: CancellationToken,
    ) -> Result<Answer, ModelError> {
        match self {
            Self::Demo(demo) => Answer::collect(demo.stream(&request, cancel)).await,
            Self::Gemini(gemini) => gemini.generate(&request, cancel).await,
            Self::OpenAi(open_ai) => open_ai.generate(&request, cancel).await,
        }
    }

    /// The tokens of the conversation, counted by the provider.
    pub async fn count_tokens(
        &self,
        request: &Request,
        cancel: CancellationToken,
    ) -> Result<u64, CountError> {
        match self {
            Self::Gemini(gemini) => Ok(gemini.count_tokens(request, cancel).await?),
            Self::Demo(_) | Self::OpenAi(_) => Err(CountError::Unsupported),
        }
    }
}

#[cfg(test)]
mod tests;
