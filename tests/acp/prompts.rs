//! What a prompt may hold, and the commands that it may be.

use std::fs;

use agent_client_protocol::v1::schema::{
    AudioContent, BlobResourceContents, ContentBlock, EmbeddedResource, EmbeddedResourceResource,
    ImageContent, ResourceLink, SessionUpdate, StopReason, TextResourceContents,
};
use pollux_testkit::scripted_model::ScriptedModel;
use serde_json::Value;

use super::client::{Client, said};
use crate::support::World;
use crate::support::talk::{model, says};

/// Not a picture, but nobody here looks at it.
const PICTURE: &str = "iVBORw0KGgo=";

/// What the last prompt was sent as.
fn parts(server: &ScriptedModel) -> Vec<Value> {
    let requests = server.requests();
    let body = requests.last().unwrap().json();
    let contents = body["contents"].as_array().unwrap();
    let is_context = |part: &&Value| {
        let text = part["text"].as_str().unwrap_or_default();
        text.starts_with("<session_context>")
    };
    let parts = contents.last().unwrap()["parts"].as_array().unwrap().iter();
    parts.filter(|part| !is_context(part)).cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_sounds_and_texts_go_to_the_model() {
    let world = World::new();
    let server = model([says("seen")]).await;
    let client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let uri = format!("{}#L3:4", world.uri("open.rs"));
    let given = TextResourceContents::new("fn unsaved() {}", uri.clone());
    let given = EmbeddedResourceResource::TextResourceContents(given);
    let bytes = BlobResourceContents::new(PICTURE, world.uri("small.gif"));
    let bytes = bytes.mime_type("image/gif".to_owned());
    let bytes = EmbeddedResourceResource::BlobResourceContents(bytes);
    let blocks = vec![
        "look at ".to_owned().into(),
        ContentBlock::Image(ImageContent::new(PICTURE, "image/png")),
        ContentBlock::Audio(AudioContent::new(PICTURE, "audio/wav")),
        ContentBlock::Resource(EmbeddedResource::new(given)),
        ContentBlock::Resource(EmbeddedResource::new(bytes)),
        "now".to_owned().into(),
    ];
    let reason = client.send(&session, blocks).reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    let parts = parts(&server);
    assert_eq!(parts[0]["text"], "look at `open.rs:3-4` `small.gif` now");
    assert_eq!(parts[1]["inlineData"]["data"], PICTURE);
    assert_eq!(parts[1]["inlineData"]["mimeType"], "image/png");
    assert_eq!(parts[2]["inlineData"]["mimeType"], "audio/wav");
    let text = parts[3]["text"].as_str().unwrap();
    assert!(
        text.contains("fn unsaved() {}") && text.contains(&uri),
        "{text}"
    );
    assert_eq!(parts[4]["inlineData"]["mimeType"], "image/gif");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_named_is_read_by_the_session() {
    let world = World::new();
    fs::write(world.work().join("with space.txt"), "its text\n").unwrap();
    let server = model([says("read")]).await;
    let client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let uri = world.uri("with%20space.txt");
    let blocks = vec![
        "what is in".to_owned().into(),
        ContentBlock::ResourceLink(ResourceLink::new("with space.txt", uri)),
    ];
    client.send(&session, blocks).reason().await;
    let sent: String = parts(&server)
        .iter()
        .filter_map(|part| part["text"].as_str().map(str::to_owned))
        .collect();
    assert!(sent.contains("its text"), "{sent}");
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_model_takes_is_refused_and_the_session_goes_on() {
    let world = World::new();
    let server = model([says("fine")]).await;
    let client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let image = |data: &str, kind: &str| vec![ContentBlock::Image(ImageContent::new(data, kind))];
    for (blocks, reason) in [
        (
            image(PICTURE, "text/html"),
            "image is of a kind that no model takes",
        ),
        (image("%%", "image/png"), "image is not encoded as base64"),
        (
            vec![" ".to_owned().into()],
            "a prompt has at least one letter",
        ),
        (Vec::new(), "a prompt has at least one letter"),
    ] {
        let error = client.send(&session, blocks).result().await.unwrap_err();
        assert_eq!(error.message, reason);
    }
    let reason = client.say(&session, "well?").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    client.finish().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_commands_are_offered_and_run_as_text() {
    let world = World::new();
    let commands = world.work().join(".gemini/commands");
    fs::create_dir_all(&commands).unwrap();
    let own = "description = \"Greets\"\nprompt = \"Say hello to {{args}}\"\n";
    fs::write(commands.join("greet.toml"), own).unwrap();
    let server = model([says("Hello!"), says("It is a path.")]).await;
    let mut client = Client::start(&world, &server).await;
    let session = client.session(&world).await;
    let offered = client
        .update(|update| match update {
            SessionUpdate::AvailableCommandsUpdate(update) => Some(update.available_commands),
            _ => None,
        })
        .await;
    let names: Vec<&str> = offered
        .iter()
        .map(|command| command.name.as_str())
        .collect();
    for name in pollux_agent::built_in_names().chain(["greet"]) {
        assert!(names.contains(&name), "{name} is missing: {names:?}");
    }
    let greet = offered
        .iter()
        .find(|command| command.name == "greet")
        .unwrap();
    assert_eq!(greet.description, "Greets");
    assert!(greet.input.is_some());

    // One that needs no model ends with its answer.
    let reason = client.say(&session, "/help").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    let help = said(&client.so_far());
    assert!(help.contains("/compress"), "{help}");
    assert_eq!(server.requests().len(), 0);
    // One that somebody has written is a prompt.
    let reason = client.say(&session, "/greet Ada").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    let sent = parts(&server)[0]["text"].as_str().unwrap().to_owned();
    assert!(sent.contains("Say hello to Ada"), "{sent}");
    // What is no command at all goes to the model as it is.
    let reason = client.say(&session, "/nowhere is what?").reason().await;
    assert_eq!(reason, StopReason::EndTurn);
    assert_eq!(server.requests().len(), 2);
    let sent = server.requests()[1].text();
    assert!(sent.contains("/nowhere is what?"), "{sent}");
    client.finish().await;
    world.expect_no_process_left().await;
}
