//! Language models: a [`Request`] in, a stream of [`StreamEvent`]s out, whoever the provider is.
//!
//! Owns the conversation's data types and the providers. Knows neither tools nor sessions: a tool is a
//! declaration here, a function call is data, and whoever runs it sends the response with the next request.

mod demo;
mod error;
mod provider;
mod request;
mod stream;

pub use demo::{Demo, Pace};
pub use error::ModelError;
pub use provider::Model;
pub use request::{
    CallId, Content, FunctionCall, FunctionResponse, InlineData, Part, Request, Role, Thought,
    ToolDeclaration,
};
pub use stream::{Citation, EventStream, FinishReason, Retry, StreamEvent, Usage};
