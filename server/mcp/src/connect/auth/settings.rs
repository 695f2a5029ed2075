//! `mcpServers.<name>.oauth`.

use serde::Deserialize;

use super::ServerConfig;

#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct OAuthSettings {
    /// Whether a refusal alone is reason enough to sign in.
    pub(super) enabled: bool,
    pub(super) client_id: Option<String>,
    pub(super) client_secret: Option<String>,
    /// A page that describes this client, for servers that know clients by one. The twin has no such setting.
    pub(super) client_metadata_url: Option<String>,
    pub(super) authorization_url: Option<String>,
    pub(super) token_url: Option<String>,
    pub(super) registration_url: Option<String>,
    pub(super) issuer: Option<String>,
    pub(super) scopes: Vec<String>,
    pub(super) audiences: Vec<String>,
    pub(super) redirect_uri: Option<String>,
    /// Who signs in. The twin has no such setting.
    pub(super) grant_type: GrantType,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum GrantType {
    /// A person, on a page.
    #[default]
    AuthorizationCode,
    /// This program itself, by its id and secret.
    ClientCredentials,
}

impl OAuthSettings {
    /// What cannot be read counts as left out.
    pub(super) fn of(server: &ServerConfig) -> Self {
        let Some(written) = &server.oauth else {
            return Self::default();
        };
        Self::deserialize(written).unwrap_or_else(|error| {
            tracing::warn!(server = server.name, %error, "its `oauth` cannot be read");
            Self::default()
        })
    }
}
