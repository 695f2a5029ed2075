//! The list of sessions: titles, counts, and what can be removed.

use serde_json::{Value, json};

use crate::support::talk::{Talk, model, runs, says};
use crate::support::world::World;

async fn list(talk: &Talk) -> Vec<Value> {
    let list = talk.editor.request("pollux/sessionList", json!({})).await;
    list.unwrap()["sessions"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_renamed_whether_it_is_open_or_only_recorded() {
    let world = World::new();
    let server = model([says("one")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("what is this").await;
    talk.rest_unasked().await;
    talk.ask("pollux/sessionRename", json!({ "title": "  My\nsession " }))
        .await;
    assert_eq!(talk.coming("titled").await["title"], "My session");
    let empty = talk.request("pollux/sessionRename", json!({ "title": " " }));
    assert_eq!(empty.await.unwrap_err(), "a title has at least one letter");
    let session = talk.session.clone();
    talk.close().await;
    world.expect_no_process_left().await;

    // The next host knows it from the record alone.
    let server = model([]).await;
    let mut talk = Talk::start(&world, &server).await;
    let line = list(&talk).await.remove(0);
    assert_eq!(line["session"], session.as_str());
    assert_eq!(line["title"], "My session");
    assert_eq!(line["firstPrompt"], "what is this");
    assert_eq!(line["messages"], 2);
    assert_eq!(line["state"], "recorded");
    let rename = json!({ "session": session, "title": "Another" });
    let renamed = talk.editor.request("pollux/sessionRename", rename).await;
    assert_eq!(renamed, Ok(json!({})));
    assert_eq!(list(&talk).await[0]["title"], "Another");
    talk.ask("pollux/sessionUnfollow", json!({})).await;
    talk.session = session;
    talk.ask("pollux/sessionFollow", json!({})).await;
    assert_eq!(talk.event("opened").await["title"], "Another");
    let nobody = json!({ "session": "nobody", "title": "x" });
    let nobody = talk.editor.request("pollux/sessionRename", nobody).await;
    assert!(nobody.unwrap_err().message.contains("nobody"));
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_session_is_closed_and_removed_and_a_running_one_is_not() {
    let world = World::new();
    let server = model([runs("touch made.txt"), says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("run it").await;
    let asked = talk.event("approvalRequested").await;
    let refused = talk.request("pollux/sessionDelete", json!({})).await;
    assert_eq!(
        refused.unwrap_err(),
        "the session is at work; stop it first"
    );
    talk.answer(&asked, json!({ "kind": "allow" })).await;
    talk.rest().await;
    assert_eq!(list(&talk).await.len(), 1);
    talk.ask("pollux/sessionDelete", json!({})).await;
    assert_eq!(list(&talk).await, Vec::<Value>::new());
    let gone = talk.request("pollux/promptQueue", json!({ "text": "hello" }));
    assert!(gone.await.unwrap_err().contains(&talk.session));
    talk.close().await;
    world.expect_no_process_left().await;
}
