//! Which model answers: by name, by what the environment offers, or the demo.

use std::sync::Arc;

use pollux_agent::{OneVoice, Thinking, Voice, Voices};
use pollux_model::{
    ApiKey, Attempt, Chain, ChainMode, ContextWindow, Demo, ErrorText, FetchErrors, Gemini,
    GeminiApi, GeminiConfig, Http, Model, ModelConfigs, ModelError, ModelKey, NetworkOptions,
    OnCapacity, OpenAi, OpenAiConfig, Pace, Previews, Purpose, ResolvedModel, RetryPolicy,
    concrete_model, is_auto, ollama_base_url,
};
use pollux_settings::{Environment, Loaded};
use pollux_workspace::SessionRequest;
use serde_json::{Map, Value};

mod checks;

use super::{local, options};
use checks::AuthType;

/// Whoever has set up nothing gets this one.
pub(super) const DEMO: &str = "demo";

/// What stands before the name of a model of a local Ollama.
pub(super) const OLLAMA: &str = "ollama:";
/// And of one of a chat-completions server.
const OPENAI: &str = "openai:";

/// The variable that names another address for Gemini.
const GEMINI_BASE: &str = "GOOGLE_GEMINI_BASE_URL";

/// Whose models answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    Demo(Why),
    ChatCompletions,
    Gemini(KeyFrom),
}

/// Why the demo answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Wanted,
    /// There is no key for anything else.
    NothingElse,
}

/// Where a key was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyFrom {
    Environment,
    Keychain,
    /// A gateway may do without.
    Nowhere,
}

/// Who answers, and from where.
pub(super) struct Chosen {
    pub(super) voices: Arc<dyn Voices>,
    pub(super) service: Service,
}

impl Chosen {
    fn chat_completions(config: OpenAiConfig, http: Http, id: String) -> Result<Self, ModelError> {
        let model = Model::OpenAi(OpenAi::new(config, http)?);
        Ok(Self {
            voices: OneVoice::named(model, id),
            service: Service::ChatCompletions,
        })
    }
}

/// What somebody wants instead of what is configured.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted<'a> {
    pub(super) model: Option<&'a str>,
    pub(super) thinking: Thinking,
}

impl<'a> Wanted<'a> {
    pub(super) fn by(request: &'a SessionRequest) -> Self {
        Self {
            model: request.model.as_deref(),
            thinking: request.wishes.thinking,
        }
    }
}

/// Keys and addresses come from the environment of the door; from a `.env` file only in a folder
/// that is trusted. The keychain is asked last, and only for Gemini.
pub(super) fn choose(
    loaded: &Loaded,
    door: &Environment,
    wanted: Wanted<'_>,
    demo_pace: Pace,
    keychain: impl FnOnce() -> Option<ApiKey>,
) -> Result<Chosen, ModelError> {
    let environment = trusted_environment(loaded, door);
    let lookup = |name: &str| environment.get(name).map(str::to_owned);
    let network = network(loaded, door);
    let setting = loaded
        .merged
        .get("model.name")
        .and_then(|name| name.as_str());
    let name = wanted
        .model
        .or_else(|| environment.get("GEMINI_MODEL"))
        .or(setting)
        .unwrap_or("auto");
    let demo = |why| Chosen {
        voices: OneVoice::named(Model::Demo(Demo::new(demo_pace)), DEMO.to_owned()),
        service: Service::Demo(why),
    };
    if name == DEMO {
        return Ok(demo(Why::Wanted));
    }
    let http = Http::new(network.clone());
    let retry = retry(loaded);
    if let Some(model) = name.strip_prefix(OLLAMA) {
        checks::check_auth(loaded, AuthType::OtherProvider)?;
        let host = environment.get("OLLAMA_HOST");
        let config = OpenAiConfig {
            retry,
            window: local::window(loaded, environment, &http, model),
            ..OpenAiConfig::new(ollama_base_url(host), model)
        };
        return Chosen::chat_completions(config, http, name.to_owned());
    }
    let base = environment.get("OPENAI_BASE_URL");
    if name.starts_with(OPENAI) || (base.is_some() && !offers_gemini(environment)) {
        checks::check_auth(loaded, AuthType::OtherProvider)?;
        let base = base.unwrap_or("https://api.openai.com/v1");
        let key = environment.get("OPENAI_API_KEY").and_then(ApiKey::new);
        let model = match name.strip_prefix(OPENAI) {
            Some(model) => model.to_owned(),
            // Whoever names an address alone wants what is there.
            None if is_auto(name) => local::first_model(&network, base, key.clone()),
            None => name.to_owned(),
        };
        // Under its bare name some models would be taken for one of Google's.
        let id = match concrete_model(&model, PREVIEWS) == model {
            true if !is_auto(name) => name.to_owned(),
            _ => format!("{OPENAI}{model}"),
        };
        let config = OpenAiConfig {
            key,
            retry,
            window: options::window(loaded, &model)
                .map_or_else(Default::default, ContextWindow::of),
            ..OpenAiConfig::new(base, model)
        };
        return Chosen::chat_completions(config, http, id);
    }
    let configured = loaded.merged.get("modelConfigs");
    let configs = match configured {
        Some(value) => ModelConfigs::from_settings(value).map_err(wrong_settings)?,
        None => ModelConfigs::default(),
    };
    if !is_filled(environment, GEMINI_BASE) {
        checks::check_model(name, &configs)?;
    }
    let stored = match may_ask_keychain(environment, door) {
        true => keychain(),
        false => None,
    };
    let key_from = match &stored {
        Some(_) => KeyFrom::Keychain,
        None if has_key(environment) => KeyFrom::Environment,
        None => KeyFrom::Nowhere,
    };
    let Some(template) = GeminiConfig::from_env_and_key(name, lookup, stored)? else {
        return Ok(demo(Why::NothingElse));
    };
    let auth = match template.api {
        GeminiApi::VertexExpress => AuthType::VertexExpress,
        GeminiApi::Developer if is_filled(environment, GEMINI_BASE) => AuthType::Gateway,
        GeminiApi::Developer => AuthType::ApiKey,
    };
    match key_from {
        // `pollux auth` chose this key for Pollux, whatever another program is told to use.
        KeyFrom::Keychain => checks::check_enforced(loaded, auth)?,
        KeyFrom::Environment | KeyFrom::Nowhere => checks::check_auth(loaded, auth)?,
    }
    Ok(Chosen {
        voices: Arc::new(GeminiVoices {
            requested: name.to_owned(),
            template: GeminiConfig { retry, ..template },
            http,
            configs,
            thinking: wanted.thinking,
        }),
        service: Service::Gemini(key_from),
    })
}

/// How models and pages of the web are reached. Whom to trust is for the person to say, and for no file of a folder.
pub(super) fn network(loaded: &Loaded, door: &Environment) -> NetworkOptions {
    let environment = trusted_environment(loaded, door);
    let options = NetworkOptions::from_env(|name: &str| environment.get(name).map(str::to_owned));
    let Some(file) = door.get("SSL_CERT_FILE").filter(|file| !file.is_empty()) else {
        return options;
    };
    match std::fs::read(file) {
        Ok(certificates) => options.and_trusting(certificates),
        Err(error) => {
            tracing::warn!(%error, file, "the certificates of SSL_CERT_FILE cannot be read");
            options
        }
    }
}

/// Whether the model's service can search the web and read pages itself.
pub(super) fn grounds(service: Service, model: &str) -> bool {
    matches!(service, Service::Gemini(_)) && model.starts_with("gemini")
}

/// The models of an Ollama that runs here, by the names under which they can be asked for.
pub(super) fn of_ollama(
    loaded: &Loaded,
    door: &Environment,
    known: &local::LocalModels,
) -> Vec<String> {
    let host = trusted_environment(loaded, door).get("OLLAMA_HOST");
    let names = known.names(&network(loaded, door), host);
    names.iter().map(|name| format!("{OLLAMA}{name}")).collect()
}

fn trusted_environment<'a>(loaded: &'a Loaded, door: &'a Environment) -> &'a Environment {
    match loaded.trust.is_trusted() {
        true => &loaded.env,
        false => door,
    }
}

fn offers_gemini(environment: &Environment) -> bool {
    has_key(environment) || is_filled(environment, GEMINI_BASE)
}

fn has_key(environment: &Environment) -> bool {
    ["GEMINI_API_KEY", "GOOGLE_API_KEY"]
        .iter()
        .any(|name| is_filled(environment, name))
}

fn is_filled(environment: &Environment, name: &str) -> bool {
    environment
        .get(name)
        .is_some_and(|value| !value.trim().is_empty())
}

/// A key that the person keeps goes to Google, or where the person's own environment says. An address from the files
/// of a folder never gets it, however trusted the folder is.
fn may_ask_keychain(environment: &Environment, door: &Environment) -> bool {
    !has_key(environment)
        && (!is_filled(environment, GEMINI_BASE)
            || environment.get(GEMINI_BASE) == door.get(GEMINI_BASE))
}

fn retry(loaded: &Loaded) -> RetryPolicy {
    let attempts = loaded
        .merged
        .get("general.maxAttempts")
        .and_then(|attempts| attempts.as_u64())
        .and_then(|attempts| u32::try_from(attempts).ok());
    let fetch = loaded.merged.get("general.retryFetchErrors");
    let policy = RetryPolicy {
        fetch_errors: match fetch.and_then(|value| value.as_bool()) {
            Some(false) => FetchErrors::Fail,
            Some(true) | None => FetchErrors::Retry,
        },
        capacity: OnCapacity::TryTwiceMore,
        ..RetryPolicy::default()
    };
    match attempts {
        Some(attempts) => policy.with_attempts(attempts),
        None => policy,
    }
}

/// Gemini, along the chain that goes with what was asked for.
struct GeminiVoices {
    requested: String,
    template: GeminiConfig,
    http: Http,
    configs: ModelConfigs,
    thinking: Thinking,
}

/// A key of one's own reaches previews.
pub(super) const PREVIEWS: Previews = Previews::Allowed;

impl Voices for GeminiVoices {
    fn requested(&self) -> &str {
        &self.requested
    }

    fn thinking(&self) -> Thinking {
        self.thinking
    }

    fn chain(&self, active: &str, mode: ChainMode) -> Chain {
        let active = concrete_model(active, PREVIEWS);
        Chain::new(&self.requested, active, PREVIEWS, mode)
    }

    fn voice(&self, model: &str, attempts: Option<u32>) -> Result<Voice, ModelError> {
        let retry = match attempts {
            Some(attempts) => self.at_most(attempts),
            None => self.template.retry.clone(),
        };
        self.configured(model, Purpose::Chat, retry)
    }

    fn generation_for_retry(&self, model: &str) -> Option<Map<String, Value>> {
        let resolved = self.resolved(model, Purpose::Chat, Attempt::Retry);
        resolved.ok().map(|resolved| resolved.generation)
    }

    fn utility(&self, alias: &str) -> Result<Voice, ModelError> {
        self.configured(alias, Purpose::Utility, self.at_most(UTILITY_ATTEMPTS))
    }
}

/// A task of ours is not worth the patience that a person's prompt is.
const UTILITY_ATTEMPTS: u32 = 5;

impl GeminiVoices {
    /// What a chain or a task has of its own never goes beyond `general.maxAttempts`.
    fn at_most(&self, attempts: u32) -> RetryPolicy {
        let retry = self.template.retry.clone();
        let attempts = attempts.min(retry.attempts);
        retry.with_attempts(attempts)
    }

    fn resolved(
        &self,
        name: &str,
        purpose: Purpose,
        attempt: Attempt,
    ) -> Result<ResolvedModel, ModelError> {
        let key = ModelKey {
            name,
            purpose,
            scope: None,
            attempt,
            previews: PREVIEWS,
        };
        let mut resolved = self.configs.resolve(&key).map_err(wrong_settings)?;
        if purpose == Purpose::Chat {
            think(&mut resolved.generation, self.thinking);
        }
        Ok(resolved)
    }

    fn configured(
        &self,
        name: &str,
        purpose: Purpose,
        retry: RetryPolicy,
    ) -> Result<Voice, ModelError> {
        let resolved = self.resolved(name, purpose, Attempt::First)?;
        let config = GeminiConfig {
            model: resolved.model,
            retry,
            ..self.template.clone()
        };
        Ok(Voice {
            model: Model::Gemini(Gemini::new(config, self.http.clone())?),
            generation: resolved.generation,
        })
    }
}

/// Models are told in one of two ways how long to think; the one that is configured is the one they know.
fn think(generation: &mut Map<String, Value>, thinking: Thinking) {
    let config = generation.get_mut("thinkingConfig");
    let Some(config) = config.and_then(Value::as_object_mut) else {
        return;
    };
    let (level, budget) = match thinking {
        Thinking::AsConfigured => return,
        Thinking::Little => ("LOW", 1024),
        Thinking::Much => ("HIGH", 24_576),
    };
    if let Some(set) = config.get_mut("thinkingLevel") {
        *set = level.into();
    } else if let Some(set) = config.get_mut("thinkingBudget") {
        *set = budget.into();
    }
}

fn wrong_settings(error: impl std::fmt::Display) -> ModelError {
    ModelError::Configuration {
        message: ErrorText::new(&error.to_string()),
    }
}

#[cfg(test)]
mod tests;
