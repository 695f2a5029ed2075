//! The client that the conformance suite talks to: our connections, and a person who agrees to everything. It is a part
//! of the tests and never shipped.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test in all but name: what is unexpected ends it, and the suite tells"
)]

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::{CallEvent, Servers};
use pollux_exec::Guard;
use pollux_mcp::connect::{
    Connections, Consent, Credentials, Gates, HandedOn, Invitation, Means, OAuth, Pauses, Person,
    ServerSource, Setup, Shown, Switch, Trusted, Vault, plan,
};
use pollux_model::Http;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use url::Url;

/// The page that the suite takes for a description of a client.
const CLIENT_PAGE: &str = "https://conformance-test.local/client-metadata.json";

fn main() {
    let url = std::env::args().next_back().expect("the suite says where");
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(run(&url, &scenario, &context));
}

async fn run(url: &str, scenario: &str, context: &Value) {
    let mut oauth = serde_json::Map::new();
    oauth.insert("enabled".to_owned(), true.into());
    oauth.insert("clientMetadataUrl".to_owned(), CLIENT_PAGE.into());
    for (ours, theirs) in [("clientId", "client_id"), ("clientSecret", "client_secret")] {
        if let Some(value) = context.get(theirs) {
            oauth.insert(ours.to_owned(), value.clone());
        }
    }
    if scenario == "auth/client-credentials-basic" {
        oauth.insert("grantType".to_owned(), "client_credentials".into());
    }
    let entry = json!({ "url": url, "type": "http", "oauth": oauth, "timeout": 25_000 });
    let source = Arc::new(OneServer(entry));
    let means = Means {
        guard: Guard {
            program: std::env::current_exe().unwrap(),
            arguments: Vec::new(),
        },
        http: Http::default(),
        authorization: Arc::new(OAuth::new(
            Http::default(),
            Arc::new(Memory::default()),
            Arc::new(Browser),
            None,
        )),
        pauses: Pauses {
            first: Duration::from_secs(60),
            longest: Duration::from_secs(60),
            head_start: Duration::ZERO,
            patience: Duration::from_secs(60),
        },
    };
    let connections = Connections::start(source.setup(&BTreeSet::new()), source, means);
    let mut changes = connections.changes();
    let offering = loop {
        let offering = connections.offering();
        let state = offering.states.first().expect("there is one server");
        if matches!(state.standing, pollux_agent::ServerStanding::Connected) {
            break offering;
        }
        if !matches!(state.standing, pollux_agent::ServerStanding::Connecting) {
            tell(&format!("{scenario}: {}", state.standing));
            std::process::exit(1);
        }
        changes.changed().await.unwrap();
    };
    for tool in &offering.tools {
        let args = match tool.tool.as_str() {
            "add_numbers" => json!({ "a": 5, "b": 3 }),
            _ => json!({}),
        };
        let (sender, mut events) = mpsc::channel::<CallEvent>(8);
        let answering = async {
            while let Some(event) = events.recv().await {
                // Somebody who sends the form as it stands. What stands there is for the client to know.
                if let CallEvent::Asked { answer, .. } = event {
                    let _gone = answer.send(Some(Default::default()));
                }
            }
            std::future::pending::<()>().await;
        };
        let args: &Map<String, Value> = args.as_object().unwrap();
        tokio::select! {
            result = connections.call(tool, args, sender) => tell(&format!("{result:?}")),
            () = answering => {}
        }
    }
}

fn tell(text: &str) {
    use std::io::Write;
    let _nobody_reads = writeln!(std::io::stderr().lock(), "{text}");
}

struct OneServer(Value);

impl ServerSource for OneServer {
    fn setup(&self, _: &BTreeSet<String>) -> Setup {
        let gates = Gates {
            trusted: Trusted::Yes,
            ..Gates::default()
        };
        let mut entries = Map::new();
        entries.insert("suite".to_owned(), self.0.clone());
        Setup {
            servers: plan(&entries, None, &gates),
            environment: HandedOn::default(),
            folder: std::env::temp_dir(),
        }
    }

    fn switch(&self, _: &str, _: Switch) -> Result<(), String> {
        Ok(())
    }
}

/// Signs in at once, wherever it is sent.
struct Browser;

impl Person for Browser {
    fn agrees<'a>(&'a self, _: &'a Invitation) -> BoxFuture<'a, Consent> {
        async { Consent::Given }.boxed()
    }

    fn show<'a>(&'a self, _: &'a Invitation, page: &'a Url) -> BoxFuture<'a, Shown> {
        async {
            let client = Http::default().client_for(page).await.unwrap();
            let answer = client.get(page.clone()).send().await.unwrap();
            let back = answer.headers().get("location").expect("it sends us back");
            let back = page.join(back.to_str().unwrap()).unwrap();
            client.get(back).send().await.unwrap();
            Shown::Yes
        }
        .boxed()
    }
}

#[derive(Default)]
struct Memory(Mutex<HashMap<String, Credentials>>);

impl Vault for Memory {
    fn load(&self, server: &str) -> Result<Option<Credentials>, String> {
        Ok(self.0.lock().unwrap().get(server).cloned())
    }

    fn save(&self, credentials: &Credentials) -> Result<(), String> {
        let name = credentials.server_name.clone();
        self.0.lock().unwrap().insert(name, credentials.clone());
        Ok(())
    }

    fn delete(&self, server: &str) -> Result<(), String> {
        self.0.lock().unwrap().remove(server);
        Ok(())
    }
}
