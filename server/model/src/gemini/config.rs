use std::fmt;

use crate::http::CustomHeaders;
use crate::retry::RetryPolicy;
use crate::{ApiKey, ModelError};

const DEVELOPER_BASE: &str = "https://generativelanguage.googleapis.com";
const VERTEX_BASE: &str = "https://aiplatform.googleapis.com";

/// Which of Google's two doors to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeminiApi {
    /// The Gemini API, with a key from AI Studio.
    Developer,
    /// Vertex AI with a key instead of a project.
    VertexExpress,
}

/// In which header the key travels (`GEMINI_API_KEY_AUTH_MECHANISM`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMechanism {
    GoogApiKey,
    Bearer,
}

/// How to reach a Gemini model.
#[derive(Clone)]
pub struct GeminiConfig {
    pub api: GeminiApi,
    /// Must be `https`, unless it is on this machine.
    pub base_url: String,
    /// `None` for the usual one of the API.
    pub api_version: Option<String>,
    /// A gateway may do without.
    pub key: Option<ApiKey>,
    pub key_mechanism: KeyMechanism,
    pub model: String,
    pub headers: CustomHeaders,
    pub retry: RetryPolicy,
}

impl GeminiConfig {
    pub fn new(api: GeminiApi, model: impl Into<String>, key: Option<ApiKey>) -> Self {
        let base = match api {
            GeminiApi::Developer => DEVELOPER_BASE,
            GeminiApi::VertexExpress => VERTEX_BASE,
        };
        Self {
            api,
            base_url: base.to_owned(),
            api_version: None,
            key,
            key_mechanism: KeyMechanism::GoogApiKey,
            model: model.into(),
            headers: CustomHeaders::default(),
            retry: RetryPolicy::default(),
        }
    }

    /// What the environment says, `None` when it says nothing about Gemini. `lookup` must not look into the files of
    /// a workspace that is not trusted.
    ///
    /// `GOOGLE_GENAI_USE_VERTEXAI=true` wants Vertex, then `GEMINI_API_KEY` and `GOOGLE_GEMINI_BASE_URL` want the
    /// Gemini API, then a lone `GOOGLE_API_KEY` wants Vertex.
    pub fn from_env(
        model: impl Into<String>,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, ModelError> {
        Self::from_env_and_key(model, lookup, None)
    }

    /// The same, with a key that was found elsewhere and stands in for a `GEMINI_API_KEY` that is not set.
    pub fn from_env_and_key(
        model: impl Into<String>,
        lookup: impl Fn(&str) -> Option<String>,
        stored: Option<ApiKey>,
    ) -> Result<Option<Self>, ModelError> {
        let set = |name: &str| {
            let value = lookup(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let gemini_key = set("GEMINI_API_KEY").as_deref().and_then(ApiKey::new);
        let gemini_key = gemini_key.or(stored);
        let google_key = set("GOOGLE_API_KEY").as_deref().and_then(ApiKey::new);
        let wants_vertex = set("GOOGLE_GENAI_USE_VERTEXAI").as_deref() == Some("true");
        let gemini_base = set("GOOGLE_GEMINI_BASE_URL");
        let (api, key) = if wants_vertex && google_key.is_some() {
            (GeminiApi::VertexExpress, google_key)
        } else if gemini_key.is_some() || gemini_base.is_some() {
            (GeminiApi::Developer, gemini_key)
        } else if google_key.is_some() {
            (GeminiApi::VertexExpress, google_key)
        } else {
            return Ok(None);
        };
        let mut config = Self::new(api, model, key);
        let base = match api {
            GeminiApi::Developer => gemini_base,
            GeminiApi::VertexExpress => set("GOOGLE_VERTEX_BASE_URL"),
        };
        if let Some(base) = base {
            config.base_url = base;
        }
        config.api_version = set("GOOGLE_GENAI_API_VERSION");
        config.key_mechanism = match set("GEMINI_API_KEY_AUTH_MECHANISM").as_deref() {
            None | Some("x-goog-api-key") => KeyMechanism::GoogApiKey,
            Some("bearer") => KeyMechanism::Bearer,
            Some(other) => {
                let message = format!("GEMINI_API_KEY_AUTH_MECHANISM is {other:?}");
                return Err(crate::http::configuration(&message));
            }
        };
        if let Some(headers) = set("GEMINI_CLI_CUSTOM_HEADERS") {
            config.headers = CustomHeaders::parse(&headers);
        }
        Ok(Some(config))
    }

    pub(super) fn version(&self) -> &str {
        match (&self.api_version, self.api) {
            (Some(version), _) => version,
            (None, GeminiApi::Developer) => "v1beta",
            (None, GeminiApi::VertexExpress) => "v1beta1",
        }
    }
}

/// Without the base URL: it may hold a password.
impl fmt::Debug for GeminiConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeminiConfig")
            .field("api", &self.api)
            .field("api_version", &self.api_version)
            .field("key", &self.key)
            .field("key_mechanism", &self.key_mechanism)
            .field("model", &self.model)
            .field("headers", &self.headers)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}
