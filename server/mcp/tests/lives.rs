//! Servers that come, go, hang and crash.

use std::time::Duration;

use pollux_agent::{Lasting, ServerOrder, ServerStanding, Servers};
use serde_json::{Value, json};

use crate::support::{World, in_time, scripted, standing};

#[tokio::test]
async fn three_that_hang_and_one_that_crashes_keep_nobody_waiting() {
    let mut entries = serde_json::Map::new();
    for place in 0..6 {
        entries.insert(format!("fine{place}"), scripted(&[]));
    }
    for place in 0..3 {
        entries.insert(format!("hangs{place}"), scripted(&["hang"]));
    }
    entries.insert("crashes".to_owned(), scripted(&["crash"]));
    let world = World::new(Value::Object(entries));
    // Nobody has been waited for: everything is listed, and nothing is there yet.
    let offering = world.connections.offering();
    assert_eq!(offering.states.len(), 10);
    assert!(offering.tools.is_empty());
    for place in 0..6 {
        world.connected(&format!("fine{place}")).await;
    }
    let reason = world.failed("crashes").await;
    assert_eq!(reason, "it ended with code 3: I crash at once");
    let offering = world.connections.offering();
    for place in 0..3 {
        let server = format!("hangs{place}");
        assert_eq!(standing(&offering, &server), ServerStanding::Connecting);
    }
}

#[tokio::test]
async fn a_server_that_crashes_is_tried_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let log = format!("log={}", folder.path().join("log").display());
    let world = World::in_folder(folder, json!({ "s": scripted(&["crash", &log]) }));
    in_time(async {
        while world.log("log").matches("started").count() < 3 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up_after_its_time() {
    let mut entry = scripted(&["hang"]);
    entry["timeout"] = json!(300);
    let world = World::new(json!({ "s": entry }));
    let reason = world.failed("s").await;
    assert_eq!(reason, "it has not answered within 0.3 seconds");
}

#[tokio::test]
async fn a_server_that_hangs_is_tried_again_long_before_its_time() {
    // Ten minutes are for a call; nobody waits so long for a server that says nothing at all.
    let patience = Duration::from_millis(100);
    let world = World::waiting_for(patience, json!({ "s": scripted(&["hang"]) }));
    let mut reasons = Vec::new();
    let mut changes = world.connections.changes();
    in_time(async {
        while reasons.len() < 3 {
            if let ServerStanding::Failed { reason } = standing(&world.connections.offering(), "s")
                && !reasons.contains(&reason)
            {
                reasons.push(reason);
            }
            changes.changed().await.unwrap();
        }
    })
    .await;
    // Each time it gets twice as long, so that a slow one gets there.
    let wanted =
        ["0.1", "0.2", "0.4"].map(|time| format!("it has not answered within {time} seconds"));
    assert_eq!(reasons, wanted);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let world = World::new(json!({ "s": { "command": "no-such-program-anywhere" } }));
    let reason = world.failed("s").await;
    assert!(reason.contains("code 127"), "{reason}");
    assert!(reason.contains("no-such-program-anywhere"), "{reason}");
}

#[tokio::test]
async fn servers_end_with_whoever_wanted_them() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let words = format!("log={}", log.display());
    let world = World::in_folder(folder, json!({ "s": scripted(&[&words]) }));
    world.connected("s").await;
    let text = world.log("log");
    let started = text.lines().find_map(|line| line.strip_prefix("started "));
    let id: u32 = started.unwrap().parse().unwrap();
    drop(world.connections);
    in_time(pollux_exec::process_ended(id)).await;
}

#[tokio::test]
async fn a_server_that_is_configured_otherwise_is_connected_anew_and_the_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let log = format!("log={}", folder.path().join("log").display());
    let entries = json!({ "a": scripted(&[&log]), "b": scripted(&[]) });
    let world = World::in_folder(folder, entries);
    world.connected("a").await;
    world.connected("b").await;
    world.configure("b", scripted(&["only-prompts"]));
    world.configure("c", scripted(&["crash"]));
    let source: &dyn pollux_mcp::connect::ServerSource = &*world.settings;
    world.connections.update(source.setup(&Default::default()));
    world.failed("c").await;
    world
        .until(|offering| {
            standing(offering, "b") == ServerStanding::Connected
                && !offering.tools.iter().any(|tool| tool.server == "b")
        })
        .await;
    assert_eq!(world.log("log").matches("started").count(), 1);
}

#[tokio::test]
async fn a_server_is_switched_off_and_on_again() {
    let world = World::new(json!({ "Foo": scripted(&[]) }));
    world.connected("Foo").await;
    let servers: &dyn Servers = &*world.connections;
    let told = servers
        .order(ServerOrder::Disable("foo", Lasting::Session))
        .await;
    assert_eq!(told, "`Foo` is off for this session.");
    let offering = world.connections.offering();
    assert!(offering.tools.is_empty());
    assert!(matches!(
        standing(&offering, "Foo"),
        ServerStanding::Blocked { .. }
    ));
    servers
        .order(ServerOrder::Enable("foo", Lasting::ForGood))
        .await;
    world.connected("Foo").await;
    servers
        .order(ServerOrder::Disable("FOO", Lasting::ForGood))
        .await;
    let standing = standing(&world.connections.offering(), "Foo");
    assert_eq!(
        standing.to_string(),
        "off: by you; `/mcp enable` or `pollux mcp-servers enable` switches it on"
    );
    let told = servers
        .order(ServerOrder::Enable("bar", Lasting::ForGood))
        .await;
    assert!(told.contains("no server `bar`"), "{told}");
}

#[tokio::test]
async fn reloading_connects_everybody_anew() {
    let folder = tempfile::tempdir().unwrap();
    let log = format!("log={}", folder.path().join("log").display());
    let world = World::in_folder(folder, json!({ "s": scripted(&[&log]) }));
    world.connected("s").await;
    let servers: &dyn Servers = &*world.connections;
    servers.order(ServerOrder::Reload).await;
    world.connected("s").await;
    assert_eq!(world.log("log").matches("started").count(), 2);
}
