//! A client at the standard input and output of `pollux mcp`, by the protocol's own library.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig,
    ClientRequest, Implementation, ProgressNotificationParam, ProtocolVersion,
    ReadResourceRequestParams, ResourceContents, ResourceUpdatedNotificationParam, ServerResult,
};
use rmcp::service::{
    NotificationContext, PeerRequestOptions, RequestHandle, RoleClient, RunningService,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ServiceExt};
use serde_json::Value;
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::support::World;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a client is told without having asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Notice {
    Updated(String),
    ListChanged,
    Progress { progress: f64, total: f64 },
}

pub(super) struct Client {
    running: RunningService<RoleClient, Ears>,
    notices: mpsc::UnboundedReceiver<Notice>,
    child: Child,
}

struct Ears(mpsc::UnboundedSender<Notice>);

impl ClientHandler for Ears {
    fn get_info(&self) -> ClientConfig {
        let me = Implementation::new("a test", "1.0");
        ClientConfig::new(ClientCapabilities::default(), me)
            .with_protocol_version(ProtocolVersion::V_2025_06_18)
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _test_has_ended = self.0.send(Notice::Progress {
            progress: params.progress,
            total: params.total.unwrap_or_default(),
        });
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _test_has_ended = self.0.send(Notice::Updated(params.uri));
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _test_has_ended = self.0.send(Notice::ListChanged);
    }
}

impl Client {
    pub(super) async fn start(world: &World, arguments: &[&str]) -> Self {
        let mut child = world
            .pollux(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pipe = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let (ears, notices) = mpsc::unbounded_channel();
        let running = Ears(ears).serve(pipe).await.unwrap();
        Self {
            running,
            notices,
            child,
        }
    }

    /// The same by a port, whose door ends with somebody else.
    pub(super) async fn by_port(url: &str, token: &str, child: Child) -> Self {
        let mut config = StreamableHttpClientTransportConfig::with_uri(url);
        config.auth_header = Some(token.to_owned());
        let (http, address) = (pollux_model::Http::default(), url.parse().unwrap());
        let client = http.client_for(&address).await.unwrap();
        let transport = StreamableHttpClientTransport::with_client(client, config);
        let (ears, notices) = mpsc::unbounded_channel();
        let running = Ears(ears).serve(transport).await.unwrap();
        Self {
            running,
            notices,
            child,
        }
    }

    pub(super) fn peer(&self) -> &rmcp::Peer<RoleClient> {
        self.running.peer()
    }

    fn asked(name: &str, arguments: Value) -> CallToolRequestParams {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object");
        };
        CallToolRequestParams::new(name.to_owned()).with_arguments(arguments)
    }

    pub(super) async fn call_raw(&self, name: &str, arguments: Value) -> CallToolResult {
        let call = self.peer().call_tool(Self::asked(name, arguments));
        timeout(PATIENCE, call).await.unwrap().unwrap()
    }

    /// The answer of a tool that has one.
    pub(super) async fn call(&self, name: &str, arguments: Value) -> Value {
        answer(self.call_raw(name, arguments).await)
    }

    /// The words of a tool that has no answer.
    pub(super) async fn refused(&self, name: &str, arguments: Value) -> String {
        let result = self.call_raw(name, arguments).await;
        assert_eq!(result.is_error, Some(true), "{result:?}");
        result.content[0].as_text().unwrap().text.clone()
    }

    /// A call that is not waited for.
    pub(super) async fn begin(&self, name: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let call = CallToolRequest::new(Self::asked(name, arguments));
        let request = ClientRequest::CallToolRequest(call);
        let options = PeerRequestOptions::no_options();
        let sent = self.peer().send_cancellable_request(request, options);
        sent.await.unwrap()
    }

    pub(super) async fn read(&self, uri: &str) -> Result<String, String> {
        let params = ReadResourceRequestParams::new(uri);
        let read = timeout(PATIENCE, self.peer().read_resource(params));
        let result = read.await.unwrap().map_err(|error| error.to_string())?;
        match &result.contents[..] {
            [ResourceContents::TextResourceContents { text, .. }] => Ok(text.clone()),
            other => panic!("{other:?}"),
        }
    }

    /// The next notice that fits. Others are passed over.
    pub(super) async fn notice(&mut self, fits: impl Fn(&Notice) -> bool) -> Notice {
        let next = async {
            loop {
                let notice = self.notices.recv().await.expect("the client listens");
                if fits(&notice) {
                    return notice;
                }
            }
        };
        timeout(PATIENCE, next).await.expect("a notice")
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Closes its end, and sees the door end.
    pub(super) async fn finish(mut self) {
        let _already = self.running.cancel().await;
        assert!(ended(&mut self.child).await.success());
    }

    /// Goes, and gives its door back.
    pub(super) async fn leave(self) -> Child {
        let _already = self.running.cancel().await;
        self.child
    }

    /// The client dies, and with it its ends of the pipes.
    pub(super) async fn die(self) -> ExitStatus {
        let Self {
            running, mut child, ..
        } = self;
        drop(running);
        ended(&mut child).await
    }
}

async fn ended(child: &mut Child) -> ExitStatus {
    timeout(PATIENCE, child.wait())
        .await
        .expect("the door ends")
        .unwrap()
}

pub(super) fn answer(result: CallToolResult) -> Value {
    assert_ne!(result.is_error, Some(true), "{result:?}");
    result
        .structured_content
        .expect("an answer has a structure")
}

/// The answer of a call that was begun.
pub(super) async fn answered(call: RequestHandle<RoleClient>) -> Value {
    let result = timeout(PATIENCE, call.await_response()).await.unwrap();
    match result.unwrap() {
        ServerResult::CallToolResult(result) => answer(result),
        other => panic!("{other:?}"),
    }
}
