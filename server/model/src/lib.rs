//! Language models: a [`Request`] in, a stream of [`StreamEvent`]s out, whoever the provider is.
//!
//! Owns the conversation's data types and the providers. Knows neither tools nor sessions: a tool is a
//! declaration here, a function call is data, and whoever runs it sends the response with the next request.

mod availability;
mod chain;
mod config;
mod demo;
mod error;
mod gemini;
mod http;
mod json;
mod limits;
mod ollama;
mod openai;
mod provider;
mod request;
mod retry;
mod secret;
mod shown;
mod sse;
mod stream;
mod tokens;
mod web;
mod wire;

#[cfg(test)]
mod testing;

pub use availability::{Availability, ModelStatus, Selection, Skipped, TerminalReason};
pub use chain::{
    Action, AvoidedUntil, Chain, ChainMode, Failure, Fallback, NextState, Policy, Rank,
};
pub use config::{
    Attempt, ConfigError, Family, ModelConfigs, ModelKey, Previews, Purpose, ResolvedModel,
    concrete_model, embedding_model, family, is_auto, stable_flash, stable_pro,
};
pub use demo::{Demo, Pace};
pub use error::{
    ErrorText, FailureKind, ModelError, NetworkCause, NetworkError, Phase, QuotaCause, ReplyFlaw,
    RetryRule, Validation,
};
pub use gemini::{Gemini, GeminiApi, GeminiConfig, KeyMechanism};
pub use http::{CustomHeaders, Http, NetworkOptions};
pub use json::parse_json;
pub use ollama::{Ollama, find_ollama, ollama_base_url, ollama_window};
pub use openai::{ContextWindow, OpenAi, OpenAiConfig, first_model};
pub use provider::{CountError, Model};
pub use request::{
    CallId, Content, FunctionCall, FunctionResponse, InlineData, Part, Request, Role, SignedText,
    Thought, ToolDeclaration,
};
pub use retry::{FetchErrors, Jitter, OnCapacity, RetryPolicy, RetryTrigger};
pub use secret::ApiKey;
pub use shown::Shown;
pub use sse::{EventTooLong, SseDecoder, SseEvent};
pub use stream::{
    Answer, AnswerBuilder, Citation, Collected, EventStream, FinishReason, Grounding, Page,
    Retrieval, Retry, Source, StreamEvent, Support, Usage,
};
pub use tokens::{Room, TokenEstimate, known_token_limit, room_for, token_limit};
pub use web::{Reach, WebClient, WebError, WebLimits, WebPage};
