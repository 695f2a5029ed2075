//! How a request is signed, whichever transport sends it: with the token that is good at the time, and once more where
//! that one has turned out not to be.

use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest};

use super::super::authorization::SignedIn;
use super::super::{Authorization, ServerConfig};

#[derive(Clone)]
pub(in crate::connect) struct Signature {
    pub(in crate::connect) server: Arc<ServerConfig>,
    pub(in crate::connect) authorization: Arc<dyn Authorization>,
}

/// Where in a conversation a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::connect) enum Moment {
    /// A refusal is left to whoever connects, because a person takes longer than a connection may.
    Beginning,
    Midst,
}

impl Moment {
    pub(in crate::connect) fn of(message: &ClientJsonRpcMessage) -> Self {
        match message {
            ClientJsonRpcMessage::Request(request)
                if matches!(request.request, ClientRequest::InitializeRequest(_)) =>
            {
                Self::Beginning
            }
            _ => Self::Midst,
        }
    }
}

/// Why a request was turned away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::connect) enum Refusal {
    /// Nobody knows us, or not any more.
    Token { challenge: Option<String> },
    /// We may not do this.
    Right { challenge: Option<String> },
}

impl Signature {
    pub(in crate::connect) async fn token(&self) -> Option<String> {
        self.authorization.token(&self.server).await
    }

    /// Asks; asks again with a new token if the old one is refused; and asks a last time if a person has signed in.
    pub(in crate::connect) async fn send<T, E, Asking>(
        &self,
        moment: Moment,
        ask: impl Fn(Option<String>) -> Asking,
        refusal: impl Fn(&E) -> Option<Refusal>,
    ) -> Result<T, E>
    where
        Asking: Future<Output = Result<T, E>>,
    {
        let token = self.token().await;
        let mut answer = ask(token.clone()).await;
        let refused = answer.as_ref().err().and_then(&refusal);
        if let (Some(Refusal::Token { .. }), Some(token)) = (&refused, &token)
            && let Some(fresh) = self.authorization.renewed(&self.server, token).await
        {
            answer = ask(Some(fresh)).await;
        }
        let refused = answer.as_ref().err().and_then(&refusal);
        let challenge = match (refused, moment) {
            (None, _) | (Some(Refusal::Token { .. }), Moment::Beginning) => return answer,
            (Some(Refusal::Token { challenge }), Moment::Midst)
            | (Some(Refusal::Right { challenge }), _) => challenge,
        };
        let refused = self
            .authorization
            .refused(&self.server, challenge.as_deref());
        match refused.await {
            SignedIn::Yes => ask(self.token().await).await,
            SignedIn::No => answer,
        }
    }
}
