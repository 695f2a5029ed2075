//! A client of the protocol's newest version, which begins without a handshake. It speaks in plain lines.

use pollux_testkit::TextChange;
use serde_json::{Value, json};

use crate::companion::{finish, window, write};
use crate::support::wire::Wire;
use crate::support::world::kill;
use crate::support::{World, snapshot};

struct Plain(Wire);

impl Plain {
    fn start(world: &World) -> Self {
        Self(Wire::open(&mut world.pollux(&["mcp"])))
    }

    /// Asks, with all that a handshake would have said.
    async fn ask(&mut self, id: u64, method: &str, mut params: Value) {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "plain", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.0.write(&message.to_string()).await;
    }

    async fn hear(&mut self) -> Value {
        self.0.read().await
    }
}

#[tokio::test]
async fn the_newest_version_is_spoken_too_with_its_own_way_to_listen() {
    let world = World::new();
    write(&world, "a.txt", "one\n");
    let (editor, door) = window(&world).await;
    editor.open(&world.uri("a.txt"), "text", "one\n").await;
    snapshot(&editor).await;
    let mut client = Plain::start(&world);
    client.ask(1, "server/discover", json!({})).await;
    let found = client.hear().await;
    assert_eq!(found["id"], 1, "{found}");
    let call = json!({ "name": "read_file", "arguments": { "path": "a.txt" } });
    client.ask(2, "tools/call", call).await;
    let answer = client.hear().await;
    assert_eq!(answer["result"]["structuredContent"]["text"], "one\n");
    let uri = "pollux://file/a.txt";
    let wanted = json!({ "notifications": { "resourceSubscriptions": [uri], "resourcesListChanged": true } });
    client.ask(3, "subscriptions/listen", wanted).await;
    let begun = client.hear().await;
    assert!(
        begun["method"].as_str().unwrap().contains("subscriptions"),
        "{begun}"
    );
    // Once for what may have happened before it was followed, and once for what does.
    for text in ["two\n", "three\n"] {
        let told = client.hear().await;
        assert_eq!(told["method"], "notifications/resources/updated", "{told}");
        assert_eq!(told["params"]["uri"], uri);
        let change = TextChange::full(text);
        editor
            .change(
                &world.uri("a.txt"),
                text.len().try_into().unwrap(),
                &[change],
            )
            .await;
    }
    // A host that dies is replaced, and the request that listens goes on with the next one.
    kill(world.host());
    let again = client.hear().await;
    assert_eq!(again["method"], begun["method"], "{again}");
    while client.hear().await["method"] != "notifications/resources/updated" {}
    client.0.close().await;
    finish(&world, editor, door).await;
}
