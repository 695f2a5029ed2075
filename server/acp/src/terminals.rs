//! Terminals of the client, in which commands of a session run.

use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, CreateTerminalRequest, CreateTerminalResponse, EnvVariable,
    KillTerminalRequest, ReleaseTerminalRequest, SessionId, TerminalId, TerminalOutputRequest,
    TerminalOutputResponse, WaitForTerminalExitRequest, WaitForTerminalExitResponse,
};
use pollux_agent::{
    ClientTerminal, Completeness, TerminalAnswer, TerminalClient, TerminalEnd, TerminalFailure,
    TerminalName, TerminalOrder, TerminalOutput,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::client::Client;

/// Nobody waits for it, and nobody remembers it for longer.
const RELEASED_WITHIN: Duration = Duration::from_secs(5);

/// The terminals that a client offers for one session.
pub(crate) struct SessionTerminals {
    client: Arc<Client>,
    session: SessionId,
    owner: Arc<str>,
}

impl SessionTerminals {
    /// Nothing for a client that offers none.
    pub(crate) fn of(client: &Arc<Client>, session: &str, owner: Arc<str>) -> Option<Arc<Self>> {
        client.capabilities()?.terminal.then(|| {
            Arc::new(Self {
                client: Arc::clone(client),
                session: SessionId::new(session),
                owner,
            })
        })
    }
}

impl TerminalClient for SessionTerminals {
    fn create(&self, order: TerminalOrder) -> TerminalAnswer<Arc<dyn ClientTerminal>> {
        let variable = |(name, value)| EnvVariable::new(name, value);
        let variables = order.variables.into_iter().map(variable);
        let request = CreateTerminalRequest::new(self.session.clone(), order.program)
            .args(order.arguments)
            .env(variables.collect())
            .cwd(order.folder)
            .output_byte_limit(order.longest_output);
        let (client, session) = (Arc::clone(&self.client), self.session.clone());
        let owner = Arc::clone(&self.owner);
        Box::pin(async move {
            let (done, opened) = oneshot::channel();
            // Waits also when nobody else does: a terminal that is opened late has to be released.
            tokio::spawn(async move {
                let method = CLIENT_METHOD_NAMES.terminal_create;
                let created = ask::<CreateTerminalResponse>(&client, method, &request).await;
                let opened = created.map(|created| Opened {
                    client,
                    session,
                    owner,
                    id: created.terminal_id,
                });
                let _released_by_dropping_it = done.send(opened);
            });
            let opened = opened.await.unwrap_or(Err(TerminalFailure::NoAnswer))?;
            let opened: Arc<dyn ClientTerminal> = Arc::new(opened);
            Ok(opened)
        })
    }
}

/// A terminal that is open.
struct Opened {
    client: Arc<Client>,
    session: SessionId,
    owner: Arc<str>,
    id: TerminalId,
}

impl ClientTerminal for Opened {
    fn name(&self) -> TerminalName {
        TerminalName {
            owner: Arc::clone(&self.owner),
            id: Arc::clone(&self.id.0),
        }
    }

    fn output(&self) -> TerminalAnswer<TerminalOutput> {
        let client = Arc::clone(&self.client);
        let request = TerminalOutputRequest::new(self.session.clone(), self.id.clone());
        Box::pin(async move {
            let method = CLIENT_METHOD_NAMES.terminal_output;
            let shown: TerminalOutputResponse = ask(&client, method, &request).await?;
            Ok(TerminalOutput {
                text: shown.output,
                completeness: match shown.truncated {
                    true => Completeness::Cut,
                    false => Completeness::Whole,
                },
            })
        })
    }

    fn end(&self) -> TerminalAnswer<TerminalEnd> {
        let client = Arc::clone(&self.client);
        let request = WaitForTerminalExitRequest::new(self.session.clone(), self.id.clone());
        Box::pin(async move {
            let method = CLIENT_METHOD_NAMES.terminal_wait_for_exit;
            let ended: WaitForTerminalExitResponse = ask(&client, method, &request).await?;
            let status = ended.exit_status;
            Ok(TerminalEnd {
                code: status.exit_code.map(u32::cast_signed),
                signal: status.signal,
            })
        })
    }

    fn kill(&self) -> TerminalAnswer<()> {
        let client = Arc::clone(&self.client);
        let request = KillTerminalRequest::new(self.session.clone(), self.id.clone());
        Box::pin(async move {
            let method = CLIENT_METHOD_NAMES.terminal_kill;
            answer(&client, method, &request).await.map(drop)
        })
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // Without a runtime there is no client either.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let client = Arc::clone(&self.client);
        let request = ReleaseTerminalRequest::new(self.session.clone(), self.id.clone());
        runtime.spawn(async move {
            let method = CLIENT_METHOD_NAMES.terminal_release;
            let releasing = answer(&client, method, &request);
            let _gone_in_any_case = timeout(RELEASED_WITHIN, releasing).await;
        });
    }
}

async fn ask<T: DeserializeOwned>(
    client: &Arc<Client>,
    method: &'static str,
    request: &impl Serialize,
) -> Result<T, TerminalFailure> {
    let answer = answer(client, method, request).await?;
    serde_json::from_str(answer.get()).map_err(|error| TerminalFailure::Refused(error.to_string()))
}

/// The question is taken back when nobody waits any more.
async fn answer(
    client: &Arc<Client>,
    method: &'static str,
    request: &impl Serialize,
) -> Result<Box<RawValue>, TerminalFailure> {
    let (_question, coming) = client.ask(method, request).await;
    match coming.await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(TerminalFailure::Refused(error.message)),
        Err(_) => Err(TerminalFailure::NoAnswer),
    }
}
