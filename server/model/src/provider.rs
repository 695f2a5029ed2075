use tokio_util::sync::CancellationToken;

use crate::{Demo, EventStream, Request};

/// A model to talk to.
#[derive(Clone, Debug)]
pub enum Model {
    /// Scripted, offline, needs no key.
    Demo(Demo),
}

impl Model {
    /// The name that people and records see.
    pub fn name(&self) -> &str {
        match self {
            Self::Demo(_) => "demo",
        }
    }

    /// Sends the request. The stream ends after `Finished` or after its first error; once `cancel` fires, the
    /// next item is [`ModelError::Cancelled`](crate::ModelError::Cancelled).
    pub fn stream(&self, request: Request, cancel: CancellationToken) -> EventStream {
        match self {
            Self::Demo(demo) => demo.stream(&request, cancel),
        }
    }
}
