//! Signing in at a server from an editor.

use std::fs;

use pollux_testkit::ScriptedAuthorization;
use pollux_testkit::fake_editor::InitializeOptions;
use pollux_testkit::scripted_authorization::{GOOD_TOKEN, sign_in_at};
use serde_json::{Value, json};

use super::{answered, world};
use crate::support::asked_in;
use crate::support::talk::{Talk, door, model};
use crate::support::world::World;

/// An editor that opens pages.
fn opens_pages(world: &World) -> InitializeOptions {
    let mut options = asked_in(world.work().to_str().unwrap());
    options.capabilities["window"] = json!({ "showDocument": { "support": true } });
    options
}

async fn until_connected(talk: &mut Talk) {
    while !answered(talk, "/mcp list s")
        .await
        .contains("**s**: connected")
    {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_editor_opens_the_page_and_the_server_connects_by_itself() {
    let locked = ScriptedAuthorization::start(|_, _| None).await;
    let world = world(&json!({ "s": { "url": locked.url(), "type": "http" } }));
    let server = model([]).await;
    let mut talk = Talk::start_with(opens_pages(&world), door(&world, &server)).await;
    talk.editor
        .answer("window/showDocument", json!({ "success": true }));
    let told = answered(&mut talk, "/mcp auth s").await;
    assert!(told.contains("is open in your browser"), "{told}");
    let opened = talk.editor.answered("window/showDocument");
    assert_eq!(opened.len(), 1);
    assert_eq!(opened[0]["external"], true);
    let page = opened[0]["uri"].as_str().unwrap();
    assert!(told.contains(page), "{told}");
    sign_in_at(page).await;
    until_connected(&mut talk).await;
    // There is no keychain here. Nobody reads the token in a backup.
    let folder = world.home().join(".gemini");
    let sealed = folder.join("gemini-credentials.json");
    // Nobody waits for it to be stored, and making its key takes a while.
    while !sealed.exists() {
        tokio::task::yield_now().await;
    }
    let sealed = fs::read_to_string(sealed).unwrap();
    assert!(!sealed.contains(GOOD_TOKEN), "{sealed}");
    assert!(!folder.join("mcp-oauth-tokens.json").exists());

    let told = answered(&mut talk, "/mcp auth s --remove").await;
    assert_eq!(told, "You are signed out at `s`.");
    let told = answered(&mut talk, "/mcp auth s --remove").await;
    assert_eq!(told, "You were not signed in at `s`.");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_opens_no_pages_is_told_where_it_is() {
    let locked = ScriptedAuthorization::start(|_, _| None).await;
    let world = world(&json!({ "s": { "url": locked.url(), "type": "http" } }));
    let server = model([]).await;
    let mut talk = Talk::start(&world, &server).await;
    let told = answered(&mut talk, "/mcp auth s").await;
    assert!(
        told.starts_with("Open this page to sign in at `s`"),
        "{told}"
    );
    let page = told.lines().last().unwrap();
    sign_in_at(page).await;
    until_connected(&mut talk).await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_set_to_sign_in_asks_in_the_editor_first() {
    let locked = ScriptedAuthorization::start(|_, _| None).await;
    let oauth = json!({ "enabled": true });
    let entry = json!({ "url": locked.url(), "type": "http", "oauth": oauth });
    let world = world(&json!({ "s": entry }));
    let server = model([]).await;
    let mut talk = Talk::start_with(opens_pages(&world), door(&world, &server)).await;
    let (id, question) = talk
        .editor
        .expect_request("window/showMessageRequest")
        .await;
    assert_eq!(
        question["message"],
        "The MCP server s wants you to sign in at 127.0.0.1."
    );
    // Nothing is made known there before somebody agrees.
    assert_eq!(locked.asked_at("/register").len(), 0);
    let agreed: Value = question["actions"][0].clone();
    assert_eq!(agreed["title"], "Open the page");
    talk.editor.respond(&id, agreed).await;
    let (id, page) = talk.editor.expect_request("window/showDocument").await;
    talk.editor.respond(&id, json!({ "success": true })).await;
    sign_in_at(page["uri"].as_str().unwrap()).await;
    until_connected(&mut talk).await;
    talk.close().await;
    world.expect_no_process_left().await;
}
