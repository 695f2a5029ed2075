//! Keys: none, one of the client's, one that is given up again.

use agent_client_protocol::ErrorCode;
use agent_client_protocol::v1::schema::{
    AuthCapabilities, AuthMethod, AuthenticateRequest, ClientCapabilities, LogoutRequest, Meta,
    NewSessionRequest, StopReason,
};

use super::client::Client;
use crate::support::World;
use crate::support::talk::{MODEL, model, says};

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_the_client_is_asked_for_one_and_can_give_it() {
    let world = World::new();
    let server = model([says("hello")]).await;
    let mut command = world.pollux(&["acp"]);
    command
        .env("GEMINI_MODEL", MODEL)
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    let terminal = AuthCapabilities::new().terminal(true);
    let client = Client::run(command, ClientCapabilities::new().auth(terminal)).await;
    let methods = &client.initialized.auth_methods;
    let [AuthMethod::Agent(key), AuthMethod::Terminal(terminal)] = &methods[..] else {
        panic!("{methods:?}");
    };
    assert_eq!(terminal.args, ["--login"]);
    let new = || NewSessionRequest::new(world.work());
    let error = client.call(new()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::AUTH_REQUIRED);
    let error = client
        .call(AuthenticateRequest::new(key.id.clone()))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::AUTH_REQUIRED);
    let wrong = client.call(AuthenticateRequest::new("oauth".to_owned()));
    assert_eq!(wrong.await.unwrap_err().code, ErrorCode::INVALID_PARAMS);

    let given = Meta::from_iter([("api-key".to_owned(), "key-of-the-client".into())]);
    let authenticate = AuthenticateRequest::new(key.id.clone()).meta(given);
    client.call(authenticate).await.unwrap();
    client.call(new()).await.unwrap();
    client.call(LogoutRequest::new()).await.unwrap();
    let error = client.call(new()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::AUTH_REQUIRED);
    client.finish().await;
    world.expect_no_process_left().await;
    drop(server.requests());
    // It was for that door only.
    let mut command = world.pollux(&["acp"]);
    command.env("GOOGLE_GEMINI_BASE_URL", server.url());
    command.env("GEMINI_MODEL", MODEL);
    let client = Client::run(command, ClientCapabilities::new()).await;
    assert_eq!(client.initialized.auth_methods.len(), 1);
    let given = Meta::from_iter([("api-key".to_owned(), "key-of-the-client".into())]);
    let authenticate = AuthenticateRequest::new("gemini-api-key".to_owned()).meta(given);
    client.call(authenticate).await.unwrap();
    let session = client.session(&world).await;
    assert_eq!(
        client.say(&session, "hi").reason().await,
        StopReason::EndTurn
    );
    let sent = server.requests();
    let key = sent
        .last()
        .unwrap()
        .header("x-goog-api-key")
        .map(str::to_owned);
    assert_eq!(key.as_deref(), Some("key-of-the-client"));
    client.finish().await;
    world.expect_no_process_left().await;
    assert!(!world.log().contains("key-of-the-client"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_needs_no_key() {
    let world = World::new();
    let mut command = world.pollux(&["acp"]);
    command.env("GEMINI_MODEL", "demo");
    let client = Client::run(command, ClientCapabilities::new()).await;
    let session = client.session(&world).await;
    assert_eq!(
        client.say(&session, "hi").reason().await,
        StopReason::EndTurn
    );
    client.finish().await;
    world.expect_no_process_left().await;
}
