//! One sign-in, from the refusal to the token.

use std::sync::Arc;
use std::time::Duration;

use pollux_model::Http;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationRequest,
    AuthorizationSession, ClientCredentialsConfig, WWWAuthenticateParams,
};
use serde_json::json;
use url::Url;

use super::super::catalogue::line;
use super::addresses::{AddressError, Surroundings};
use super::callback::{self, Callback, Landing};
use super::credentials::{Credentials, Token, now, without_query};
use super::issuer::same_issuer;
use super::requests::{RequestError, Requests, check_challenge};
use super::settings::OAuthSettings;

/// How long somebody may take to sign in.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// The twin's name: servers that keep a list of clients know it.
const CLIENT: &str = "Gemini CLI MCP Client";

/// Why nobody has signed in.
#[derive(Debug, thiserror::Error)]
pub(super) enum AuthFailure {
    #[error("it has no address to sign in at")]
    NoAddress,
    #[error("you did not want to")]
    Declined,
    #[error("there is nobody here to ask; `/mcp auth` begins it")]
    NobodyThere,
    #[error("nobody came back from the page within {} minutes", PATIENCE.as_secs() / 60)]
    Late,
    #[error("its page says: {0}")]
    Refused(String),
    #[error("the answer comes from `{received}` and not from `{expected}`")]
    WrongIssuer { expected: String, received: String },
    #[error("the answer does not say who it is from, which `{expected}` promises to do")]
    NoIssuer { expected: String },
    #[error("no port to come back to: {0}")]
    NoPort(#[source] std::io::Error),
    #[error("`redirectUri` must lead to this machine")]
    ForeignRedirect,
    #[error("`grantType` is `client_credentials`, which needs `clientId` and `clientSecret`")]
    NoClient,
    #[error("there is no token in the answer")]
    NoToken,
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("{0}")]
    Protocol(String),
}

impl From<AuthError> for AuthFailure {
    /// In one line, and not a long one: a part of it is what a server has written.
    fn from(error: AuthError) -> Self {
        Self::Protocol(line(&error.to_string()))
    }
}

/// A server that says where to sign in.
pub(super) struct Discovered {
    manager: AuthorizationManager,
    metadata: AuthorizationMetadata,
    surroundings: Surroundings,
    page: Url,
    server: Url,
    challenge: Option<WWWAuthenticateParams>,
    requests: Arc<Requests>,
}

pub(super) async fn discover(
    http: &Http,
    server: &Url,
    settings: &OAuthSettings,
    challenge: Option<&str>,
) -> Result<Discovered, AuthFailure> {
    let server = without_query(server.clone());
    let requests = Requests::of(http, &server).await?;
    let surroundings = requests.surroundings();
    if let Some(challenge) = challenge {
        check_challenge(&server, challenge)?;
    }
    let requests = Arc::new(requests);
    let asking = Arc::clone(&requests);
    let mut manager =
        AuthorizationManager::new_with_oauth_http_client(server.clone(), asking).await?;
    // Not every server writes its name into its metadata. A wrong one is refused all the same.
    manager.set_allow_missing_issuer(true);
    let mut metadata = match configured(settings) {
        Some(metadata) => metadata,
        None => {
            let resolved = manager.resolve_metadata_from_challenge(challenge).await?;
            resolved.metadata
        }
    };
    if let Some(registration) = &settings.registration_url {
        metadata.registration_endpoint = Some(registration.clone());
    }
    if metadata.issuer.is_none() {
        metadata.issuer = settings.issuer.clone();
    }
    surroundings.parse(&metadata.token_endpoint)?;
    if let Some(registration) = &metadata.registration_endpoint {
        surroundings.parse(registration)?;
    }
    let page = surroundings.parse(&metadata.authorization_endpoint)?;
    surroundings.check_for_others(&page).await?;
    manager.set_metadata(metadata.clone());
    Ok(Discovered {
        manager,
        metadata,
        surroundings,
        page,
        challenge: challenge.map(|challenge| WWWAuthenticateParams::parse(challenge, &server)),
        server,
        requests,
    })
}

/// Where the settings say it all, nobody is asked.
fn configured(settings: &OAuthSettings) -> Option<AuthorizationMetadata> {
    let page = settings.authorization_url.as_ref()?;
    let tokens = settings.token_url.as_ref()?;
    let metadata = json!({ "authorization_endpoint": page, "token_endpoint": tokens });
    serde_json::from_value(metadata).ok()
}

impl Discovered {
    /// Where the person is going to sign in.
    pub(super) fn host(&self) -> String {
        self.page.host_str().unwrap_or_default().to_owned()
    }

    /// Signs in without a person, as the client that the settings name.
    pub(super) async fn sign_in_as_client(
        mut self,
        name: &str,
        settings: &OAuthSettings,
    ) -> Result<Credentials, AuthFailure> {
        let (Some(id), Some(secret)) = (&settings.client_id, &settings.client_secret) else {
            return Err(AuthFailure::NoClient);
        };
        let config = ClientCredentialsConfig::ClientSecret {
            client_id: id.clone(),
            client_secret: secret.clone(),
            scopes: settings.scopes.clone(),
            resource: Some(self.server.to_string()),
        };
        self.manager.validate_client_credentials_metadata(&config)?;
        self.manager.configure_client_credentials(&config)?;
        let answer = self.manager.exchange_client_credentials(&config).await?;
        let answer = serde_json::to_value(answer).unwrap_or_default();
        Ok(Credentials {
            server_name: name.to_owned(),
            token: Token::of_answer(&answer).ok_or(AuthFailure::NoToken)?,
            client_id: Some(id.clone()),
            client_secret: None,
            token_url: Some(self.metadata.token_endpoint),
            mcp_server_url: Some(self.server.to_string()),
            updated_at: now(),
        })
    }

    /// Makes us known there. `granted` is what an earlier token was good for.
    pub(super) async fn register(
        self,
        name: &str,
        settings: &OAuthSettings,
        port: Option<u16>,
        granted: Option<&str>,
    ) -> Result<Visit, AuthFailure> {
        let wanted = redirect(settings)?;
        let port = port.or(wanted.as_ref().and_then(Url::port)).unwrap_or(0);
        let (callback, slot) = Callback::listen(port).await.map_err(AuthFailure::NoPort)?;
        let redirect = match wanted {
            Some(wanted) => wanted.to_string(),
            None => format!("http://localhost:{}{}", callback.port(), callback::PATH),
        };
        let mut request = AuthorizationRequest::new(redirect)
            .with_client_name(CLIENT)
            .with_initial_scope_selection()
            .with_scopes(scopes(settings, self.challenge.as_ref(), granted));
        if let Some(id) = &settings.client_id {
            request = request.with_preregistered_client(id);
            if let Some(secret) = &settings.client_secret {
                request = request.with_client_secret(secret);
            }
        }
        if let Some(page) = &settings.client_metadata_url {
            request = request.with_client_metadata_url(page);
        }
        let session = AuthorizationSession::new(self.manager, request).await;
        let session = session.map_err(|(_, error)| AuthFailure::from(error))?;
        let mut page = self.surroundings.parse(session.get_authorization_url())?;
        if !settings.audiences.is_empty() {
            let audiences = settings.audiences.join(" ");
            page.query_pairs_mut().append_pair("audience", &audiences);
        }
        let state = page.query_pairs().find(|(name, _)| name == "state");
        slot.expect(
            state
                .map(|(_, state)| state.into_owned())
                .unwrap_or_default(),
        );
        Ok(Visit {
            session,
            metadata: self.metadata,
            callback,
            page,
            name: name.to_owned(),
            server: self.server,
            requests: self.requests,
        })
    }
}

/// A redirect to another machine would hand the code to it.
fn redirect(settings: &OAuthSettings) -> Result<Option<Url>, AuthFailure> {
    let Some(text) = &settings.redirect_uri else {
        return Ok(None);
    };
    let url = Url::parse(text).map_err(|_| AuthFailure::ForeignRedirect)?;
    let is_here = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    match is_here && url.scheme() == "http" && url.path() == callback::PATH {
        true => Ok(Some(url)),
        false => Err(AuthFailure::ForeignRedirect),
    }
}

/// Who is turned away for a missing right asks for it beside those it has. Otherwise what is configured counts, and
/// where nothing is, the library asks for what the server names.
fn scopes(
    settings: &OAuthSettings,
    challenge: Option<&WWWAuthenticateParams>,
    granted: Option<&str>,
) -> Vec<String> {
    let mut scopes = settings.scopes.clone();
    if let Some(challenge) = challenge.filter(|challenge| challenge.is_insufficient_scope()) {
        let before = granted.unwrap_or_default().split_whitespace();
        let wanted = challenge.scope.as_deref().unwrap_or_default();
        for scope in before.chain(wanted.split_whitespace()) {
            if !scopes.iter().any(|known| known == scope) {
                scopes.push(scope.to_owned());
            }
        }
    }
    scopes
}

/// A sign-in that waits for its person.
pub(super) struct Visit {
    session: AuthorizationSession,
    metadata: AuthorizationMetadata,
    callback: Callback,
    page: Url,
    name: String,
    server: Url,
    requests: Arc<Requests>,
}

impl Visit {
    pub(super) fn page(&self) -> &Url {
        &self.page
    }

    /// Waits for the person, and gets the token.
    pub(super) async fn finish(mut self) -> Result<Credentials, AuthFailure> {
        let landing = tokio::time::timeout(PATIENCE, self.callback.landing()).await;
        let landing = landing.ok().flatten().ok_or(AuthFailure::Late)?;
        let back = match landing {
            Landing::Refused(why) => return Err(AuthFailure::Refused(why)),
            Landing::Arrived(back) => back,
        };
        let issuer = self.issuer(back.issuer)?;
        let exchange =
            self.session
                .handle_callback_with_issuer(&back.code, &back.state, issuer.as_deref());
        let answer = serde_json::to_value(exchange.await?).unwrap_or_default();
        let mut token = Token::of_answer(&answer).ok_or(AuthFailure::NoToken)?;
        if token.scope.is_none() {
            // A server that does not say grants what was asked for.
            let scopes = self.session.auth_manager.get_current_scopes().await;
            token.scope = Some(scopes.join(" ")).filter(|scope| !scope.is_empty());
        }
        let (client_id, _) = self.session.get_credentials().await?;
        Ok(Credentials {
            server_name: self.name,
            token,
            client_id: Some(client_id),
            client_secret: self.requests.client_secret(),
            token_url: Some(self.metadata.token_endpoint),
            mcp_server_url: Some(self.server.to_string()),
            updated_at: now(),
        })
    }

    /// The issuer as the library expects it. One that is not there is missed only where the metadata promises it: the
    /// twin misses it everywhere, and so cannot sign in at servers that have never heard of it.
    fn issuer(&self, received: Option<String>) -> Result<Option<String>, AuthFailure> {
        let Some(expected) = self.metadata.issuer.clone() else {
            return Ok(None);
        };
        let promise = "authorization_response_iss_parameter_supported";
        let promised = self.metadata.additional_fields.get(promise);
        match received {
            Some(received) if same_issuer(&received, &expected) => Ok(Some(expected)),
            Some(received) => Err(AuthFailure::WrongIssuer {
                expected,
                received: line(&received),
            }),
            None if promised.and_then(serde_json::Value::as_bool) == Some(true) => {
                Err(AuthFailure::NoIssuer { expected })
            }
            None => Ok(None),
        }
    }
}
