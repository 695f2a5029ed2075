//! Refuses a model or a way to sign in that cannot be used, before anything is sent.

use pollux_model::{ErrorText, ModelConfigs, ModelError, is_auto};
use pollux_settings::Loaded;

/// What names of Google's models begin with, those of tomorrow included.
const GOOGLE_PREFIXES: [&str; 5] = ["gemini-", "gemma-", "learnlm-", "models/", "tunedModels/"];
/// Names of ours for Google's models.
const OWN_NAMES: [&str; 3] = ["pro", "flash", "flash-lite"];

/// How a request is signed, under the names of `security.auth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuthType {
    ApiKey,
    /// An address of one's own, with a key or without.
    Gateway,
    VertexExpress,
    /// No service of Google.
    OtherProvider,
}

impl AuthType {
    fn matches(self, name: &str) -> bool {
        match self {
            Self::ApiKey => name == "gemini-api-key",
            Self::Gateway => name == "gateway" || name == "gemini-api-key",
            Self::VertexExpress => name == "vertex-ai",
            Self::OtherProvider => false,
        }
    }
}

/// Whether a name can be one of Google's models. An address of one's own may have models of any name.
pub(super) fn check_model(name: &str, configs: &ModelConfigs) -> Result<(), ModelError> {
    let is_known = is_auto(name)
        || OWN_NAMES.contains(&name)
        || GOOGLE_PREFIXES
            .iter()
            .any(|prefix| name.len() > prefix.len() && name.starts_with(prefix))
        || configs.has_alias(name);
    if is_known {
        return Ok(());
    }
    let message = match name.split_once(':') {
        Some((provider, _)) => format!(
            "unknown provider `{provider}` in the model `{name}`; use `ollama:NAME`, `openai:NAME` or a Gemini model"
        ),
        None => format!(
            "unknown model `{name}`; use `auto`, `pro`, `flash`, a name such as `gemini-2.5-pro`, `ollama:NAME`, \
             `openai:NAME` or `demo`"
        ),
    };
    Err(refusal(&message))
}

/// Whether the settings let a request be signed like this.
pub(super) fn check_auth(loaded: &Loaded, auth: AuthType) -> Result<(), ModelError> {
    check_enforced(loaded, auth)?;
    match setting(loaded, "security.auth.selectedType") {
        Some(selected) if auth != AuthType::OtherProvider && !auth.matches(selected) => {
            Err(refusal(&advice("security.auth.selectedType", selected)))
        }
        _ => Ok(()),
    }
}

/// What an administrator enforces counts for every key and every provider.
pub(super) fn check_enforced(loaded: &Loaded, auth: AuthType) -> Result<(), ModelError> {
    match setting(loaded, "security.auth.enforcedType") {
        Some(enforced) if !auth.matches(enforced) => {
            Err(refusal(&advice("security.auth.enforcedType", enforced)))
        }
        _ => Ok(()),
    }
}

fn advice(setting: &str, value: &str) -> String {
    match value {
        "gemini-api-key" => {
            format!("{setting} is `{value}`: set GEMINI_API_KEY or run `pollux auth`")
        }
        "gateway" => format!("{setting} is `{value}`: set GOOGLE_GEMINI_BASE_URL"),
        "vertex-ai" => format!(
            "{setting} is `{value}`: set GOOGLE_API_KEY and GOOGLE_GENAI_USE_VERTEXAI=true; other ways to sign in to \
             Vertex AI are not supported"
        ),
        _ => format!(
            "{setting} is `{value}`, which Pollux does not support; change it to `gemini-api-key` and set GEMINI_API_KEY"
        ),
    }
}

fn setting<'a>(loaded: &'a Loaded, path: &str) -> Option<&'a str> {
    let value = loaded.merged.get(path).and_then(|value| value.as_str());
    value.filter(|value| !value.is_empty())
}

fn refusal(message: &str) -> ModelError {
    ModelError::Configuration {
        message: ErrorText::new(message),
    }
}

#[cfg(test)]
mod tests;
