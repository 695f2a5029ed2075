//! What a client is told when something changes.

use rmcp::model::{SubscribeRequestParams, UnsubscribeRequestParams};
use serde_json::json;

use super::client::{Client, Notice};
use super::{finish, window_and_client};
use crate::companion::{hunks, write};
use crate::support::{World, snapshot};

#[expect(
    deprecated,
    reason = "clients of today speak the versions that have it"
)]
pub(super) async fn follow(client: &Client, uri: &str) {
    let params = SubscribeRequestParams::new(uri);
    client.peer().subscribe(params).await.unwrap();
}

#[expect(
    deprecated,
    reason = "clients of today speak the versions that have it"
)]
async fn leave(client: &Client, uri: &str) {
    let params = UnsubscribeRequestParams::new(uri);
    client.peer().unsubscribe(params).await.unwrap();
}

#[tokio::test]
async fn a_followed_resource_is_named_when_it_has_changed_and_others_are_not() {
    let world = World::new();
    write(&world, "a.txt", "one\n");
    write(&world, "b.txt", "one\n");
    let (editor, door, mut client) = window_and_client(&world).await;
    let (a, b) = ("pollux://file/a.txt", "pollux://file/b.txt");
    editor.open(&world.uri("a.txt"), "text", "one\n").await;
    editor.open(&world.uri("b.txt"), "text", "one\n").await;
    snapshot(&editor).await;
    follow(&client, a).await;
    follow(&client, "pollux://hunks").await;
    let two = [pollux_testkit::TextChange::full("two\n")];
    editor.change(&world.uri("b.txt"), 2, &two).await;
    editor.change(&world.uri("a.txt"), 2, &two).await;
    let updated = |notice: &Notice| matches!(notice, Notice::Updated(_));
    assert_eq!(client.notice(updated).await, Notice::Updated(a.to_owned()));
    assert_eq!(client.read(a).await.unwrap(), "two\n");
    // The hunks are as they were, so it is the next that is named too.
    let more = [pollux_testkit::TextChange::full("more\n")];
    editor.change(&world.uri("a.txt"), 3, &more).await;
    assert_eq!(client.notice(updated).await, Notice::Updated(a.to_owned()));

    let edit = json!({ "path": "b.txt", "text": "three\n" });
    client.call("propose_edit", edit).await;
    hunks(&editor, 1).await;
    assert_eq!(
        client.notice(updated).await,
        Notice::Updated("pollux://hunks".to_owned())
    );
    // Who has left is told nothing: what comes next is about another.
    leave(&client, a).await;
    follow(&client, b).await;
    let three = [pollux_testkit::TextChange::full("three\n")];
    editor.change(&world.uri("a.txt"), 4, &three).await;
    editor.change(&world.uri("b.txt"), 3, &three).await;
    let file = |notice: &Notice| matches!(notice, Notice::Updated(uri) if uri.starts_with("pollux://file/"));
    assert_eq!(client.notice(file).await, Notice::Updated(b.to_owned()));
    finish(&world, editor, door, client).await;
}

#[tokio::test]
async fn the_list_of_resources_follows_the_open_files() {
    let world = World::new();
    let (editor, door, mut client) = window_and_client(&world).await;
    assert_eq!(client.peer().list_all_resources().await.unwrap().len(), 4);
    editor.open(&world.uri("a.txt"), "text", "one\n").await;
    client.notice(|notice| *notice == Notice::ListChanged).await;
    assert_eq!(client.peer().list_all_resources().await.unwrap().len(), 5);
    editor.close(&world.uri("a.txt")).await;
    client.notice(|notice| *notice == Notice::ListChanged).await;
    finish(&world, editor, door, client).await;
}
