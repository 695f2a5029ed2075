//! `initialize`: what both sides can do.

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentAuthCapabilities, AgentCapabilities, AuthMethod, AuthMethodAgent, AuthMethodTerminal,
    Error, Implementation, InitializeRequest, InitializeResponse, LogoutCapabilities,
    McpCapabilities, Meta, PromptCapabilities, SessionAdditionalDirectoriesCapabilities,
    SessionCapabilities, SessionCloseCapabilities, SessionDeleteCapabilities,
    SessionListCapabilities, SessionResumeCapabilities,
};
use serde_json::json;

use super::authenticate::{API_KEY, KEY_MEMBER};
use crate::connection::Connection;

/// The arguments with which our own program asks for a key, behind those that it was started with.
const LOG_IN: &str = "--login";

pub(super) fn handle(
    connection: &Connection,
    params: InitializeRequest,
) -> Result<InitializeResponse, Error> {
    let client = &connection.client;
    client.introduce(params.client_capabilities, params.client_info);
    // Whatever the client speaks: this is what we do, and it decides whether that will do.
    Ok(InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(capabilities())
        .auth_methods(auth_methods(connection))
        .agent_info(
            Implementation::new("pollux", env!("CARGO_PKG_VERSION")).title("Pollux".to_owned()),
        ))
}

fn capabilities() -> AgentCapabilities {
    let session = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .delete(SessionDeleteCapabilities::new())
        .additional_directories(SessionAdditionalDirectoriesCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    let prompt = PromptCapabilities::new()
        .image(true)
        .audio(true)
        .embedded_context(true);
    AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(prompt)
        .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
        .session_capabilities(session)
        .auth(AgentAuthCapabilities::new().logout(LogoutCapabilities::new()))
}

fn auth_methods(connection: &Connection) -> Vec<AuthMethod> {
    let provider = Meta::from_iter([(KEY_MEMBER.to_owned(), json!({ "provider": "google" }))]);
    let key = AuthMethodAgent::new(API_KEY, "Gemini API key")
        .description(
            "The key that the client gives, or GEMINI_API_KEY, or one kept by `pollux auth`"
                .to_owned(),
        )
        .meta(provider);
    let mut methods = vec![AuthMethod::Agent(key)];
    if connection.client.traits().signs_in {
        let terminal = AuthMethodTerminal::new("pollux-auth", "Keep a Gemini API key")
            .description("Asks for a key and keeps it in the keychain of this system".to_owned())
            .args(vec![LOG_IN.to_owned()]);
        methods.push(AuthMethod::Terminal(terminal));
    }
    methods
}
